import { keccak256, parseAbiItem, toBytes } from 'viem'
import type { Hex } from '../../../../base/hex.ts'
import { type AbiItem, abiItem, type ItemKind } from '../abi/abi-item.ts'
import type { AbiLookup } from '../abi/abi-registry.ts'
import { ACCOUNTS } from './accounts.ts'
import { CHAIN } from './chain.ts'
import { CONTRACTS } from './contracts.ts'
import { EXCHANGES } from './exchanges.ts'
import { SOLIDITY, type Standard } from './standard.ts'
import { TOKENS } from './tokens.ts'

/** The shipped ABIs, most likely first: if two items with one selector both match, the first is shown. */
export const STANDARDS: readonly Standard[] = [
  SOLIDITY,
  ...TOKENS,
  ...CONTRACTS,
  ...ACCOUNTS,
  ...EXCHANGES,
  ...CHAIN,
]

/** A line of the table. */
export interface TableLine {
  readonly kind: ItemKind
  readonly text: string
  readonly standard: string
}

const KINDS: readonly string[] = ['function', 'event', 'error']

export function tableLines(): TableLine[] {
  return STANDARDS.flatMap(({ name: standard, items }) =>
    items
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => {
        const kind = text.slice(0, text.indexOf(' '))
        if (!KINDS.includes(kind)) throw new Error(`no function, event or error: ${text}`)
        return { kind: kind as ItemKind, text, standard }
      }),
  )
}

/**
 * Returns the signature of a line, `transfer(address,uint256)`: without names, spaces and text after the parameters.
 */
export function lineSignature(text: string): string {
  const open = text.indexOf('(')
  let end = open
  for (let depth = 0; end < text.length; end++) {
    if (text[end] === '(') depth++
    else if (text[end] === ')' && --depth === 0) break
  }
  const parameters = text.slice(open, end + 1)
  const types = parameters.replace(/(?<!,) (indexed )?\w+(?=[,)])/g, '').replaceAll(' ', '')
  return text.slice(text.indexOf(' ') + 1, open) + types
}

/** The shipped ABI registry. Selectors are hashed at once, lines parsed on demand. */
export class SelectorTable implements AbiLookup {
  readonly #lines = new Map<string, TableLine[]>()
  readonly #items = new Map<string, readonly AbiItem[]>()

  constructor() {
    for (const line of tableLines()) {
      const hash = keccak256(toBytes(lineSignature(line.text)))
      const key = `${line.kind} ${line.kind === 'event' ? hash : hash.slice(0, 10)}`
      const found = this.#lines.get(key)
      if (found === undefined) this.#lines.set(key, [line])
      else found.push(line)
    }
  }

  find(kind: ItemKind, selector: Hex): readonly AbiItem[] {
    const key = `${kind} ${selector.toLowerCase()}`
    const known = this.#items.get(key)
    if (known !== undefined) return known
    const lines = this.#lines.get(key) ?? []
    const items = lines
      .map(({ text, standard }) => abiItem(parseAbiItem(text), 'table', standard))
      .filter((item) => item !== undefined)
    if (items.length > 0) this.#items.set(key, items)
    return items
  }
}
