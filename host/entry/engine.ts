// The public module `lockstep/engine`: changing an export changes the API of the package.
import { EMPTY_BYTES } from '../base/bytes.ts'
import { loadEngine } from '../evm/engine/engine.ts'
import type { EngineModules } from '../evm/engine/engine-modules.ts'
import type { BlockEnv, TransactionInput } from '../evm/engine/message.ts'
import type { Run } from '../evm/engine/need.ts'
import type { EngineSettings as DriverOptions, TransactOptions } from '../evm/engine/options.ts'
import type { Executed, Outcome } from '../evm/engine/outcome.ts'
import type { StateDiff } from '../evm/engine/state-diff.ts'
import type { TraceSink } from '../evm/engine/trace-event.ts'
import { compileEngine } from '../node/wasm.ts'

export { type ErrorCode, LockstepError } from '../base/error.ts'
export type { Log } from '../evm/chain-types/log.ts'
export { REVISIONS, type Revision } from '../evm/chain-types/revision.ts'
export type {
  AccessListEntry,
  Authorization,
  TransactionType,
} from '../evm/chain-types/transaction.ts'
export type { EngineModules } from '../evm/engine/engine-modules.ts'
export type { LiveState } from '../evm/engine/live-state.ts'
export type {
  BlockEnv,
  Leniency,
  MovedPrecompile,
  TransactionInput,
} from '../evm/engine/message.ts'
export type { Answer, HostCall, HostResult, Need, Run } from '../evm/engine/need.ts'
export { opcodeName } from '../evm/engine/opcode.ts'
export type { HostAddresses, TransactOptions } from '../evm/engine/options.ts'
export type { Executed, Outcome, Rejected, RejectionCode } from '../evm/engine/outcome.ts'
export type { CodeRow, StateDiff } from '../evm/engine/state-diff.ts'
export type {
  AccountEvent,
  EnterEvent,
  ExitEvent,
  FrameType,
  LogEvent,
  SlotEvent,
  StepOptions,
  StepRecord,
  StepText,
  TraceEvent,
  TraceSink,
} from '../evm/engine/trace-event.ts'
export {
  type Account,
  decodeAccount,
  EMPTY_CODE_HASH,
  encodeAccount,
} from '../evm/state/account.ts'
export {
  type AnswerOptions,
  type AsyncAnswerOptions,
  answerFrom,
  answerFromAsync,
} from '../evm/state/answer.ts'
export { OverlayState } from '../evm/state/overlay-state.ts'
export type { AsyncStateView, StateView } from '../evm/state/view.ts'
export { compileEngine } from '../node/wasm.ts'

declare global {
  // Missing in Node's types; the DOM types declare it like this.
  namespace WebAssembly {
    interface Module {}
  }
}

/**
 * An engine instance. It executes messages one at a time, block after block, and keeps what it has read and written
 * until the next `beginBlock`.
 */
export interface Engine {
  /**
   * False after a trap, when every further message fails with ENGINE_FAULT, and after its memory has grown: a new
   * instance is smaller.
   */
  readonly isUsable: boolean
  /** Begins a block over the state that answers its needs. */
  beginBlock(env: BlockEnv): void
  /**
   * Executes a transaction in the block. The next transaction sees its effects. Does not check the signature.
   * @throws LockstepError ENGINE_FAULT if the engine runs out of memory or an answer breaks the protocol; no effect
   * remains
   * @throws LockstepError INVALID_ARGUMENT if the transaction does not fit into the engine
   */
  transact(input: TransactionInput, options?: TransactOptions): Run<Outcome>
  /** Executes a system call of the protocol: 30 million gas, no fee, no nonce. */
  systemCall(to: Uint8Array, data: Uint8Array, trace?: TraceSink): Run<Executed>
  /** Returns the block's changes so far. Call it between messages only. */
  diff(): StateDiff
  /** Drops cached code of earlier blocks, so that a recorder sees every read of the next block. */
  forgetCode(): void
  /** Keccak-256. */
  keccak256(bytes: Uint8Array): Uint8Array
  /**
   * Returns the address (20 bytes) that signed `digest`, or undefined if the signature is invalid. `r` and `s` have
   * 32 bytes, big-endian.
   */
  recoverAddress(
    digest: Uint8Array,
    yParity: 0 | 1,
    r: Uint8Array,
    s: Uint8Array,
  ): Uint8Array | undefined
}

export interface EngineOptions extends Omit<DriverOptions, 'pairing' | 'chainModules'> {
  /**
   * The compiled modules from `compileEngine`, shared by several engines or threads. Default: read from the package
   * and compiled.
   */
  readonly modules?: Pick<EngineModules, 'engine' | 'pairing'> &
    Partial<Pick<EngineModules, 'chainModules'>>
}

/**
 * Opens an engine.
 * @throws LockstepError ENGINE_FAULT if a module of the package cannot be read
 */
export async function openEngine(options: EngineOptions = {}): Promise<Engine> {
  const { modules, ...rest } = options
  const { engine, ...others } = modules ?? (await compileEngine())
  return loadEngine(engine, { ...rest, ...others })
}

/** A block for calls that read little of it: `{ ...DEFAULT_BLOCK, number: 17 }`. Has no base fee. */
export const DEFAULT_BLOCK: BlockEnv = {
  revision: 'Prague',
  chainId: 1n,
  number: 1,
  timestamp: 0,
  gasLimit: 36_000_000n,
  baseFee: 0n,
  coinbase: new Uint8Array(20),
  prevRandao: new Uint8Array(32),
  blobBaseFee: 1n,
  burnBaseFee: true,
}

/**
 * A call from the zero address without value, fee or data, with nonce 0: `{ ...DEFAULT_TRANSACTION, to, data }`.
 * Without `to` it creates a contract from `data`.
 */
export const DEFAULT_TRANSACTION: TransactionInput = {
  type: 2,
  from: new Uint8Array(20),
  to: undefined,
  nonce: 0n,
  gas: 10_000_000n,
  maxFeePerGas: 0n,
  maxPriorityFeePerGas: 0n,
  value: 0n,
  data: EMPTY_BYTES,
  accessList: [],
  authorizations: [],
  maxFeePerBlobGas: 0n,
  blobHashes: [],
}
