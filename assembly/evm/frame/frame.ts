import {
  CODE_DEPOSIT_GAS,
  CODE_STARTS_WITH_EF,
  CODE_TOO_LARGE,
  NONE,
  REVERTED,
} from '../../generated/fault'
import { CREATE, DELEGATECALL, STATICCALL } from '../../generated/frame-kind'
import { codeDepositByteGas, codeDepositWordGas, STATE_BYTE } from '../../generated/gas'
import { maxCode } from '../../generated/limit'
import { AMSTERDAM, HOMESTEAD, LONDON, SPURIOUS_DRAGON } from '../../generated/revision'
import { FRAME_SIZE, FRAMES, MEMORIES, RETURN_DATA, STACKS } from '../../layout'
import {
  emitEnter,
  emitExit,
  emitMemory,
  isTracing,
  keepsMemory,
  setStepRefund,
} from '../../trace/trace-buffer'
import { copyBytes } from '../../u256/bytes'
import { copyWord, readAddress, setWord } from '../../u256/word'
import { setEnding } from '../machine/ending'
import { makeRoom, memoryBase, memoryLimit, memorySize, setMemory } from '../machine/memory'
import { keepReturnData, returnSize, setExhausted, setReturnSize } from '../machine/registers'
import { mergeState, resetBudget, takeState, unwindState } from '../machine/state-gas'
import { revision } from '../revision'
import { setCode } from '../state/account'
import {
  addCode,
  BYTES,
  bitmapOf,
  executableOf,
  LENGTH,
  makeExecutable,
  padCode,
} from '../state/code'
import { journalMark, undoTo } from '../state/journal'
import { logCount, logsStart, resetLogs } from '../state/log-records'

/** Details of a size beyond its limit have the limit above this bit. */
export const LIMIT_SHIFT: u64 = 40

// Fields of a frame
export const PC: usize = 0
export const SP: usize = 4
export const GAS: usize = 8
const MEMORY_BASE: usize = 16
/** Stack pointer of the empty stack. */
export const STACK: usize = 20
const MEMORY_SIZE: usize = 24
/** The code's bytes, padded. */
export const CODE_BYTES: usize = 32
export const EXECUTABLE: usize = 36
export const CODE_LENGTH: usize = 40
export const KIND: usize = 44
/** Account whose storage and balance the code uses. */
export const SELF: usize = 48
export const CALLER: usize = 52
/** Called account: the callee in traces. */
export const CALLEE: usize = 56
export const IS_STATIC: usize = 60
export const INPUT: usize = 64
export const INPUT_SIZE: usize = 68
/** Range of the output in the parent's memory. */
const OUTPUT: usize = 72
const OUTPUT_SIZE: usize = 76
const JOURNAL_MARK: usize = 80
const LOGS_MARK: usize = 84
const LOG_COUNT: usize = 88
/** Precompile that answers this frame; 0 if it runs code, HOST if the host answers. */
export const PRECOMPILE: usize = 92
const REFUND: usize = 96
const GAS_GIVEN: usize = 104
export const BITMAP: usize = 112
/** Set while the frame waits for the host's result. */
export const IS_ASKED: usize = 116
export const VALUE: usize = 128
/** The frame's state gas (machine/state-gas.ts). */
export const BUDGET: usize = 160

/** The transaction around its first frame: only GAS and BUDGET have a meaning. */
export const TRANSACTION: usize = FRAMES

/** The running frame, or 0. */
export let top: usize = 0
export let depth: i32 = -1

/** Gas to refund at the end (EIP-3529). It may be negative in between (EIP-1283). */
export let refund: i64 = 0

/** End of the transaction's own frame: its fault, the detail of the fault's message, and the gas left. */
export let rootError: i32 = NONE
export let rootDetail: u64 = 0
export let rootGas: i64 = 0

export function addRefund(amount: i64): void {
  refund += amount
  // geth counts an opcode's refund when it takes the gas, before it reports the step
  setStepRefund(refund)
}

export function resetFrames(): void {
  top = 0
  depth = -1
  store<i64>(TRANSACTION, 0, GAS)
  resetBudget(TRANSACTION + BUDGET)
  refund = 0
  rootError = NONE
  rootDetail = 0
  rootGas = 0
  setMemory(MEMORIES, 0)
  setReturnSize(0)
  setEnding(false)
}

/** Ends the transaction before its frame begins, with all gas used. */
export function endWithoutFrame(error: i32): void {
  unwindState(TRANSACTION + BUDGET, error, 0)
  rootError = error
  rootGas = 0
}

/** Returns the first free byte above the running frame's memory. */
function memoryTop(): usize {
  return memoryBase + usize(memorySize)
}

/** Saves the running frame's registers while another frame runs, or while the host is asked. */
export function suspend(pc: usize, sp: usize, gas: i64): void {
  store<u32>(top, u32(pc), PC)
  store<u32>(top, u32(sp), SP)
  store<i64>(top, gas, GAS)
  store<u32>(top, u32(memoryBase), MEMORY_BASE)
  store<u64>(top, memorySize, MEMORY_SIZE)
}

/**
 * Pushes a frame on top of the suspended one. This takes the journal mark that the frame may revert to, so the caller
 * moves the value afterwards, then calls `runCode`, `runInitcode` or `runPrecompileFrame`.
 */
export function pushFrame(
  kind: u32,
  self: usize,
  caller: usize,
  callee: usize,
  value: usize,
  gas: u64,
  input: usize,
  inputSize: u32,
  output: usize,
  outputSize: u32,
  isStatic: bool,
): void {
  const stack: usize = top == 0 ? STACKS : load<u32>(top, SP)
  const base = (memoryTop() + 31) & ~31
  depth++
  top = FRAMES + usize(depth + 1) * FRAME_SIZE
  store<u32>(top, u32(stack), SP)
  store<u32>(top, u32(stack), STACK)
  store<i64>(top, i64(gas), GAS)
  store<u32>(top, kind, KIND)
  store<u32>(top, u32(self), SELF)
  store<u32>(top, u32(caller), CALLER)
  store<u32>(top, u32(callee), CALLEE)
  store<u32>(top, isStatic ? 1 : 0, IS_STATIC)
  store<u32>(top, u32(input), INPUT)
  store<u32>(top, inputSize, INPUT_SIZE)
  store<u32>(top, u32(output), OUTPUT)
  store<u32>(top, outputSize, OUTPUT_SIZE)
  store<u32>(top, u32(journalMark()), JOURNAL_MARK)
  store<u32>(top, u32(logsStart), LOGS_MARK)
  store<u32>(top, logCount, LOG_COUNT)
  store<i32>(top, 0, PRECOMPILE)
  store<u32>(top, 0, IS_ASKED)
  store<i64>(top, refund, REFUND)
  store<u64>(top, gas, GAS_GIVEN)
  resetBudget(top + BUDGET)
  if (value == 0) setWord(top + VALUE, 0)
  else copyWord(top + VALUE, value)
  setMemory(base, 0)
  setReturnSize(0)
  if (isTracing) {
    // For a DELEGATECALL, traces name the contract that delegates, not the sender it passes on
    const from = kind == DELEGATECALL ? self : caller
    const shown: usize = kind == STATICCALL ? 0 : top + VALUE
    emitEnter(kind, depth, from, callee, shown, gas, input, inputSize)
  }
}

/** Sets the pushed frame to run the code of a record. */
export function runCode(code: usize): void {
  const executable = executableOf(code)
  const length = load<u32>(code, LENGTH)
  store<u32>(top, u32(code + BYTES), CODE_BYTES)
  store<u32>(top, u32(executable), EXECUTABLE)
  store<u32>(top, u32(bitmapOf(executable, length)), BITMAP)
  store<u32>(top, length, CODE_LENGTH)
  store<u32>(top, 0, PC)
  store<u32>(top, u32(memoryBase), MEMORY_BASE)
  store<u64>(top, 0, MEMORY_SIZE)
}

/** Sets the pushed frame to run its input as initcode. The executable form lies below the frame's memory. */
export function runInitcode(): void {
  const length = load<u32>(top, INPUT_SIZE)
  const room: usize = 3 * (usize(length) + 64)
  if (u64(memoryBase) + room + 32 > u64(memoryLimit) && !makeRoom(room + 32)) {
    return setExhausted(true)
  }
  const bytes = memoryBase
  const executable = bytes + padCode(bytes, load<u32>(top, INPUT), length)
  makeExecutable(executable, bytes, length)
  store<u32>(top, 0, INPUT_SIZE)
  store<u32>(top, u32(bytes), CODE_BYTES)
  store<u32>(top, u32(executable), EXECUTABLE)
  store<u32>(top, u32(bitmapOf(executable, length)), BITMAP)
  store<u32>(top, length, CODE_LENGTH)
  store<u32>(top, 0, PC)
  setMemory((bytes + room + 31) & ~31, 0)
  store<u32>(top, u32(memoryBase), MEMORY_BASE)
  store<u64>(top, 0, MEMORY_SIZE)
}

/**
 * Ends the running frame with `error` and `gasLeft`, passes the output to its parent and resumes the parent. A
 * failure other than a revert takes all gas.
 */
export function leave(error: i32, detail: u64, output: usize, size: u32, gasLeft: i64): void {
  const frame = top
  const kind = load<u32>(frame, KIND)
  const isCreation = kind >= CREATE
  if (isCreation && error == NONE) {
    const words = (u64(size) + 31) >> 5
    const cost = u64(size) * codeDepositByteGas(revision) + words * codeDepositWordGas(revision)
    // EIP-170; since EIP-8037 before the gas
    const isTooLarge = revision >= SPURIOUS_DRAGON && u64(size) > maxCode(revision)
    if (revision >= LONDON && size > 0 && load<u8>(output) == 0xef) {
      // EIP-3541
      error = CODE_STARTS_WITH_EF
    } else if (isTooLarge && (revision >= AMSTERDAM || cost <= u64(gasLeft))) {
      error = CODE_TOO_LARGE
      detail = (maxCode(revision) << LIMIT_SHIFT) | u64(size)
    } else if (cost > u64(gasLeft)) {
      // EIP-2; on Frontier the contract stays, without code
      if (revision >= HOMESTEAD) error = CODE_DEPOSIT_GAS
    } else {
      gasLeft -= i64(cost)
      if (revision >= AMSTERDAM) {
        gasLeft = takeState(frame + BUDGET, gasLeft, u64(size) * STATE_BYTE)
      }
      if (gasLeft < 0) error = CODE_DEPOSIT_GAS
      else setCode(load<u32>(frame, SELF), addCode(output, size, true))
    }
  }
  // Traces show the code that a failed creation could not store
  const shown = isCreation && error >= CODE_TOO_LARGE && error <= CODE_DEPOSIT_GAS ? size : 0
  if (error != NONE) {
    undoTo(load<u32>(frame, JOURNAL_MARK))
    resetLogs(load<u32>(frame, LOGS_MARK), load<u32>(frame, LOG_COUNT))
    refund = load<i64>(frame, REFUND)
    if (error != REVERTED) {
      gasLeft = 0
      size = 0
    }
    if (revision >= AMSTERDAM) gasLeft = unwindState(frame + BUDGET, error, gasLeft)
  }
  keepReturnData(output, size)
  if (isTracing) {
    const used = load<u64>(frame, GAS_GIVEN) - u64(gasLeft)
    if (shown != 0) emitExit(depth, used, error, detail, output, shown)
    else emitExit(depth, used, error, detail, RETURN_DATA, returnSize)
  }
  if (isCreation && error == NONE && depth > 0) setReturnSize(0)
  depth--
  const caller = frame - FRAME_SIZE
  let callerGas = load<i64>(caller, GAS) + gasLeft
  if (revision >= AMSTERDAM) {
    callerGas = mergeState(frame + BUDGET, caller + BUDGET, error, callerGas)
  }
  if (depth < 0) {
    top = 0
    rootError = error
    rootDetail = detail
    rootGas = error == NONE || error == REVERTED ? callerGas : 0
    return
  }
  top = caller
  store<i64>(top, callerGas, GAS)
  const result: usize = load<u32>(top, SP) + 32
  store<u32>(top, u32(result), SP)
  setMemory(load<u32>(top, MEMORY_BASE), load<u64>(top, MEMORY_SIZE))
  if (error != NONE) {
    setWord(result, 0)
  } else if (isCreation) {
    readAddress(result, load<u32>(frame, SELF))
  } else {
    setWord(result, 1)
  }
  if (!isCreation) {
    const copied = min(size, load<u32>(frame, OUTPUT_SIZE))
    const target: usize = load<u32>(frame, OUTPUT)
    copyBytes(target, RETURN_DATA, copied)
    if (keepsMemory && copied != 0) emitMemory(depth + 1, target - memoryBase, target, copied)
  }
}
