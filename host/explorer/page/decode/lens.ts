import type { Hex } from '../../../base/hex.ts'
import type { Book } from './abi/abi-book.ts'
import { knownLabel } from './labels/known-addresses.ts'
import { CONSOLE, ConsoleBook } from './signatures/console-book.ts'

/** Contract registry: names, ABIs and tokens of the addresses of a run, for decoding. */
export interface Lens {
  /** ABI of the contract whose code is at an address, lower case; undefined if unknown. */
  abiAt(address: Hex): Book | undefined
  /** ABIs for any address, most likely first: those of the user, then the shipped table. */
  readonly books: readonly Book[]
  /** Name of an address, lower case. */
  labelOf(address: Hex): string | undefined
  /** Token at an address, lower case. */
  tokenAt(address: Hex): Token | undefined
}

export interface Token {
  readonly symbol: string
  readonly decimals: number
}

/**
 * Creates a contract registry from maps by lower-case address; addresses that are the same everywhere get their
 * names.
 */
export function makeLens(known: {
  readonly abis?: ReadonlyMap<Hex, Book>
  readonly books: readonly Book[]
  readonly labels?: ReadonlyMap<Hex, string>
  readonly tokens?: ReadonlyMap<Hex, Token>
}): Lens {
  const consoleBook = new ConsoleBook()
  return {
    abiAt: (address) => known.abis?.get(address) ?? (address === CONSOLE ? consoleBook : undefined),
    books: known.books,
    labelOf: (address) => known.labels?.get(address) ?? knownLabel(address),
    tokenAt: (address) => known.tokens?.get(address),
  }
}
