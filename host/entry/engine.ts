// The module `lockstep/engine`. Its exports are public: a change of one is a change of the package.
import { EMPTY_BYTES } from '../base/bytes.ts'
import { loadEngine } from '../evm/engine/engine.ts'
import type { EngineModules } from '../evm/engine/engine-modules.ts'
import type { BlockEnv, TransactionInput } from '../evm/engine/message.ts'
import type { Run } from '../evm/engine/need.ts'
import type { EngineOptions as DriverOptions, TransactOptions } from '../evm/engine/options.ts'
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
  // The types of Node have it not, those of the DOM have it so
  namespace WebAssembly {
    interface Module {}
  }
}

/**
 * One instance of the engine: it executes the messages of one block after another, one at a time, and keeps
 * what it has read and written until the next `beginBlock`.
 */
export interface Engine {
  /**
   * False once the engine has trapped, when every further message fails with ENGINE_FAULT; also where its memory
   * has grown: another is smaller at once.
   */
  readonly isUsable: boolean
  /** Begins a block over the state that the needs will be answered from. */
  beginBlock(env: BlockEnv): void
  /**
   * Executes a transaction in the block; its effects are there for the next one. The signature is checked before.
   * @throws LockstepError ENGINE_FAULT when the engine ran out of memory or an answer broke the protocol: no effect
   * remains. INVALID_ARGUMENT when the transaction does not fit into the engine.
   */
  transact(input: TransactionInput, options?: TransactOptions): Run<Outcome>
  /** Executes a call by the protocol itself: 30 million gas, no fee, no nonce. */
  systemCall(to: Uint8Array, data: Uint8Array, trace?: TraceSink): Run<Executed>
  /** What the block has changed so far. Between messages only. */
  diff(): StateDiff
  /** Forgets code of earlier blocks too, so that a recorder sees every read of the next block. */
  forgetCode(): void
  /** Keccak-256. */
  keccak256(bytes: Uint8Array): Uint8Array
  /**
   * Address (20 bytes) that signed `digest`; `r` and `s` are 32 bytes, big-endian. Undefined when the signature is
   * invalid.
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
   * The compiled modules: what `compileEngine` gives, so that several engines or threads share them. By
   * default they are read from the package and compiled.
   */
  readonly modules?: Pick<EngineModules, 'engine' | 'pairing'> &
    Partial<Pick<EngineModules, 'chainModules'>>
}

/**
 * Opens an engine.
 * @throws LockstepError ENGINE_FAULT where a module of the package cannot be read
 */
export async function openEngine(options: EngineOptions = {}): Promise<Engine> {
  const { modules, ...rest } = options
  const { engine, ...others } = modules ?? (await compileEngine())
  return loadEngine(engine, { ...rest, ...others })
}

/** A block for calls that look at little of it: `{ ...DEFAULT_BLOCK, number: 17 }`. No base fee is asked for. */
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
 * A call without value, fee or data, by the zero address, of nonce 0: `{ ...DEFAULT_TRANSACTION, to, data }`.
 * Without `to` it creates a contract of `data`.
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
