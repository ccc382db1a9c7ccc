import type { Hex } from '../../../../base/hex.ts'
import type { Lens } from '../lens.ts'
import type { ItemKind } from './abi-item.ts'
import { decodeBySelector } from './decode-item.ts'
import type { Decoded } from './decoded.ts'
import type { Value } from './value.ts'

/** `bytes` among values that are a call or an error themselves. */
export interface Carried {
  /** `results[2]` */
  readonly path: string
  readonly decoded: Decoded
}

/** No reader follows more. */
const MOST = 20

/** Calls or errors that values carry as `bytes`: what a bundler, a multisig or a router hands on. */
export function carriedIn(values: readonly Value[], kind: ItemKind, lens: Lens): Carried[] {
  const found: Carried[] = []
  const visit = (value: Value, path: string) => {
    if (found.length === MOST) return
    value.parts?.forEach((part, i) => {
      visit(part, part.name === undefined ? `${path}[${i}]` : `${path}.${part.name}`)
    })
    if (value.type !== 'bytes' || typeof value.data !== 'string') return
    // A selector and whole words: anything else is by chance
    if (value.size % 32 !== 4) return
    const decoded = decodeBySelector(kind, value.data as Hex, lens.books)
    if (decoded.kind === 'decoded' && decoded.isExact) found.push({ path, decoded })
  }
  values.forEach((value, i) => {
    visit(value, value.name ?? `${i}`)
  })
  return found
}
