import type { Hex } from '../../../base/hex.ts'
import type { Book } from './abi/abi-book.ts'
import { knownLabel } from './labels/known-addresses.ts'
import { CONSOLE, ConsoleBook } from './signatures/console-book.ts'

/** What is known of the addresses of a run: all that decoding looks through. */
export interface Lens {
  /** Items of the contract whose code is at an address, lower case; undefined where it is not known. */
  abiAt(address: Hex): Book | undefined
  /** Items for any address, the likeliest first: of what the user gave, then of the table that ships. */
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

/** A lens of plain maps by lower-case address; addresses that mean the same everywhere have their names. */
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
