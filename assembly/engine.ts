/**
 * The execution engine: a machine that imports nothing. The host writes a block, then a message,
 * calls `run`, answers what it asks for and calls `run` again; engine.wit describes the protocol.
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
import { writeExtents } from './evm/message/extents'
import { adoptFootprint, writeFootprint } from './evm/message/footprint'
import { abandonMessage, beginMessage, runMessage } from './evm/message/message'
import { writeReceipt } from './evm/message/receipt'
import { wordsTaken } from './evm/opcode'
import { revision, setRevision } from './evm/revision'
import { pending } from './evm/signal'
import { clearAccounts, insertAccount } from './evm/state/account'
import { ageCodes, BYTES, clearCodes, findCode, insertCode, LENGTH } from './evm/state/code'
import { writeAccessed, writeDiff } from './evm/state/diff'
import { seedHashes } from './evm/state/hash-index'
import { peekAccountRecord, peekSlotValue } from './evm/state/peek'
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

// Scratch that grew into the memory map would be overwritten by the host: no such build may start.
if (__heap_base > STATIC_END) unreachable()

// Addresses at which the host reads and writes
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
/** Names of the opcodes, by the host: 48 bytes each, the first being how many follow. */
export const stepNamesAt: usize = STEP_NAMES
/** A step as text: its parts, and its stack (trace/step-json.ts). */
export const stepTextAt: usize = STEP_TEXT
export const stepStackAt: usize = STACK

/** Result of the last `run`. */
let status: i32 = DONE
/** Set between an answer and the `run` that uses it. */
let isAnswered: bool = false
/** Set where an operation of the host waits for a read, or for the trace to be drained. */
let isStalled: bool = false

/**
 * Starts a block, as written at `blockAt`: what earlier blocks left in the caches is dropped, code
 * kept.
 */
export function beginBlock(): void {
  abandonMessage()
  clearSlots()
  clearAccounts()
  clearBlockHashes()
  seedHashes(load<u64>(HASH_SEED))
  const next = load<i32>(BLOCK_REVISION)
  if (next != revision) {
    // Executable forms depend on the revision
    setRevision(next)
    clearCodes()
  } else {
    ageCodes()
  }
  status = DONE
}

/** Drops the code of earlier blocks too, so that every byte used is asked for again. */
export function forgetCode(): void {
  clearCodes()
}

/** Starts the message at `messageAt`. */
export function beginTransaction(): void {
  abandonMessage()
  beginMessage()
  isStalled = false
  status = -1
}

/** Gives up the message being run, and its effects. */
export function abandon(): void {
  abandonMessage()
  status = DONE
}

/**
 * Goes on for at most `fuel` jumps and calls; long hashes and precompiles use two units of it for each unit of
 * their gas. Returns why it stopped: 0 done, 1 to 4 a read, 5 a call for the host, 6 trace full, 7 fuel used up; 8 and 9 are engine
 * errors, and the run is discarded.
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
  status = runMessage(fuel)
  if (exhausted) status = EXHAUSTED
  if (status >= EXHAUSTED) abandonMessage()
  else if (status == CALL_HOST) describeCall()
  return status
}

/**
 * Answers a read with the `length` bytes at `answerAt`; 0 = absent. False when the engine asked for
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
 * Performs the operation of `length` bytes at `answerAt` (evm/frame/host-operation.ts) for the call that the host is
 * asked for; a read writes its result to `resultAt`. 1 where it is done; 0 where `run` must go first, which asks for
 * what is missing and then for the same call again; -1 where it is refused.
 */
export function perform(length: i32): i32 {
  if (status != CALL_HOST || isAnswered || isStalled || !isAsked()) return REFUSED
  if (length < 0 || usize(length) > ANSWER_SIZE) return REFUSED
  const performed = performOperation(ANSWER, length, resultAt)
  isStalled = performed == NOT_YET
  return performed
}

/**
 * Answers a call (HOST_RESULTS) with its `length` bytes of output at `answerAt`; of a failure, `gasUsed` is the
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
 * At `needAt`: callee 20, caller 20, is static u32, input at u32, input size u32, frame kind u32, gas
 * u64, the value as a word.
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

/** Bytes of trace at `traceAt`; the next `run` overwrites them. */
export function traceLength(): u32 {
  return traceSize()
}

/**
 * Writes the record of the account whose address is the 20 bytes at `answerAt` to `resultAt`, as it
 * stood before the step last recorded: its size 72, 0 for an absent one, -1 when the block has not
 * read it.
 */
export function peekAccount(): i32 {
  return peekAccountRecord(ANSWER, resultAt)
}

/**
 * Writes the value of the slot of that account whose key is the 32 bytes at `answerAt` + 32 to `resultAt`, as
 * it stood before the step last recorded: its size 32, 0 for zero, -1 when the block has not read it.
 */
export function peekStorage(): i32 {
  return peekSlotValue(ANSWER, ANSWER + 32, resultAt)
}

/**
 * Writes where the code lies whose hash is the 32 bytes at `answerAt`, and its size, to `resultAt`;
 * false when the engine does not have it.
 */
export function peekCode(): bool {
  const record = findCode(ANSWER)
  if (record == 0) return false
  store<u32>(resultAt, u32(record + BYTES))
  store<u32>(resultAt, load<u32>(record, LENGTH), 4)
  return true
}

/**
 * Writes the address and size of the running frame's memory, and of the output of its last call, to `resultAt`,
 * u32 each; as they stand before the next step where the run has stopped there (`pauseAfter`).
 */
export function peekFrame(): void {
  store<u32>(resultAt, u32(memoryBase))
  store<u32>(resultAt, u32(memorySize), 4)
  store<u32>(resultAt, u32(RETURN_DATA), 8)
  store<u32>(resultAt, returnSize, 12)
}

/** Records of the message that runs what `flags` name from now on, and no others; it must run in the traced loop. */
export function watch(flags: u32): void {
  trace.watch(flags)
}

/** Pauses the run, as if the trace were full, before the step after as many more. */
export function pauseAfter(steps: u32): void {
  trace.pauseAfter(steps)
}

/** True where the run has stopped for that. */
export function isPaused(): bool {
  return trace.isPaused
}

/** Writes the extents of memory that the running message may change to `resultAt`; their number. */
export function extents(): u32 {
  return writeExtents(resultAt)
}

/**
 * Writes the step whose record is at `record` of the trace as JSON (trace/step-json.ts); returns where
 * the text ends.
 */
export function encodeStep(record: usize, hasStack: bool): usize {
  return putStep(record, hasStack, wordsTaken(load<u32>(record, 8)))
}

/** Tables of what the block changed (evm/state/diff.ts). */
export function diff(): usize {
  return writeDiff()
}

/** Tables of what the last transaction touched (evm/state/diff.ts). */
export function accessed(): usize {
  return writeAccessed()
}

/**
 * Writes start and end of the table of accounts, and of that of slots, to `resultAt`, u32 each: the footprint of the
 * message that has ended, the only one of its block. False where the message has to run in its place.
 */
export function footprint(): bool {
  return writeFootprint(resultAt)
}

/**
 * Adopts a footprint in place of running its message: `accounts` bytes of the table of accounts at `answerAt` + `at`, and
 * `slots` of that of slots behind them. False, and no effect, where the message would have read other values.
 */
export function adopt(at: usize, accounts: usize, slots: usize): bool {
  abandonMessage()
  const rows = ANSWER + at
  return adoptFootprint(rows, rows + accounts, rows + accounts + slots)
}

/**
 * Hashes the receipt of the message that has ended, which ran or was adopted, to the 32 bytes at `resultAt`; `type` is
 * that of its transaction, `cumulativeGas` what the block has used up to its end. It takes the place of the message.
 * Returns the address of its bloom, 256 bytes; 0 where its logs have no room.
 */
export function receipt(type: u32, cumulativeGas: u64): usize {
  return writeReceipt(type, cumulativeGas, resultAt)
}

/** Hashes `length` bytes at `answerAt` to the 32 bytes at `resultAt`. */
export function hash(length: u32): void {
  keccak256(ANSWER, length, resultAt)
}

/**
 * Recovers the signer of digest, r and s, 32 bytes each at `answerAt`, to the 20 bytes at
 * `resultAt`; false when the signature is invalid.
 */
export function recover(yParity: u32): bool {
  return recoverAddress(ANSWER, yParity, ANSWER + 32, ANSWER + 64, resultAt)
}
