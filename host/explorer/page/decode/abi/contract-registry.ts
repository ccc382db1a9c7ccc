import type { Hex } from '../../../../base/hex.ts'
import { knownLabel } from '../labels/known-addresses.ts'
import type { AbiItem } from './abi-item.ts'
import type { AbiLookup } from './abi-registry.ts'
import { CONSOLE, ConsoleAbi } from './console-abi.ts'

/** Contract registry: names, ABIs and tokens of the addresses of a run, for decoding. */
export interface ContractRegistry {
  /** ABI of the contract whose code is at an address, lower case; undefined if unknown. */
  abiAt(address: Hex): AbiLookup | undefined
  /** ABIs for any address, most likely first: those of the user, then the shipped table. */
  readonly fallbackAbis: readonly AbiLookup[]
  /** Name of an address, lower case. */
  labelOf(address: Hex): string | undefined
  /** Constructor of the contract created at an address, lower case; undefined if unknown. */
  constructorAt(address: Hex): AbiItem | undefined
  /** Token at an address, lower case. */
  tokenAt(address: Hex): KnownToken | undefined
}

/** What a token says of itself, as far as it answers. */
export interface KnownToken {
  /** Safe to display. */
  readonly symbol?: string
  readonly decimals?: number
}

/**
 * Creates a contract registry from maps by lower-case address; addresses that are the same everywhere get their
 * names.
 */
export function makeContractRegistry(known: {
  readonly abis?: ReadonlyMap<Hex, AbiLookup>
  readonly books: readonly AbiLookup[]
  readonly constructors?: ReadonlyMap<Hex, AbiItem>
  readonly labels?: ReadonlyMap<Hex, string>
  readonly tokens?: ReadonlyMap<Hex, KnownToken>
}): ContractRegistry {
  const consoleBook = new ConsoleAbi()
  return {
    abiAt: (address) => known.abis?.get(address) ?? (address === CONSOLE ? consoleBook : undefined),
    fallbackAbis: known.books,
    labelOf: (address) => known.labels?.get(address) ?? knownLabel(address),
    constructorAt: (address) => known.constructors?.get(address),
    tokenAt: (address) => known.tokens?.get(address),
  }
}
