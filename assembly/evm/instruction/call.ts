import {
  CALL_GAS,
  DEPTH_EXCEEDED,
  INSUFFICIENT_BALANCE,
  OUT_OF_GAS,
  WRITE,
} from '../../generated/fault'
import { CALL, CALLCODE, DELEGATECALL, STATICCALL } from '../../generated/frame-kind'
import {
  CALL_STIPEND,
  callGas,
  callValueGas,
  coldAccountGas,
  newAccountGas,
  STATE_ACCOUNT,
  WARM_READ,
} from '../../generated/gas'
import { MAX_DEPTH } from '../../generated/limit'
import {
  AMSTERDAM,
  BERLIN,
  PRAGUE,
  SPURIOUS_DRAGON,
  TANGERINE_WHISTLE,
} from '../../generated/revision'
import { CALL_TARGET } from '../../layout'
import { precompileId } from '../../precompile/precompile'
import { emitEnter, emitExit, isDrainDue, isTracing, setStepCost } from '../../trace/trace-buffer'
import { isLess, isZero, saturate, setWord, writeAddress } from '../../u256/word'
import { HOST_FIRST, HOST_LAST, MOVED_COUNT, movedId } from '../context/block'
import {
  BUDGET,
  CALLER,
  depth,
  IS_STATIC,
  pushFrame,
  runCode,
  SELF,
  suspend,
  top,
  VALUE,
} from '../frame/frame'
import { HOST, runPrecompileFrame } from '../frame/precompile-frame'
import { failWith } from '../machine/ending'
import { expandMemory, expansionGas, hasNoPrice, rangeAt } from '../machine/memory'
import { exhausted, gas, pc, setGas, setReturnSize, setSp, sp } from '../machine/registers'
import { giveBackState, prepay, takeState } from '../machine/state-gas'
import { revision } from '../revision'
import { DRAIN, NEXT, PAUSE, SWITCH } from '../signal'
import { noteAccess } from '../state/access-list'
import {
  addBalance,
  BALANCE,
  isDead,
  isWarm,
  requireAccount,
  requireCode,
  subtractBalance,
  touch,
  warmAccount,
} from '../state/account'
import { delegate, isDelegation } from '../state/code'
import { lookUp } from '../state/lookup'
import { logTransfer } from './log'

/** Returns the id of the precompile at an address, HOST for one that the host answers, or 0. */
export function precompileAt(address: usize): i32 {
  if (load<u32>(MOVED_COUNT) != 0) {
    const moved = movedId(address)
    if (moved >= 0) return moved
  }
  return revisionPrecompileAt(address)
}

/** Returns the precompile of the revision at an address, ignoring simulations. Its address is always warm. */
@inline
function revisionPrecompileAt(address: usize): i32 {
  if (load<u64>(address) != 0 || load<u64>(address, 8) != 0) return 0
  const id = precompileId(address, revision)
  if (id != 0) return id
  const low = bswap(load<u32>(address, 16))
  return low != 0 && low >= load<u32>(HOST_FIRST) && low <= load<u32>(HOST_LAST) ? HOST : 0
}

/** Returns the gas of touching an account under EIP-2929. Precompiles are always warm. */
export function accessGas(account: usize): u64 {
  return isWarm(account) || revisionPrecompileAt(account) != 0
    ? WARM_READ
    : coldAccountGas(revision)
}

/** Ends a call that never starts: all its gas comes back, and its result is 0. */
export function refuse(
  kind: u32,
  callee: usize,
  value: usize,
  given: u64,
  input: usize,
  size: u32,
  error: i32,
  result: usize,
  gasAfter: i64,
  gasUsed: u64,
): i32 {
  if (isTracing) {
    const self: usize = load<u32>(top, SELF)
    const shown: usize = kind == STATICCALL ? 0 : value
    emitEnter(kind, depth + 1, self, callee, shown, given, input, size)
    emitExit(depth + 1, gasUsed, error, 0, 0, 0)
  }
  setWord(result, 0)
  setSp(result)
  setGas(gasAfter)
  return isDrainDue() ? DRAIN : NEXT
}

/** CALL, CALLCODE, DELEGATECALL and STATICCALL; `kind` is a frame kind. */
export function call(kind: u32): i32 {
  const frame = top
  const self: usize = load<u32>(frame, SELF)
  const hasValue = kind <= CALLCODE
  const valueWord = hasValue ? sp - 64 : frame + VALUE
  const ranges = hasValue ? sp - 96 : sp - 64
  const result = ranges - 96
  const isStatic = load<u32>(frame, IS_STATIC) != 0
  const transfers = hasValue && !isZero(valueWord)

  writeAddress(CALL_TARGET, sp - 32)
  const callee = requireAccount(CALL_TARGET)
  if (callee == 0) return PAUSE
  let code = requireCode(callee)
  if (code == 0) return PAUSE
  let delegated: usize = 0
  if (revision >= PRAGUE && isDelegation(code)) {
    // EIP-7702: delegation is followed once, even if the delegate also delegates
    delegated = requireAccount(delegate(code))
    if (delegated == 0) return PAUSE
    code = requireCode(delegated)
    if (code == 0) return PAUSE
  }

  const input = saturate(ranges)
  const inputSize = saturate(ranges - 32)
  const output = saturate(ranges - 64)
  const outputSize = saturate(ranges - 96)
  if (u64(gas) < (revision >= BERLIN ? WARM_READ : callGas(revision))) return failWith(OUT_OF_GAS)
  let cost = max(expansionGas(input, inputSize), expansionGas(output, outputSize))
  const isRefused = kind == CALL && isStatic && transfers
  if (isRefused && revision >= PRAGUE) return failWith(OUT_OF_GAS, WRITE)
  const access = revision >= BERLIN ? accessGas(callee) : callGas(revision)
  if (u64(gas) < access) return failWith(OUT_OF_GAS, CALL_GAS)
  if (isRefused) return failWith(OUT_OF_GAS, WRITE)
  if (cost == u64.MAX_VALUE) {
    return failWith(OUT_OF_GAS, revision < BERLIN || hasNoPrice() ? 0 : CALL_GAS)
  }
  if (transfers) cost += callValueGas(revision)
  let delegation: u64 = 0
  if (delegated != 0) delegation = delegated == callee ? WARM_READ : accessGas(delegated)
  // As in geth (core/vm/operations_acl.go): the part that depends on no state must be affordable by itself
  const rest = u64(gas) - access
  if (rest >= cost) noteAccess(callee)
  if (revision >= BERLIN && rest < max(cost, delegation)) return failWith(OUT_OF_GAS, CALL_GAS)
  cost += access + delegation
  if (kind == CALL && (transfers || revision < SPURIOUS_DRAGON) && isDead(callee)) {
    cost += newAccountGas(revision)
  }
  if (cost > u64(gas)) return failWith(OUT_OF_GAS, revision >= PRAGUE ? CALL_GAS : 0)

  if (delegated != 0) noteAccess(delegated)

  let available = u64(gas) - cost
  let prepaid: u64 = 0
  if (revision >= AMSTERDAM && kind == CALL && transfers && isDead(callee)) {
    const left = takeState(frame + BUDGET, i64(available), STATE_ACCOUNT)
    if (left < 0) return failWith(OUT_OF_GAS, CALL_GAS)
    available = u64(left)
    prepaid = STATE_ACCOUNT
  }
  let given = saturate(sp)
  if (revision >= TANGERINE_WHISTLE) {
    // EIP-150: one 64th stays
    given = min(given, available - available / 64)
  } else if (given > available) {
    return failWith(OUT_OF_GAS)
  }
  const left = i64(available - given)
  setStepCost(cost + given)
  lookUp(callee)
  if (delegated != 0) lookUp(delegated)
  if (transfers) given += CALL_STIPEND
  if (revision >= BERLIN) {
    warmAccount(callee)
    if (delegated != 0) warmAccount(delegated)
  }
  expandMemory(input, inputSize)
  expandMemory(output, outputSize)
  if (exhausted) return NEXT
  const inputAt = rangeAt(input, inputSize)
  setReturnSize(0)

  let error = 0
  if (depth >= MAX_DEPTH) error = DEPTH_EXCEEDED
  else if (transfers && isLess(self + BALANCE, valueWord)) error = INSUFFICIENT_BALANCE
  if (error != 0) {
    let gasAfter = left + i64(given)
    if (prepaid != 0) gasAfter = giveBackState(frame + BUDGET, gasAfter, prepaid)
    return refuse(
      kind,
      callee,
      valueWord,
      given,
      inputAt,
      u32(inputSize),
      error,
      result,
      gasAfter,
      0,
    )
  }

  suspend(pc + 1, result - 32, left)
  const runsElsewhere = kind == CALL || kind == STATICCALL
  pushFrame(
    kind,
    runsElsewhere ? callee : self,
    kind == DELEGATECALL ? usize(load<u32>(frame, CALLER)) : self,
    callee,
    kind == STATICCALL ? 0 : valueWord,
    given,
    inputAt,
    u32(inputSize),
    rangeAt(output, outputSize),
    u32(outputSize),
    isStatic || kind == STATICCALL,
  )
  if (prepaid != 0) prepay(top + BUDGET, prepaid)
  if (kind == CALL && transfers) {
    subtractBalance(self, valueWord)
    addBalance(callee, valueWord)
    logTransfer(self, callee, valueWord)
  } else if (runsElsewhere) {
    touch(callee)
  }
  const id = precompileAt(CALL_TARGET)
  if (id != 0) runPrecompileFrame(id)
  else runCode(code)
  return SWITCH
}
