import { RING, RING_SIZE } from '../layout'

/**
 * The trace of one transaction: records one after another, which the host drains whenever a run
 * stops for it. Each begins with its kind (u32) and its size (u32), a multiple of 8.
 *
 * enter: frame kind u32, depth u32, gas u64, from 20, to 20, has value u32, payload at u32,
 *        payload size u32, padding 4; the value as a word; the payload.
 * exit:  error u32, depth u32, gas used u64, detail u64, payload at u32, payload size u32; then
 *        the payload.
 * log:   payload at u32, payload size u32; the log as in evm/log.ts.
 * step:  see `emitStep`.
 *
 * A payload that would crowd the ring stays where it is in memory (`payload at` is then not 0), and
 * the run stops for the host to read it before anything can overwrite it.
 */
export const ENTER: u32 = 1
export const EXIT: u32 = 2
export const LOG: u32 = 3
export const STEP: u32 = 4

const ENTER_SIZE: usize = 8 + 72 + 32
const EXIT_SIZE: usize = 8 + 32
const LOG_SIZE: usize = 8 + 8
const STEP_SIZE: usize = 88
/** Payloads up to this are copied into the ring. */
const INLINE: u32 = 4096
/** Room that the events of one instruction may take. */
const RESERVE: usize = 32 * 1024

/** What to record; steps only in the traced loop. */
export let isTracing: bool = false
export let isStepping: bool = false

let head: usize = RING
let drainDue: bool = false

export function beginTrace(calls: bool, steps: bool): void {
  isTracing = calls
  isStepping = steps
  head = RING
  drainDue = false
}

/** Bytes that wait in the ring. */
export function traceSize(): u32 {
  return u32(head - RING)
}

/** The host has read the ring. */
export function drained(): void {
  head = RING
  drainDue = false
  step = 0
}

// @ts-ignore: decorator
@inline
export function isDrainDue(): bool {
  return drainDue
}

/** Appends a record's payload, or refers to it; `field` holds its place and size. */
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
  if (head + RESERVE > RING + RING_SIZE) drainDue = true
}

/** `value` 0 where the frame has none. */
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

/** `log` is a record of evm/log.ts. */
export function emitLog(log: usize, size: u32): void {
  const record = head
  store<u32>(record, LOG)
  finish(record, 8, LOG_SIZE, log, size)
}

/** The step being executed, until its cost is known. */
let step: usize = 0

// @ts-ignore: decorator
@inline
export function hasRoomForStep(): bool {
  return head + RESERVE <= RING + RING_SIZE
}

/**
 * Records an opcode about to run: kind, size; opcode u32, depth u32; pc u32, memory size u32; gas
 * u64, cost u64, refund i64; stack height u32, fault u32; the word on top of the stack. With the
 * words that earlier opcodes took and left, the tops of all steps give the whole stack.
 */
export function emitStep(
  opcode: u32,
  depth: i32,
  pc: u32,
  gas: i64,
  refund: i64,
  memorySize: u32,
  height: u32,
  word: usize,
): void {
  const record = head
  store<u32>(record, STEP)
  store<u32>(record, STEP_SIZE, 4)
  store<u32>(record, opcode, 8)
  store<u32>(record, depth, 12)
  store<u32>(record, pc, 16)
  store<u32>(record, memorySize, 20)
  store<i64>(record, gas, 24)
  store<u64>(record, 0, 32)
  store<i64>(record, refund, 40)
  store<u32>(record, height, 48)
  store<u32>(record, 0, 52)
  if (height != 0) memory.copy(record + 56, word, 32)
  step = record
  head = record + STEP_SIZE
}

/** Writes the cost of the last step, once. */
export function setStepCost(cost: u64): void {
  if (step == 0) return
  store<u64>(step, cost, 32)
  step = 0
}

/** Writes what there is to refund once the gas of the step being executed is taken. */
export function setStepRefund(refund: i64): void {
  if (step != 0) store<i64>(step, refund, 40)
}

/** Marks the last step as the one that failed. */
export function setStepFault(error: i32): void {
  if (step != 0) store<u32>(step, error, 52)
}

/** Takes the last step back: its opcode waits for the host and is dispatched again. */
export function dropStep(): void {
  head = step
  step = 0
}
