/** Blocks whose hashes the opcode BLOCKHASH gives: those before the one being executed. */
export const BLOCK_HASHES = 256

/**
 * EVM state as it stood after one block: what the engine's needs are answered from.
 * Returned arrays belong to the caller until its next call and must not be written to.
 * A state that is partly elsewhere throws `AbsentPart` for what is not here yet.
 */
export interface StateView {
  /** The 72-byte account record (`state/account.ts`), or undefined where there is no account. */
  account(address: Uint8Array): Uint8Array | undefined
  /** The 32-byte value of a slot, or undefined for zero. */
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined
  /** Bytecode by its Keccak-256 hash; empty for the hash of nothing. */
  code(codeHash: Uint8Array): Uint8Array
  /** Hash of one of the 256 blocks before the one being executed, or undefined. */
  blockHash(number: number): Uint8Array | undefined
}

type Awaitable<Method> = Method extends (...args: infer Args) => infer Result
  ? (...args: Args) => Result | Promise<Result>
  : never

/** A state view whose answers may have to be fetched: of a remote node, in a browser. */
export type AsyncStateView = { readonly [Name in keyof StateView]: Awaitable<StateView[Name]> }
