import { EMPTY_BYTES, equalBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { Slab } from '../../base/slab.ts'
import { isChainPrecompile } from '../chain-types/chain-precompile.ts'
import type { AccessListEntry, Transaction } from '../chain-types/transaction.ts'
import { BatchArea, type BatchOutcome } from './batch.ts'
import { type BlockAccesses, readBlockAccesses } from './block-accesses.ts'
import { ChainModules } from './chain-modules.ts'
import {
  type EngineCheckpoint,
  requireSameMessage,
  restoreCheckpoint,
  saveCheckpoint,
} from './checkpoint.ts'
import type { CompiledCodeCounts } from './compiled-code.ts'
import { HOST_RESULT } from './generated/host-call.ts'
import { MESSAGE_FLAG } from './generated/message-flag.ts'
import { PRECOMPILE_FAILURES } from './generated/precompile-failure.ts'
import { STATUS } from './generated/status.ts'
import { openLiveState } from './live-state.ts'
import { EngineMemory } from './memory.ts'
import type { BlockEnv, MovedPrecompile, TransactionInput } from './message.ts'
import { writeBlock, writeEngineMessage } from './message-writer.ts'
import { type EngineExports, type EngineSource, openEngineModule } from './module.ts'
import type { Answer, HostCall, HostResult, Need, Run } from './need.ts'
import type { EngineSettings, HostAddresses, TransactOptions } from './options.ts'
import type { Executed, Outcome } from './outcome.ts'
import { readAccessed, readDiff, readOutcome } from './outcome-reader.ts'
import { Pairing } from './pairing.ts'
import { readReadWriteSet, readWriteSetRows, restoreSetOutcome } from './read-write-set.ts'
import { EngineSlices, type EngineStatus } from './slices.ts'
import type { StateDiff } from './state-diff.ts'
import { type FollowedFrames, StepCursor } from './step-cursor.ts'
import { StepEncoder } from './step-text.ts'
import { drainTrace } from './trace-buffer.ts'
import type { TraceSink } from './trace-event.ts'

/** Steps of the chain's precompiles between two yields, about 3 us each. */
const CHAIN_STEPS = 64
/** A step count that no run reaches. */
const ENDLESS = 0xffff_ffff
/** Bytes of the longest read result: an account record. */
const ACCOUNT_RESULT = 72

/** Statuses that need no answer. */
type Handled = typeof STATUS.done | typeof STATUS.traceFull

const YIELD: Need = { kind: 'yield' }
const NO_HOST: HostAddresses = { first: 1, last: 0 }
const FAILED: HostResult = { success: false, gasUsed: 0n, output: EMPTY_BYTES }
const NO_ACCESS: readonly AccessListEntry[] = []
const NONE_MOVED: readonly MovedPrecompile[] = []
const SYSTEM_ADDRESS = new Uint8Array(20).fill(0xff, 0, 19).fill(0xfe, 19)
/** Gas of a system call (EIP-4788, EIP-2935, EIP-7002, EIP-7251). */
const SYSTEM_GAS = 30_000_000n

function traceFlags(trace: TraceSink | undefined): number {
  if (trace === undefined) return 0
  let flags = trace.ignoresCalls === true ? 0 : MESSAGE_FLAG.traceCalls
  if (trace.ignoresLogs !== true) flags |= MESSAGE_FLAG.traceLogs
  if (trace.wantsState) flags |= MESSAGE_FLAG.traceState
  if (trace.steps === undefined) return flags
  flags |= MESSAGE_FLAG.traceSteps
  if (trace.steps.stack) flags |= MESSAGE_FLAG.traceStack
  if (trace.steps.memory) flags |= MESSAGE_FLAG.traceMemory
  if (trace.steps.each) flags |= MESSAGE_FLAG.traceEach
  return flags
}

/** Loads engine.wasm and returns an engine. */
export async function loadEngine(
  source: EngineSource,
  options: EngineSettings = {},
): Promise<Engine> {
  const { exports, again } = await openEngineModule(source)
  return new Engine(exports, options, again)
}

/**
 * One instance of the engine. Executes the messages of one block after another. State read and written stays cached
 * until the next `beginBlock`. Runs one message at a time: starting another aborts the running one.
 */
export class Engine {
  readonly #again: (() => EngineExports) | undefined
  #exports: EngineExports
  readonly #memory: EngineMemory
  /** Memory size of a new instance in bytes. */
  readonly #size: number
  readonly #host: HostAddresses
  readonly #pairing: Pairing
  readonly #chainModules: ChainModules
  readonly #slices: EngineSlices
  #revision = 0
  readonly #hashSeed: bigint
  readonly #blockAt: number
  readonly #messageAt: number
  readonly #messageSize: number
  readonly #needAt: number
  readonly #answerAt: number
  readonly #answerSize: number
  readonly #outcomeAt: number
  readonly #traceAt: number
  readonly #resultAt: number
  readonly #batch: BatchArea
  #stepEncoder: StepEncoder | undefined
  /** Cursor over the steps of the running message. */
  #cursor: StepCursor | undefined
  /** Sequence number of the last message. */
  #message = 0
  /** Memory for transaction data that the block keeps. */
  readonly #slab = new Slab()
  #moved = NONE_MOVED
  /** The current block if it has the chain's own precompiles. */
  #chainBlock: BlockEnv | undefined
  #chainSteps = 0
  #running = 0

  /** `again` opens another instance of the same module. Without it, grown memory is never released. */
  constructor(exports: EngineExports, options: EngineSettings = {}, again?: () => EngineExports) {
    this.#again = again
    this.#exports = exports
    this.#memory = new EngineMemory(exports.memory)
    this.#size = this.#memory.bytes.length
    this.#host = options.hostAddresses ?? NO_HOST
    this.#pairing = new Pairing(options.pairing)
    this.#chainModules = new ChainModules(options.chainModules)
    this.#slices = new EngineSlices(exports, this.#memory, options)
    this.#hashSeed = crypto.getRandomValues(new BigUint64Array(1))[0] as bigint
    this.#blockAt = exports.blockAt.value
    this.#messageAt = exports.messageAt.value
    this.#messageSize = exports.messageSize.value
    this.#needAt = exports.needAt.value
    this.#answerAt = exports.answerAt.value
    this.#answerSize = exports.answerSize.value
    this.#outcomeAt = exports.outcomeAt.value
    this.#traceAt = exports.traceAt.value
    this.#resultAt = exports.resultAt.value
    this.#batch = new BatchArea(this.#memory, exports)
  }

  /**
   * False after a trap: every further message fails with ENGINE_FAULT. Also false once its memory has grown. Such an
   * engine still works and shrinks at the next block, but a new one is smaller at once.
   */
  get isUsable(): boolean {
    return !this.#slices.trapped && !this.#hasGrown
  }

  get #hasGrown(): boolean {
    return this.#memory.bytes.length > this.#size
  }

  /** Replaces a grown instance: WebAssembly memory cannot shrink. */
  #shrink(): void {
    if (this.#again === undefined) return
    this.#exports = this.#again()
    this.#memory.follow(this.#exports.memory)
    this.#stepEncoder = undefined
    this.#slices.follow(this.#exports)
  }

  /** What has been compiled; undefined if nothing ever is. */
  get compiledCode(): CompiledCodeCounts | undefined {
    return this.#slices.compiledCode
  }

  /** Starts a block. The state that later needs are answered from must be that before the block. */
  beginBlock(env: BlockEnv): void {
    this.#slices.refuseTrapped()
    this.#message++
    if (this.#hasGrown) this.#shrink()
    writeBlock(this.#memory, this.#blockAt, env, this.#hashSeed, this.#host)
    this.#exports.beginBlock()
    this.#revision = this.#memory.u32(this.#blockAt)
    this.#moved = env.moved ?? NONE_MOVED
    this.#chainBlock = env.chainPrecompiles === true ? env : undefined
  }

  /** Drops code cached from earlier blocks, so that a recorder sees every read of the next block. */
  forgetCode(): void {
    this.#exports.forgetCode()
  }

  /**
   * Executes a transaction in the block. The next transaction sees its effects.
   * @throws ENGINE_FAULT if the engine runs out of memory or the host breaks the protocol: no effect remains.
   * INVALID_ARGUMENT if the transaction does not fit into the engine.
   */
  *transact(input: TransactionInput, options: TransactOptions = {}): Run<Outcome> {
    const { leniency, trace } = options
    let flags = 0
    if (leniency?.skipSenderChecks) flags |= MESSAGE_FLAG.skipSenderChecks
    if (leniency?.skipFees) flags |= MESSAGE_FLAG.skipFees
    if (leniency?.capExecution) flags |= MESSAGE_FLAG.capExecution
    if (options.discard) flags |= MESSAGE_FLAG.discard
    flags |= traceFlags(trace)
    writeEngineMessage(this.#memory, this.#messageAt, this.#messageSize, input, flags)
    yield* this.#drive(trace)
    const accessed = options.recordAccess
      ? readAccessed(this.#memory, this.#exports.accessed())
      : NO_ACCESS
    return readOutcome(this.#memory, this.#outcomeAt, this.#slab, accessed)
  }

  /** Executes a system call: 30 million gas, no fee, no nonce. */
  *systemCall(to: Uint8Array, data: Uint8Array, trace?: TraceSink): Run<Executed> {
    const input: TransactionInput = {
      type: 0,
      from: SYSTEM_ADDRESS,
      to,
      nonce: 0n,
      gas: SYSTEM_GAS,
      maxFeePerGas: 0n,
      maxPriorityFeePerGas: 0n,
      value: 0n,
      data,
      accessList: NO_ACCESS,
      authorizations: [],
      maxFeePerBlobGas: 0n,
      blobHashes: [],
    }
    const flags = MESSAGE_FLAG.system | traceFlags(trace)
    writeEngineMessage(this.#memory, this.#messageAt, this.#messageSize, input, flags)
    yield* this.#drive(trace)
    return readOutcome(this.#memory, this.#outcomeAt, this.#slab, NO_ACCESS) as Executed
  }

  /** Pauses the running message before its next step, whatever remains of `StepOptions.count`. Call it at a yield. */
  pauseSoon(): void {
    this.#exports.pauseAfter(0)
  }

  /**
   * Saves the running message while it is paused before a step (`TraceSink.onPause`).
   * @param before an earlier checkpoint, to share unchanged pages with
   */
  checkpoint(before?: EngineCheckpoint): EngineCheckpoint {
    if (this.#cursor === undefined || this.#exports.isPaused() === 0) {
      throw new LockstepError('ENGINE_FAULT', 'no message is paused before a step')
    }
    const { followed } = this.#cursor
    return {
      message: this.#message,
      followed,
      ...saveCheckpoint(this.#exports, this.#memory, before),
    }
  }

  /** Continues the last message from one of its checkpoints. `trace` receives its steps. Throws like `transact`. */
  *resume(checkpoint: EngineCheckpoint, trace: TraceSink): Run<Outcome> {
    this.#slices.refuseTrapped()
    requireSameMessage(checkpoint, this.#message)
    yield* this.#drive(trace, checkpoint)
    return readOutcome(this.#memory, this.#outcomeAt, this.#slab, NO_ACCESS)
  }

  /** Returns the changes of the block so far. Call it between messages only. */
  diff(): StateDiff {
    this.#slices.refuseTrapped()
    return readDiff(this.#memory, this.#exports.diff())
  }

  /** Returns what the messages of the block have accessed and changed so far, from Amsterdam on (EIP-7928). */
  accessList(): BlockAccesses {
    this.#slices.refuseTrapped()
    return readBlockAccesses(this.#memory, this.#exports.accessList())
  }

  /**
   * Returns the read/write set of the last transaction, and its outcome without the output. Another engine can apply
   * it in the same block, at any index where the transaction would read the same values. The transaction must have
   * been alone in its block. Returns undefined if the transaction must be executed again: it read the fee recipient's
   * account, created a contract, changed code, destroyed an account, or touched more than an engine can apply.
   */
  readWriteSet(): Uint8Array | undefined {
    this.#slices.refuseTrapped()
    if (this.#exports.footprint() === 0) return undefined
    const places = { tablesAt: this.#resultAt, outcomeAt: this.#outcomeAt }
    const footprint = readReadWriteSet(this.#memory, places)
    return footprint.length > this.#answerSize ? undefined : footprint
  }

  /**
   * Executes transactions of the block in order, as many as a batch holds. Those that are included have effects and
   * results, also if a later one exhausts the engine.
   * @throws INVALID_ARGUMENT if the first does not fit into the engine
   */
  *executeBatch(transactions: readonly Transaction[]): Run<BatchOutcome> {
    this.#slices.refuseTrapped()
    const count = this.#batch.write(transactions)
    try {
      yield* this.#drive(undefined, undefined, count)
    } catch (error) {
      if (!(error instanceof LockstepError) || error.code !== 'ENGINE_FAULT') throw error
      return this.#batch.read(error)
    }
    return this.#batch.read(undefined)
  }

  /**
   * Applies a transaction's read/write set instead of executing it. Call it between messages only.
   * @returns its outcome without the output; undefined, without effect, if the transaction would read other values
   * here
   * @throws ENGINE_FAULT if the bytes are not a read/write set
   */
  applySet(footprint: Uint8Array): Executed | undefined {
    this.#slices.refuseTrapped()
    const rows = readWriteSetRows(footprint)
    this.#message++
    this.#writeAnswer(footprint)
    if (this.#exports.adopt(rows.rowsAt, rows.accounts, rows.slots) === 0) return undefined
    restoreSetOutcome(this.#memory, this.#answerAt, this.#outcomeAt, rows)
    return readOutcome(this.#memory, this.#outcomeAt, this.#slab, NO_ACCESS) as Executed
  }

  /**
   * Returns the results of the transaction whose read/write set was applied last, as `executeBatch` would.
   * @throws ENGINE_FAULT if its logs exceed 8 MiB
   */
  includeApplied(transaction: Transaction): BatchOutcome {
    this.#batch.write([transaction])
    if (this.#exports.includeApplied() === 0) {
      throw new LockstepError('ENGINE_FAULT', "a receipt's logs exceed 8 MiB")
    }
    return this.#batch.read(undefined)
  }

  /** Returns the bloom of the logs of the block's batches, 256 bytes. */
  blockBloom(): Uint8Array {
    return this.#batch.bloom()
  }

  /** Returns the Keccak-256 hash, 32 bytes. */
  keccak256(bytes: Uint8Array): Uint8Array {
    this.#writeAnswer(bytes)
    this.#exports.hash(bytes.length)
    return this.#memory.copy(this.#resultAt, 32)
  }

  /**
   * Returns the 20-byte address that signed `digest`; undefined if the signature is invalid. `r` and `s` are 32
   * bytes, big-endian.
   */
  recoverAddress(
    digest: Uint8Array,
    yParity: 0 | 1,
    r: Uint8Array,
    s: Uint8Array,
  ): Uint8Array | undefined {
    const { bytes } = this.#memory
    bytes.set(digest, this.#answerAt)
    bytes.set(r, this.#answerAt + 32)
    bytes.set(s, this.#answerAt + 64)
    if (this.#exports.recover(yParity) === 0) return undefined
    return this.#memory.copy(this.#resultAt, 20)
  }

  /**
   * Runs the written message, the rest of one from a checkpoint, or `batched` written transactions. Yields each need
   * that the engine cannot answer itself.
   */
  *#drive(trace: TraceSink | undefined, from?: EngineCheckpoint, batched?: number): Run<void> {
    const exports = this.#exports
    const run = ++this.#running
    this.#chainModules.abandon()
    if (from === undefined) {
      this.#message++
      if (batched !== undefined) exports.beginBatch(batched)
      else exports.beginTransaction()
      if (trace?.steps?.count !== undefined) exports.pauseAfter(trace.steps.count)
    } else {
      restoreCheckpoint(exports, this.#memory, from)
      if (trace !== undefined) this.#watch(trace)
    }
    const drain = trace === undefined ? undefined : this.#drainInto(trace, from)
    trace?.onBegin?.(openLiveState(exports, this.#memory))
    let isDone = false
    try {
      while (true) {
        const status = this.#slices.run(this.#revision)
        // At any other stop the engine keeps the trace buffer and appends to it.
        const isDrainDue = status === STATUS.done || status === STATUS.traceFull
        if (isDrainDue) drain?.()
        if (status === STATUS.done) {
          isDone = true
          return
        }
        const isCounted = trace?.steps?.count !== undefined
        const isPaused = isCounted && status === STATUS.traceFull && exports.isPaused() !== 0
        // Yield to a slow reader after each drain, except when every step is drained.
        if (status === STATUS.traceFull && !isPaused && trace?.steps?.each === true) continue
        if (isPaused) trace.onPause?.()
        const need = status === STATUS.traceFull ? YIELD : this.#describeNeed(status)
        if (need === undefined) continue
        const answer = yield need
        if (run !== this.#running) {
          throw new LockstepError('ENGINE_FAULT', 'another message was started on this engine', {
            hint: 'run one message at a time, or use an engine for each',
          })
        }
        if (isPaused) this.#watch(trace)
        this.#takeAnswer(need, answer)
      }
    } finally {
      if (run === this.#running) {
        this.#cursor = undefined
        if (!isDone && !this.#slices.trapped) exports.abandon()
      }
    }
  }

  /** Configures what the engine records from now on. */
  #watch(trace: TraceSink): void {
    this.#exports.watch(traceFlags(trace))
    this.#exports.pauseAfter(trace.steps?.count ?? ENDLESS)
  }

  #openCursor(followed: FollowedFrames | undefined): StepCursor {
    if (this.#stepEncoder?.bytes !== this.#memory.bytes) {
      this.#stepEncoder = new StepEncoder(this.#exports, this.#memory)
    }
    this.#cursor = new StepCursor(this.#memory, this.#stepEncoder, followed)
    return this.#cursor
  }

  /** Returns a function that passes the records in the trace buffer to `trace`. */
  #drainInto(trace: TraceSink, from: EngineCheckpoint | undefined): () => void {
    let cursor = this.#openCursor(from?.followed)
    return () => {
      if (cursor.bytes !== this.#memory.bytes) cursor = this.#openCursor(cursor.followed)
      const length = this.#exports.traceLength()
      if (length > 0) drainTrace(this.#memory, this.#traceAt, length, trace, cursor)
    }
  }

  /** Returns the need behind a status; undefined if a precompile call was answered here. */
  #describeNeed(status: Exclude<EngineStatus, Handled>): Need | undefined {
    const memory = this.#memory
    const at = this.#needAt
    switch (status) {
      case STATUS.needAccount:
        return { kind: 'account', address: memory.copy(at, 20) }
      case STATUS.needStorage:
        return { kind: 'storage', address: memory.copy(at, 20), slot: memory.copy(at + 32, 32) }
      case STATUS.needCode:
        return { kind: 'code', codeHash: memory.copy(at, 32) }
      case STATUS.needBlockHash:
        return { kind: 'blockHash', number: Number(memory.u64(at)) }
      case STATUS.callHost:
        return this.#describeCall()
      case STATUS.yield:
        return YIELD
      case STATUS.exhausted:
        throw new LockstepError('ENGINE_FAULT', 'the engine ran out of memory', {
          hint: 'lower the gas limit of the block or call',
        })
      default:
        throw new LockstepError(
          'ENGINE_FAULT',
          `the engine stopped with status ${status satisfies typeof STATUS.misuse}`,
        )
    }
  }

  #describeCall(): Need | undefined {
    const memory = this.#memory
    const at = this.#needAt
    const call: HostCall = {
      address: memory.copy(at, 20),
      caller: memory.copy(at + 20, 20),
      isStatic: memory.u32(at + 40) !== 0,
      input: memory.copy(memory.u32(at + 44), memory.u32(at + 48)),
      gas: memory.u64(at + 56),
      value: memory.word(at + 64),
    }
    if (this.#chainBlock !== undefined && isChainPrecompile(call.address)) {
      this.#callChain(call, memory.u32(at + 52), this.#chainBlock)
      // Yielding after each step would take longer than the call. Never yielding would let a loop of calls block the
      // thread.
      this.#chainSteps++
      return this.#chainSteps % CHAIN_STEPS === 0 ? YIELD : undefined
    }
    if (this.#isHostAddress(call.address)) return { kind: 'host', call }
    const precompile = this.#precompileAt(call.address)
    const output = this.#pairing.call(precompile, call.input)
    if (output !== undefined) {
      this.#answerCall({ success: true, gasUsed: 0n, output })
    } else {
      const failure = this.#pairing.failureOf(precompile, call.input)
      this.#answerCall(FAILED, PRECOMPILE_FAILURES.indexOf(failure))
    }
    // The call can take milliseconds.
    return YIELD
  }

  /** Starts a call of one of the chain's precompiles, or continues it once the engine has read the missing values. */
  #callChain(call: HostCall, kind: number, block: BlockEnv): void {
    const modules = this.#chainModules
    if (!modules.isRunning) modules.begin(call, kind, block)
    const outcome = modules.step((operation) => this.#perform(operation))
    if (outcome === undefined) return
    this.#endCall(outcome.result, outcome.gasUsed, outcome.output)
  }

  #perform(operation: Uint8Array): Uint8Array | undefined {
    this.#writeAnswer(operation)
    const performed = this.#exports.perform(operation.length)
    if (performed < 0) {
      throw new LockstepError(
        'ENGINE_FAULT',
        "the engine rejected an operation of one of the chain's precompiles",
      )
    }
    return performed === 0 ? undefined : this.#memory.copy(this.#resultAt, ACCOUNT_RESULT)
  }

  /** Returns the protocol address of the precompile that a simulation moved to `address`; else `address`. */
  #precompileAt(address: Uint8Array): Uint8Array {
    return this.#moved.find((row) => equalBytes(row.address, address))?.precompile ?? address
  }

  #isHostAddress(address: Uint8Array): boolean {
    for (let i = 0; i < 16; i++) if (address[i] !== 0) return false
    const low = new DataView(address.buffer).getUint32(16)
    return low >= this.#host.first && low <= this.#host.last
  }

  #takeAnswer(need: Need, answer: Answer): void {
    if (need.kind === 'yield') return
    if (need.kind === 'host') {
      if (answer === undefined || answer instanceof Uint8Array) {
        throw new LockstepError('ENGINE_FAULT', 'a host call was answered without a result')
      }
      this.#answerCall(answer)
      return
    }
    if (answer !== undefined && !(answer instanceof Uint8Array)) {
      throw new LockstepError(
        'ENGINE_FAULT',
        `the need of ${need.kind} was answered by a call result`,
      )
    }
    const bytes = answer ?? EMPTY_BYTES
    this.#writeAnswer(bytes)
    if (this.#exports.answer(bytes.length) === 0) {
      throw new LockstepError(
        'ENGINE_FAULT',
        `the need of ${need.kind} was answered with ${bytes.length} bytes`,
      )
    }
  }

  /** `reason` is an index into PRECOMPILE_FAILURES. */
  #answerCall({ success, gasUsed, output }: HostResult, reason = 0): void {
    if (success) this.#endCall(HOST_RESULT.succeeded, gasUsed, output)
    else this.#endCall(HOST_RESULT.failed, BigInt(reason), output)
  }

  #endCall(result: number, gasUsed: bigint, output: Uint8Array): void {
    this.#writeAnswer(output)
    if (this.#exports.answerHostCall(result, gasUsed, output.length) === 0) {
      throw new LockstepError('ENGINE_FAULT', 'the engine rejected the result of a host call')
    }
  }

  #writeAnswer(bytes: Uint8Array): void {
    if (bytes.length > this.#answerSize) {
      throw new LockstepError(
        'ENGINE_FAULT',
        `an answer of ${bytes.length} bytes exceeds the engine's ${this.#answerSize}`,
      )
    }
    this.#memory.bytes.set(bytes, this.#answerAt)
  }
}
