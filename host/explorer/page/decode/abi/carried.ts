import type { Hex } from '../../../../base/hex.ts'
import type { ItemKind } from './abi-item.ts'
import type { ContractRegistry } from './contract-registry.ts'
import { decodeBySelector } from './decode-item.ts'
import type { Decoded } from './decoded.ts'
import type { DecodedValue } from './value.ts'

/** A `bytes` value that is itself a call or an error. */
export interface Carried {
  /** `results[2]` */
  readonly path: string
  readonly decoded: Decoded
}

/** More would not be readable. */
const MOST = 20

/** Finds calls or errors in `bytes` values, as in bundlers, multisigs or routers. */
export function carriedIn(
  values: readonly DecodedValue[],
  kind: ItemKind,
  lens: ContractRegistry,
): Carried[] {
  const found: Carried[] = []
  const visit = (value: DecodedValue, path: string) => {
    if (found.length === MOST) return
    value.parts?.forEach((part, i) => {
      visit(part, part.name === undefined ? `${path}[${i}]` : `${path}.${part.name}`)
    })
    if (value.type !== 'bytes' || typeof value.data !== 'string') return
    // Requires a selector and whole words: anything else matches by chance.
    if (value.size % 32 !== 4) return
    const decoded = decodeBySelector(kind, value.data as Hex, lens.fallbackAbis)
    if (decoded.kind === 'decoded' && decoded.isExact) found.push({ path, decoded })
  }
  values.forEach((value, i) => {
    visit(value, value.name ?? `${i}`)
  })
  return found
}
