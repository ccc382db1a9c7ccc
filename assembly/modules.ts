/**
 * The entry of modules.wasm: this chain's own precompiles, each a function over the state as the call sees it. The
 * host writes the call (module/call.ts) and its input, and calls `begin`. It then calls `run` until that returns 0;
 * any other result is the number of missing reads. Each is at `missingAt`: the engine performs it, the host writes
 * its result after the operation, and `answer` takes it. `run` restarts the call each time with the values known so
 * far. The outcome is at `outcomeAt`: result (HOST_RESULTS), padding 4, gas used u64, output at u32, output size u32,
 * effects at u32, effects end u32.
 */

import { CALL as CALL_KIND } from './generated/frame-kind'
import { FAILED, OUT_OF_GAS as RAN_OUT, REVERTED, SUCCEEDED } from './generated/host-call'
import { STATIC_END as ENGINE_STATIC_END, SCRATCH, SCRATCH_SIZE } from './layout'
import { runAddr } from './module/addr'
import { runBank } from './module/bank'
import {
  beginCall,
  calledId,
  gasUsed,
  IS_STATIC,
  isRunning,
  KIND,
  OUT_OF_GAS,
  REVERTING,
  RUNNING,
  SIZE,
  selector,
  state,
  VALUE,
} from './module/call'
import {
  ADDR_ID,
  BANK_ID,
  flagsOf,
  JSON_ID,
  lackOf,
  NEEDS_DOWNTIME,
  nameOf,
  P256_ID,
  PAYABLE,
  STAKING_ID,
  VIEW,
} from './module/generated/function'
import { runJson } from './module/json'
import {
  CALL,
  EFFECTS,
  INPUT,
  INPUT_SIZE,
  OUTCOME,
  OUTPUT,
  RESULT_OFFSET,
  ROW_TEXT,
  ROW_TEXT_SIZE,
  STATIC_END,
} from './module/layout'
import { runP256 } from './module/p256'
import { runStaking } from './module/staking'
import { DOWNTIME, totalKey } from './module/staking-rows'
import {
  addChangedRows,
  beginRun,
  effectsEnd,
  forgetReads,
  hasRow,
  missingRead,
  missingReads,
  takeAnswer,
} from './module/state'
import {
  addHex,
  addNumber,
  addText,
  beginText,
  fail,
  outputSize,
  revertWithText,
  setOutputSize,
} from './module/text'
import { isZero } from './u256/word'

// A call would overwrite static data that reaches into the memory map, so such a build must not start.
if (__heap_base > STATIC_END || ROW_TEXT + ROW_TEXT_SIZE > ENGINE_STATIC_END) unreachable()
if (SCRATCH + SCRATCH_SIZE > usize(memory.size()) << 16) unreachable()

export const callAt: usize = CALL
export const inputAt: usize = INPUT
/** The host writes at most this much of a longer input, and the call reverts. */
export const inputSize: usize = INPUT_SIZE
export const outcomeAt: usize = OUTCOME
/** Offset of the result from the operation of a missing read. */
export const resultOffset: usize = RESULT_OFFSET

/** Starts the call that the host wrote. */
export function begin(): void {
  forgetReads()
}

/** Returns the first missing read. */
export function missingAt(): usize {
  return missingRead()
}

/** Takes the result of the first missing read, which the host has written. */
export function answer(): void {
  takeAnswer()
}

/** Runs the call. Returns the number of missing reads, or 0 when the call has ended. */
export function run(): u32 {
  beginRun()
  setOutputSize(0)
  beginCall()
  if (isAdmitted()) dispatch(calledId(), selector())
  if (missingReads() != 0) return missingReads()
  if (state == RUNNING) addChangedRows()
  writeOutcome()
  return 0
}

function writeOutcome(): void {
  store<i32>(OUTCOME, resultOf(state))
  store<u64>(OUTCOME, gasUsed(), 8)
  store<u32>(OUTCOME, u32(OUTPUT), 16)
  store<u32>(OUTCOME, u32(outputSize), 20)
  store<u32>(OUTCOME, u32(EFFECTS), 24)
  store<u32>(OUTCOME, u32(effectsEnd), 28)
}

function resultOf(ending: i32): i32 {
  if (ending == RUNNING) return SUCCEEDED
  if (ending == REVERTING) return REVERTED
  return ending == OUT_OF_GAS ? RAN_OUT : FAILED
}

function failOf(id: u32, text: string): bool {
  beginText()
  addText(nameOf(id))
  addText(text)
  revertWithText()
  return false
}

/** Applies the rules common to all precompiles. Returns false if one ended the call. */
function isAdmitted(): bool {
  if (!isRunning()) return false
  const id = calledId()
  const lack = lackOf(id)
  if (lack.length != 0) {
    beginText()
    addText('this chain has ')
    addText(lack)
    addText(' (precompile ')
    addText(nameOf(id))
    addText(')')
    revertWithText()
    return false
  }
  const size = load<u32>(SIZE)
  if (usize(size) > INPUT_SIZE) {
    beginText()
    addText('the input has more than ')
    addNumber(INPUT_SIZE)
    addText(' bytes')
    revertWithText()
    return false
  }
  if (size < 4) return failOf(id, ': the input is shorter than a function selector')
  const flags = flagsOf(id, selector())
  // Chains without the feature answer as they did before it existed, for the same gas
  const isLacking = (flags & NEEDS_DOWNTIME) != 0 && !hasRow(STAKING_ID, totalKey(DOWNTIME))
  if (flags == 0 || isLacking) {
    beginText()
    addText(nameOf(id))
    addText(' has no function ')
    addHex(INPUT, 4)
    revertWithText()
    return false
  }
  const kind = load<u32>(KIND)
  if ((flags & VIEW) == 0) {
    if (load<u32>(IS_STATIC) != 0) return failOf(id, ': the function cannot be called statically')
    if (kind != CALL_KIND)
      return failOf(id, ': the function cannot be called by DELEGATECALL or CALLCODE')
  }
  if ((flags & PAYABLE) == 0 && kind == CALL_KIND && !isZero(VALUE)) {
    return failOf(id, ': the function takes no value')
  }
  return true
}

/** Each row of tools/tables/chain-precompile.ts with functions has its case here. */
function dispatch(id: u32, selector: u32): void {
  switch (id) {
    case BANK_ID:
      return runBank(selector)
    case JSON_ID:
      return runJson(selector)
    case ADDR_ID:
      return runAddr(selector)
    case P256_ID:
      return runP256(selector)
    case STAKING_ID:
      return runStaking(selector)
    default:
      return fail('the precompile has no implementation')
  }
}
