import { STACK_WORDS } from '../generated/limit'
import {
  TRACE_CALLS,
  TRACE_EACH,
  TRACE_LOGS,
  TRACE_MEMORY,
  TRACE_STACK,
  TRACE_STEPS,
} from '../generated/message-flag'
import { SLOAD, SSTORE, TLOAD, TSTORE } from '../generated/opcode'
import { ACCOUNT, ENTER, EXIT, LOG, MEMORY, SLOT, STEP } from '../generated/trace-record'
import { TRACE_BUFFER, TRACE_BUFFER_SIZE } from '../layout'
import { copyWord } from '../u256/word'
import { beginText } from './step-json'

/**
 * The trace of one transaction: consecutive records, which the host drains whenever a run stops for it. Each begins
 * with its kind (u32) and its size (u32), a multiple of 8.
 *
 * enter: frame kind u32, depth u32, gas u64, from 20, to 20, has value u32, payload at u32,
 *        payload size u32, padding 4; the value as a word; the payload.
 * exit: error u32, depth u32, gas used u64, detail u64, payload at u32, payload size u32; then
 *        the payload.
 * log: payload at u32, payload size u32; the log as in evm/state/log-records.ts. step: see `emitStep`. memory: depth
 * u32, padding 4, offset u64, payload at u32, payload size u32; then the bytes that an
 *        opcode, or the end of a call, has written into the memory of the frame at `depth`.
 * account: is after u32, is destroyed u32, nonce u64, balance word, code hash 32, address 20, payload
 *        at u32, payload size u32, padding 4; the code.
 * slot: is after u32, padding 4, address 20, padding 4, key word, value word.
 *
 * A payload too large for the trace buffer stays at its address in memory (`payload at` is then not 0). The run stops
 * for the host to read it before anything can overwrite it.
 */

const ENTER_SIZE: usize = 8 + 72 + 32
const EXIT_SIZE: usize = 8 + 32
const LOG_SIZE: usize = 8 + 8
const ACCOUNT_SIZE: usize = 8 + 120
const SLOT_SIZE: usize = 8 + 96
const MEMORY_SIZE: usize = 8 + 24
/** Offset of the stack's words in the record of a step. */
const STEP_WORDS: usize = 64
/** Bytes of a stack above which `memory.copy`, though it leaves the module, is faster than a loop. */
const TALL: usize = 16 * 32
/** Payloads up to this are copied into the trace buffer. */
const INLINE: u32 = 4096
/** Space for the events of one instruction: a step with a full stack, and the records after it. */
const RESERVE: usize = STEP_WORDS + 32 * (STACK_WORDS + 2) + 4 * (256 + usize(INLINE))

/** Kinds of records that the host requested. Both loops record calls and logs; the traced loop also records steps. */
export let isTracing: bool = false
export let isLogging: bool = false
export let isStepping: bool = false
/** Steps carry the whole stack. */
let keepsStack: bool = false
/** Writes into memory are recorded. */
export let keepsMemory: bool = false
/** Bytes of memory shown by the steps in the trace buffer, which a reader that prints memory writes. */
let memoryShown: u64 = 0
/** The run stops after every step. */
let stopsEach: bool = false
const ENDLESS: u32 = u32.MAX_VALUE
/** Steps until the run pauses before the next one, and whether it has paused. */
export let stepsLeft: u32 = ENDLESS
export let isPaused: bool = false
/** Accounts and slots are recorded as opcodes look them up (evm/state/lookup.ts), in either loop. */
export let isLooking: bool = false

let head: usize = TRACE_BUFFER
let drainDue: bool = false

/** Records the kinds in `flags` (generated/message-flag.ts) from now on. */
export function watch(flags: u32): void {
  isTracing = (flags & TRACE_CALLS) != 0
  isLogging = (flags & TRACE_LOGS) != 0
  isStepping = (flags & TRACE_STEPS) != 0
  keepsStack = (flags & TRACE_STACK) != 0
  keepsMemory = (flags & TRACE_MEMORY) != 0
  stopsEach = (flags & TRACE_EACH) != 0
}

export function beginTrace(flags: u32): void {
  watch(flags)
  head = TRACE_BUFFER
  drainDue = false
  step = 0
  stepsLeft = ENDLESS
  isPaused = false
}

export function pauseAfter(steps: u32): void {
  stepsLeft = steps
}

export function notePause(): void {
  isPaused = true
}

export function beginLooking(state: bool): void {
  isLooking = state
}

/** Returns the bytes in the trace buffer. */
export function traceSize(): u32 {
  return u32(head - TRACE_BUFFER)
}

/** Empties the trace buffer after the host has read it. */
export function drained(): void {
  isPaused = false
  beginText()
  head = TRACE_BUFFER
  memoryShown = 0
  drainDue = false
  step = 0
}

@inline
export function isDrainDue(): bool {
  return drainDue
}

/** Appends a record's payload, or refers to it. `field` receives its address and size. */
function finish(record: usize, field: usize, fixed: usize, payload: usize, size: u32): void {
  let end = record + fixed
  store<u32>(record + field, 0)
  store<u32>(record + field, size, 4)
  if (size <= INLINE) {
    memory.copy(end, payload, size)
    end = (end + size + 7) & ~7
  } else {
    store<u32>(record + field, u32(payload))
    drainDue = true
  }
  store<u32>(record, u32(end - record), 4)
  head = end
  if (head + RESERVE > TRACE_BUFFER + TRACE_BUFFER_SIZE) drainDue = true
}

/** `value` is 0 if the frame has none. */
export function emitEnter(
  kind: u32,
  depth: i32,
  from: usize,
  to: usize,
  value: usize,
  gas: u64,
  input: usize,
  size: u32,
): void {
  const record = head
  store<u32>(record, ENTER)
  store<u32>(record, kind, 8)
  store<u32>(record, depth, 12)
  store<u64>(record, gas, 16)
  memory.copy(record + 24, from, 20)
  memory.copy(record + 44, to, 20)
  store<u32>(record, value == 0 ? 0 : 1, 64)
  if (value != 0) memory.copy(record + 80, value, 32)
  finish(record, 68, ENTER_SIZE, input, size)
}

export function emitExit(
  depth: i32,
  gasUsed: u64,
  error: i32,
  detail: u64,
  output: usize,
  size: u32,
): void {
  const record = head
  store<u32>(record, EXIT)
  store<u32>(record, error, 8)
  store<u32>(record, depth, 12)
  store<u64>(record, gasUsed, 16)
  store<u64>(record, detail, 24)
  finish(record, 32, EXIT_SIZE, output, size)
}

/** `log` is a record of evm/state/log-records.ts. */
export function emitLog(log: usize, size: u32): void {
  const record = head
  store<u32>(record, LOG)
  finish(record, 8, LOG_SIZE, log, size)
}

/** Records an account; `code` has `size` bytes. */
export function emitAccount(
  isAfter: bool,
  isDestroyed: bool,
  address: usize,
  nonce: u64,
  balance: usize,
  codeHash: usize,
  code: usize,
  size: u32,
): void {
  const record = head
  store<u32>(record, ACCOUNT)
  store<u32>(record, isAfter ? 1 : 0, 8)
  store<u32>(record, isDestroyed ? 1 : 0, 12)
  store<u64>(record, nonce, 16)
  memory.copy(record + 24, balance, 32)
  memory.copy(record + 56, codeHash, 32)
  memory.copy(record + 88, address, 20)
  finish(record, 108, ACCOUNT_SIZE, code, size)
}

/** Records the slot `key` of the account at `address`; both are words. */
export function emitSlot(isAfter: bool, address: usize, key: usize, value: usize): void {
  const record = head
  store<u32>(record, SLOT)
  store<u32>(record, u32(SLOT_SIZE), 4)
  store<u32>(record, isAfter ? 1 : 0, 8)
  memory.copy(record + 16, address, 20)
  memory.copy(record + 40, key, 32)
  memory.copy(record + 72, value, 32)
  head = record + SLOT_SIZE
  if (head + RESERVE > TRACE_BUFFER + TRACE_BUFFER_SIZE) drainDue = true
}

export function hasRoomForState(): bool {
  return head + RESERVE <= TRACE_BUFFER + TRACE_BUFFER_SIZE
}

/** `offset` is that of the bytes in the frame's memory, `bytes` their address. */
export function emitMemory(depth: i32, offset: u64, bytes: usize, size: u32): void {
  const record = head
  store<u32>(record, MEMORY)
  store<u32>(record, depth, 8)
  store<u64>(record, offset, 16)
  finish(record, 24, MEMORY_SIZE, bytes, size)
}

/** The step being executed, until its cost is known. */
let step: usize = 0

/**
 * Records an opcode about to run: kind, size; opcode u32, depth u32; pc u32, memory size u32; gas u64, cost u64,
 * refund i64; stack height u32, fault u32; fault detail u64. Then the words of the stack follow, lowest first, if
 * requested. SLOAD, SSTORE, TLOAD and TSTORE add two more: the slot, and the value that SLOAD reads or that is to be
 * written.
 */
export function emitStep(
  opcode: u32,
  depth: i32,
  pc: u32,
  gas: i64,
  refund: i64,
  memorySize: u32,
  base: usize,
  sp: usize,
): void {
  const record = head
  let end = record + STEP_WORDS
  store<u32>(record, STEP)
  store<u32>(record, opcode, 8)
  store<u32>(record, depth, 12)
  store<u32>(record, pc, 16)
  store<u32>(record, memorySize, 20)
  store<i64>(record, gas, 24)
  store<u64>(record, 0, 32)
  store<i64>(record, refund, 40)
  store<u32>(record, u32((sp - base) >> 5), 48)
  store<u32>(record, 0, 52)
  store<u64>(record, 0, 56)
  if (keepsStack) {
    const size = sp - base
    if (size > TALL) memory.copy(end, base + 32, size)
    else for (let at: usize = 0; at < size; at += 32) copyWord(end + at, base + 32 + at)
    end += size
  }
  const isRead = opcode == SLOAD || opcode == TLOAD
  const isWrite = opcode == SSTORE || opcode == TSTORE
  if ((isRead && sp > base) || (isWrite && sp > base + 32)) {
    copyWord(end, sp)
    copyWord(end + 32, isWrite ? sp - 32 : sp)
    end += 64
  }
  store<u32>(record, u32(end - record), 4)
  step = record
  stepsLeft--
  head = end
  if (stopsEach || end + RESERVE > TRACE_BUFFER + TRACE_BUFFER_SIZE) drainDue = true
  if (keepsMemory) {
    memoryShown += memorySize
    if (memoryShown > u64(TRACE_BUFFER_SIZE)) drainDue = true
  }
}

/** Writes the value read by the step being executed, an SLOAD. */
export function setStepValue(value: usize): void {
  if (step != 0) copyWord(step + usize(load<u32>(step, 4)) - 32, value)
}

/** Writes the cost of the last step, once. */
export function setStepCost(cost: u64): void {
  if (step == 0) return
  store<u64>(step, cost, 32)
  step = 0
}

/** Writes the refund after the gas of the step being executed is taken. */
export function setStepRefund(refund: i64): void {
  if (step != 0) store<i64>(step, refund, 40)
}

/** Marks the last step as the one at which its frame fails. */
export function setStepFault(error: i32, detail: u64): void {
  if (step == 0) return
  store<u32>(step, error, 52)
  store<u64>(step, detail, 56)
}

/** Removes the last step: its opcode waits for the host and is dispatched again. */
export function dropStep(): void {
  head = step
  step = 0
  stepsLeft++
  drainDue = false
}
