/**
 * The execution engine, a module without imports. The host writes a block, then a message, and calls `run`. When
 * `run` stops for a value, the host answers and calls `run` again. engine.wit describes the protocol.
 */
import { recoverAddress } from './curve/secp256k1'
import { BLOCK_REVISION, clearBlockHashes, HASH_SEED, insertBlockHash } from './evm/context/block'
import {
  CALLEE,
  CALLER,
  GAS,
  INPUT,
  INPUT_SIZE,
  IS_STATIC,
  KIND,
  top,
  VALUE,
} from './evm/frame/frame'
import { NOT_YET, performOperation, REFUSED } from './evm/frame/host-operation'
import { answerCall, isAsked } from './evm/frame/precompile-frame'
import { memoryBase, memorySize } from './evm/machine/memory'
import { exhausted, returnSize } from './evm/machine/registers'
import * as batch from './evm/message/batch'
import { writeExtents } from './evm/message/extents'
import { adoptFootprint, writeFootprint } from './evm/message/footprint'
import { abandonMessage, beginMessage, runMessage } from './evm/message/message'
import { wordsTaken } from './evm/opcode'
import { revision, setRevision } from './evm/revision'
import { pending } from './evm/signal'
import { clearAccessList, writeAccessList } from './evm/state/access-list'
import { clearAccounts, insertAccount } from './evm/state/account'
import { ageCodes, BYTES, clearCodes, findCode, insertCode, LENGTH } from './evm/state/code'
import { writeAccessed, writeDiff } from './evm/state/diff'
import { seedHashes } from './evm/state/hash-index'
import { peekAccountRecord, peekSlotValue } from './evm/state/peek'
import { HOT } from './evm/state/region'
import { clearSlots, insertSlot } from './evm/state/slot'
import {
  CALL_HOST,
  DONE,
  EXHAUSTED,
  MISUSE,
  NEED_ACCOUNT,
  NEED_BLOCK_HASH,
  NEED_CODE,
  NEED_STORAGE,
  TRACE_FULL,
} from './generated/status'
import { keccak256 } from './hash/keccak'
import {
  ANSWER,
  ANSWER_SIZE,
  BATCH,
  BATCH_RESULTS,
  BATCH_SIZE,
  BLOCK,
  MESSAGE,
  MESSAGE_SIZE,
  NEED,
  OUTCOME,
  RETURN_DATA,
  STATIC_END,
  STEP_NAMES,
  STEP_TEXT,
  TRACE_BUFFER,
} from './layout'
import { putStep, STACK } from './trace/step-json'
import * as trace from './trace/trace-buffer'
import { drained, isDrainDue, traceSize } from './trace/trace-buffer'

// The host would overwrite scratch memory that reaches into the memory map, so such a build must not start.
if (__heap_base > STATIC_END) unreachable()

export {
  addModuloForRegion,
  computeForRegion,
  growForRegion,
  instructForRegion,
  multiplyForRegion,
  multiplyModuloForRegion,
} from './evm/interpreter/compiled'
// For compiled regions (compile/README.md): registers, and functions that they call.
export { memoryBase, memorySize } from './evm/machine/memory'
export { gas, returnSize } from './evm/machine/registers'
export { addRegion, lastUse, removeRegion, setHeat } from './evm/state/region'

// Addresses at which the host reads and writes.
export const blockAt: usize = BLOCK
export const messageAt: usize = MESSAGE
export const messageSize: usize = MESSAGE_SIZE
export const needAt: usize = NEED
export const answerAt: usize = ANSWER
export const answerSize: usize = ANSWER_SIZE
export const outcomeAt: usize = OUTCOME
export const traceAt: usize = TRACE_BUFFER
/** Results of `hash` and `recover`, which may be called while a run waits for an answer. */
export const resultAt: usize = OUTCOME + 512
/** The jump destination that is to be compiled, and counts (evm/state/region.ts). */
export const hotAt: usize = HOT
export const batchAt: usize = BATCH
export const batchSize: usize = BATCH_SIZE
export const batchResultsAt: usize = BATCH_RESULTS
/** Names of the opcodes, written by the host: 48 bytes each, the first of which is the length. */
export const stepNamesAt: usize = STEP_NAMES
/** A step as text: its parts, and its stack (trace/step-json.ts). */
export const stepTextAt: usize = STEP_TEXT
export const stepStackAt: usize = STACK

/** Result of the last `run`. */
let status: i32 = DONE
/** Set between an answer and the `run` that uses it. */
let isAnswered: bool = false
/** Set while a host operation waits for a read, or for the host to drain the trace. */
let isStalled: bool = false

/** Starts the block written at `blockAt`. Drops what earlier blocks left in the caches, except code. */
export function beginBlock(): void {
  abandonMessage()
  clearSlots()
  clearAccounts()
  clearBlockHashes()
  clearAccessList()
  batch.beginBatches()
  seedHashes(load<u64>(HASH_SEED))
  const next = load<i32>(BLOCK_REVISION)
  if (next != revision) {
    // Executable forms depend on the revision.
    setRevision(next)
    clearCodes()
  } else {
    ageCodes()
  }
  status = DONE
}

/** Drops the code of earlier blocks too, so that the engine asks again for every byte it uses. */
export function forgetCode(): void {
  clearCodes()
}

/** Starts the message at `messageAt`. */
export function beginTransaction(): void {
  abandonMessage()
  batch.endBatch()
  beginMessage()
  isStalled = false
  status = -1
}

/**
 * Starts the transactions whose `count` records are at `batchAt` (evm/message/batch.ts). `run` runs one after another;
 * their results are at `batchResultsAt`. If the run is discarded, those before the running one remain.
 */
export function beginBatch(count: u32): void {
  abandonMessage()
  batch.beginBatch(count)
  isStalled = false
  status = -1
}

/**
 * Includes the transaction whose record is at `batchAt` with the outcome of the read/write set applied last. Returns
 * false if its logs do not fit.
 */
export function includeApplied(): bool {
  return batch.includeApplied()
}

/** Aborts the running message and discards its effects. */
export function abandon(): void {
  abandonMessage()
  batch.endBatch()
  status = DONE
}

/**
 * Continues for at most `fuel` jumps and calls; long hashes and precompiles use two units per unit of their gas.
 * Returns why it stopped: 0 done, 1 to 4 a read, 5 a call for the host, 6 trace full, 7 fuel used up. 8 and 9 are
 * engine errors, and the run is discarded.
 */
export function run(fuel: i32): i32 {
  if (isStalled) {
    isStalled = false
    if (status == CALL_HOST && !exhausted) {
      status = isDrainDue() ? TRACE_FULL : pending
      return status
    }
  }
  const asks = status >= NEED_ACCOUNT && status <= CALL_HOST
  if (status == DONE || status >= EXHAUSTED || (asks && !isAnswered)) {
    abandonMessage()
    status = MISUSE
    return MISUSE
  }
  isAnswered = false
  if (status == TRACE_FULL) drained()
  status = batch.isBatch ? batch.runBatch(fuel) : runMessage(fuel)
  if (exhausted) status = EXHAUSTED
  if (status >= EXHAUSTED) {
    abandonMessage()
    batch.endBatch()
  } else if (status == CALL_HOST) describeCall()
  return status
}

/**
 * Answers a read with the `length` bytes at `answerAt`; length 0 means absent. Returns false if the engine asked for
 * no read, or for one of another size.
 */
export function answer(length: i32): bool {
  if (isAnswered || length < 0 || usize(length) > ANSWER_SIZE) return false
  switch (status) {
    case NEED_ACCOUNT:
      isAnswered = insertAccount(NEED, ANSWER, length)
      break
    case NEED_STORAGE:
      isAnswered = insertSlot(ANSWER, length)
      break
    case NEED_CODE:
      isAnswered = insertCode(ANSWER, length)
      break
    case NEED_BLOCK_HASH:
      isAnswered = insertBlockHash(ANSWER, length)
      break
    default:
      return false
  }
  return isAnswered
}

/**
 * Performs the operation of `length` bytes at `answerAt` (evm/frame/host-operation.ts) during a call that the host
 * answers. A read writes its result to `resultAt`. Returns 1 if it is done, -1 if it is rejected. Returns 0 if a
 * value is missing: call `run`, which asks for it and then for the same host call again.
 */
export function perform(length: i32): i32 {
  if (status != CALL_HOST || isAnswered || isStalled || !isAsked()) return REFUSED
  if (length < 0 || usize(length) > ANSWER_SIZE) return REFUSED
  const performed = performOperation(ANSWER, length, resultAt)
  isStalled = performed == NOT_YET
  return performed
}

/**
 * Answers a host call (HOST_RESULTS) with its `length` bytes of output at `answerAt`. For a failure, `gasUsed` is the
 * number of the reason.
 */
export function answerHostCall(result: i32, gasUsed: u64, length: i32): bool {
  if (status != CALL_HOST || isAnswered || isStalled || !isAsked()) return false
  if (length < 0 || usize(length) > ANSWER_SIZE) return false
  answerCall(result, gasUsed, ANSWER, length)
  isAnswered = true
  return true
}

/**
 * Writes to `needAt`: callee 20, caller 20, is static u32, input at u32, input size u32, frame kind u32, gas u64, the
 * value as a word.
 */
function describeCall(): void {
  memory.copy(NEED, load<u32>(top, CALLEE), 20)
  memory.copy(NEED + 20, load<u32>(top, CALLER), 20)
  store<u32>(NEED, load<u32>(top, IS_STATIC), 40)
  store<u32>(NEED, load<u32>(top, INPUT), 44)
  store<u32>(NEED, load<u32>(top, INPUT_SIZE), 48)
  store<u32>(NEED, load<u32>(top, KIND), 52)
  store<u64>(NEED, load<u64>(top, GAS), 56)
  memory.copy(NEED + 64, top + VALUE, 32)
}

/** Returns the bytes of trace at `traceAt`. The next `run` overwrites them. */
export function traceLength(): u32 {
  return traceSize()
}

/**
 * Writes the record of the account whose 20-byte address is at `answerAt` to `resultAt`, with the values before the
 * last recorded step. Returns its size 72, 0 for an absent account, or -1 if the block has not read it.
 */
export function peekAccount(): i32 {
  return peekAccountRecord(ANSWER, resultAt)
}

/**
 * Writes the value of a slot of that account to `resultAt`, as it was before the last recorded step. The 32-byte key
 * is at `answerAt` + 32. Returns its size 32, 0 for zero, or -1 if the block has not read it.
 */
export function peekStorage(): i32 {
  return peekSlotValue(ANSWER, ANSWER + 32, resultAt)
}

/**
 * Writes the address and size of the code whose 32-byte hash is at `answerAt` to `resultAt`. Returns false if the
 * engine does not have it.
 */
export function peekCode(): bool {
  const record = findCode(ANSWER)
  if (record == 0) return false
  store<u32>(resultAt, u32(record + BYTES))
  store<u32>(resultAt, load<u32>(record, LENGTH), 4)
  return true
}

/**
 * Writes the address and size of the running frame's memory, and of the output of its last call, to `resultAt`, u32
 * each. After a stop by `pauseAfter`, these are the values before the next step.
 */
export function peekFrame(): void {
  store<u32>(resultAt, u32(memoryBase))
  store<u32>(resultAt, u32(memorySize), 4)
  store<u32>(resultAt, u32(RETURN_DATA), 8)
  store<u32>(resultAt, returnSize, 12)
}

/**
 * Records only the records named by `flags` for the running message from now on. The message must run in the traced
 * loop.
 */
export function watch(flags: u32): void {
  trace.watch(flags)
}

/** Pauses the run after `steps` more steps, before the next one, as if the trace were full. */
export function pauseAfter(steps: u32): void {
  trace.pauseAfter(steps)
}

/** Returns true if `pauseAfter` stopped the run. */
export function isPaused(): bool {
  return trace.isPaused
}

/** Writes the extents of memory that the running message may change to `resultAt` and returns their number. */
export function extents(): u32 {
  return writeExtents(resultAt)
}

/**
 * Writes the step whose record is at `record` of the trace as JSON (trace/step-json.ts) and returns the end address
 * of the text.
 */
export function encodeStep(record: usize, hasStack: bool): usize {
  return putStep(record, hasStack, wordsTaken(load<u32>(record, 8)))
}

/** Tables of what the block changed (evm/state/diff.ts). */
export function diff(): usize {
  return writeDiff()
}

/** Tables of the block's access list (evm/state/access-list.ts). */
export function accessList(): usize {
  return writeAccessList()
}

/** Tables of what the last transaction touched (evm/state/diff.ts). */
export function accessed(): usize {
  return writeAccessed()
}

/**
 * Writes start and end of the table of accounts, and of that of slots, to `resultAt`, u32 each: the read/write set of
 * the message that has ended, which must be the only one of its block. Returns false if the set cannot replace a run
 * of the message.
 */
export function footprint(): bool {
  return writeFootprint(resultAt)
}

/**
 * Applies a read/write set instead of running its message: `accounts` bytes of the table of accounts at `answerAt` +
 * `at`, followed by `slots` bytes of that of slots. Returns false, without effect, if the message would have read
 * other values.
 */
export function adopt(at: usize, accounts: usize, slots: usize): bool {
  abandonMessage()
  const rows = ANSWER + at
  return adoptFootprint(rows, rows + accounts, rows + accounts + slots)
}

/** Hashes `length` bytes at `answerAt` to the 32 bytes at `resultAt`. */
export function hash(length: u32): void {
  keccak256(ANSWER, length, resultAt)
}

/**
 * Recovers the signer of digest, r and s (32 bytes each at `answerAt`) to the 20 bytes at `resultAt`. Returns false
 * if the signature is invalid.
 */
export function recover(yParity: u32): bool {
  return recoverAddress(ANSWER, yParity, ANSWER + 32, ANSWER + 64, resultAt)
}
