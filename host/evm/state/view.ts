/** Number of ancestors whose hashes BLOCKHASH returns. */
export const BLOCK_HASH_COUNT = 256

/**
 * EVM state after one block, from which the engine's needs are answered. Returned arrays belong to the caller until
 * its next call and must not be modified. Throws `MissingState` if a value must be fetched first.
 */
export interface StateView {
  /** Returns the 72-byte account record (`state/account.ts`); undefined if the account does not exist. */
  account(address: Uint8Array): Uint8Array | undefined
  /** Returns the 32-byte value of a slot; undefined for zero. */
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined
  /** Returns bytecode by its Keccak-256 hash; empty for `EMPTY_CODE_HASH`. */
  code(codeHash: Uint8Array): Uint8Array
  /** Returns the hash of one of the 256 blocks before the one being executed; undefined otherwise. */
  blockHash(number: number): Uint8Array | undefined
}

type Awaitable<Method> = Method extends (...args: infer Args) => infer Result
  ? (...args: Args) => Result | Promise<Result>
  : never

/** A state view that may fetch its answers, for example from a remote node. */
export type AsyncStateView = { readonly [Name in keyof StateView]: Awaitable<StateView[Name]> }
