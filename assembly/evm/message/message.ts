import { ADDRESS_COLLISION, NONE, OUT_OF_GAS, REVERTED } from '../../generated/fault'
import { CALL, CREATE } from '../../generated/frame-kind'
import { STATE_ACCOUNT, SYSTEM_STATE } from '../../generated/gas'
import {
  MAX_TOTAL_GAS,
  MAX_TRANSACTION_GAS,
  maxInitcode,
  refundQuotient,
} from '../../generated/limit'
import * as flag from '../../generated/message-flag'
import * as rejection from '../../generated/rejection'
import { AMSTERDAM, BERLIN, OSAKA, PRAGUE, SHANGHAI } from '../../generated/revision'
import { DONE, TRACE_FULL } from '../../generated/status'
import { ACCESS_KEY, COST, FEE, LOGS_END, NEW_ADDRESS, OUTCOME, RETURN_DATA } from '../../layout'
import {
  beginLooking,
  beginTrace,
  emitEnter,
  emitExit,
  isDrainDue,
  isLooking,
  isStepping,
  isTracing,
} from '../../trace/trace-buffer'
import { clearBytes, copyAddress } from '../../u256/bytes'
import { addWords, isZero, readBytes, setWord } from '../../u256/word'
import { BLOB_BASE_FEE, COINBASE, GAS_LIMIT } from '../context/block'
import * as message from '../context/message-layout'
import {
  BLOCK_GAS,
  CREATED_ADDRESS,
  DETAIL,
  ERROR,
  GAS_REFUNDED,
  GAS_USED,
  HAS_ADDRESS,
  LOG_COUNT,
  LOGS_AT,
  OUTCOME_SIZE,
  OUTPUT_AT,
  OUTPUT_SIZE,
  REJECTION,
  STATE_GAS,
} from '../context/outcome-layout'
import {
  BUDGET,
  endWithoutFrame,
  GAS,
  pushFrame,
  refund,
  resetFrames,
  rootDetail,
  rootError,
  rootGas,
  runCode,
  TRANSACTION,
  top,
} from '../frame/frame'
import { runPrecompileFrame } from '../frame/precompile-frame'
import { accessGas, precompileAt } from '../instruction/call'
import { addressByNonce, collides, startCreation } from '../instruction/create'
import { logTransfer } from '../instruction/log'
import { interpret, Plain, Traced } from '../interpreter/interpreter'
import { returnSize, setExhausted } from '../machine/registers'
import { prepay, reservoir, setReservoir, stateGasUsed } from '../machine/state-gas'
import { revision } from '../revision'
import { END, PAUSE, pending } from '../signal'
import { beginAccesses, forgetAccesses, noteAccess } from '../state/access-list'
import {
  addBalance,
  beginSerial,
  beneficiary,
  hasCode,
  isEmpty,
  NONCE,
  noteBeneficiary,
  requireAccount,
  requireCode,
  setBeneficiary,
  setNonce,
  subtractBalance,
  touch,
  warmAccount,
} from '../state/account'
import { delegate, isDelegation } from '../state/code'
import { clearJournal, journalMark, undoTo } from '../state/journal'
import { logCount, logsStart, resetLogs } from '../state/log-records'
import { beginLookUps, canLookUp, lookUp, report } from '../state/lookup'
import { requireSlot, warmSlot } from '../state/slot'
import { clearTransients } from '../state/transient'
import { authorize, lookUpAuthority } from './authorization'
import { blobGas, canAfford, computeGasPrice, multiplyChecked, payFees } from './fee'
import { checkFields, isTypeKnown } from './field-rules'
import { commitTransaction, discardTransaction } from './finalize'
import { countData, floorGas, intrinsicGas } from './intrinsic'
import { payRuntime } from './runtime-gas'

/**
 * The transaction rules, as phases. The message can stop for the host between any two and resume there. Each phase
 * first fetches what it needs and then changes state.
 */
const IDLE = 0
const VALIDATE = 1
const LOOK_AHEAD = 2
const WARM = 3
const AUTHORIZE = 4
const START = 5
const EXECUTE = 6
const FINISH = 7
const REPORT = 8

let phase: i32 = IDLE

/** Progress of LOOK_AHEAD, WARM and AUTHORIZE. */
let index: u32 = 0
let keyIndex: u32 = 0
let cursor: usize = 0

/** The message stops before its effects are committed, and `runMessage` continues. */
let isHeld: bool = false

let sender: usize = 0
let intrinsic: u64 = 0
let floor: u64 = 0
/** Journal before the authorizations: what precedes it stays if the transaction cannot pay for its start. */
let startMark: usize = 0

/** Starts the message that the host wrote at MESSAGE. */
export function beginMessage(): void {
  beginSerial()
  clearJournal()
  clearTransients()
  resetLogs(LOGS_END, 0)
  resetFrames()
  setExhausted(false)
  beginTrace(load<u32>(message.FLAGS))
  beginLooking(message.hasMessageFlag(flag.TRACE_STATE))
  beginLookUps()
  clearBytes(OUTCOME, OUTCOME_SIZE)
  index = 0
  keyIndex = 0
  cursor = load<u32>(message.ACCESS_AT)
  beginAccesses(!message.hasMessageFlag(flag.SYSTEM))
  phase = VALIDATE
}

/** Makes the message stop, once, before its effects are committed. */
export function holdEffects(isWanted: bool): void {
  isHeld = isWanted
}

/** Aborts the run. The next message starts on the block as it was before this one. */
export function abandonMessage(): void {
  if (phase == IDLE) return
  discardMessage()
  phase = IDLE
}

/** Continues the message until it is done or the host is needed, and returns a status. */
export function runMessage(fuel: i32): i32 {
  while (true) {
    switch (phase) {
      case VALIDATE:
        if (!validate()) return pending
        break
      case LOOK_AHEAD:
        if (isLooking) {
          if (!lookAhead()) return pending
          while (index < load<u32>(message.AUTHORIZATION_COUNT)) {
            if (lookUpAuthority(index) == PAUSE) return pending
            index++
            if (isDrainDue()) return TRACE_FULL
          }
          index = 0
        }
        buyGas()
        phase = WARM
        break
      case WARM:
        if (!warm()) return pending
        break
      case AUTHORIZE:
        while (index < load<u32>(message.AUTHORIZATION_COUNT)) {
          const signal = authorize(index)
          if (signal == PAUSE) return pending
          if (signal == END) {
            const callee = requireAccount(message.TO)
            if (callee == 0) return pending
            failToStart(CALL, callee)
            break
          }
          index++
          if (isDrainDue()) return TRACE_FULL
        }
        if (phase == AUTHORIZE) phase = START
        break
      case START:
        if (!start()) return pending
        break
      case EXECUTE: {
        const status = isStepping ? interpret<Traced>(fuel) : interpret<Plain>(fuel)
        if (status != DONE) return status
        phase = FINISH
        break
      }
      case FINISH:
        finish()
        phase = REPORT
        if (isHeld) return DONE
        break
      case REPORT:
        if (!report()) return TRACE_FULL
        settleEffects()
        phase = IDLE
        return DONE
      default:
        return DONE
    }
  }
}

function discardMessage(): void {
  discardTransaction()
  forgetAccesses(!message.hasMessageFlag(flag.SYSTEM))
}

function reject(code: u32): bool {
  store<u32>(REJECTION, code)
  discardMessage()
  phase = IDLE
  return true
}

/** Checks the message. Returns false to pause. */
function validate(): bool {
  sender = requireAccount(message.FROM)
  if (sender == 0) return false
  setBeneficiary(requireAccount(COINBASE))
  if (beneficiary == 0) return false
  noteBeneficiary(sender)
  if (message.hasMessageFlag(flag.SYSTEM)) {
    intrinsic = 0
    floor = 0
    setWord(message.GAS_PRICE, 0)
    phase = WARM
    return true
  }
  const gas = load<u64>(message.GAS)
  const isCreation = message.hasMessageFlag(flag.CREATION)
  if (!isTypeKnown(load<u32>(message.TYPE))) return reject(rejection.TYPE_NOT_SUPPORTED)
  if (!message.hasMessageFlag(flag.SKIP_SENDER_CHECKS)) {
    const nonce = load<u64>(sender, NONCE)
    if (load<u64>(message.NONCE) > nonce) return reject(rejection.NONCE_TOO_HIGH)
    if (load<u64>(message.NONCE) < nonce) return reject(rejection.NONCE_TOO_LOW)
    // EIP-2681
    if (nonce == u64.MAX_VALUE) return reject(rejection.NONCE_OVERFLOW)
    // EIP-7825
    const most = revision >= AMSTERDAM ? MAX_TOTAL_GAS : MAX_TRANSACTION_GAS
    if (revision >= OSAKA && gas > most) return reject(rejection.GAS_LIMIT_TOO_HIGH)
    // EIP-3607; a delegated account may send (EIP-7702)
    if (hasCode(sender)) {
      const code = requireCode(sender)
      if (code == 0) return false
      if (revision < PRAGUE || !isDelegation(code)) return reject(rejection.SENDER_HAS_CODE)
    }
  }
  const broken = checkFields()
  if (broken != 0) return reject(broken)
  if (!canAfford(sender)) return reject(rejection.INSUFFICIENT_FUNDS)
  // Gas is counted in 63 bits
  if (gas > u64(i64.MAX_VALUE)) return reject(rejection.GAS_LIMIT_EXCEEDS_BLOCK)
  // A simulated call is in no block, and may have more gas than a block
  if (!message.hasMessageFlag(flag.SKIP_SENDER_CHECKS) && gas > load<u64>(GAS_LIMIT)) {
    return reject(rejection.GAS_LIMIT_EXCEEDS_BLOCK)
  }
  countData()
  intrinsic = intrinsicGas()
  if (gas < intrinsic) return reject(rejection.INTRINSIC_GAS_TOO_LOW)
  floor = floorGas()
  if (gas < floor) return reject(rejection.FLOOR_DATA_GAS_TOO_LOW)
  // EIP-8037: the limit is on what state gas does not pay
  if (isExecutionCapped() && max(intrinsic, floor) > MAX_TRANSACTION_GAS) {
    return reject(rejection.INTRINSIC_GAS_TOO_HIGH)
  }
  const dataSize = u64(load<u32>(message.DATA_SIZE))
  if (isCreation && revision >= SHANGHAI && dataSize > maxInitcode(revision)) {
    return reject(rejection.INIT_CODE_TOO_LARGE)
  }
  phase = LOOK_AHEAD
  return true
}

/**
 * Records, for traces, the accounts that the message names, before any change: no authorization is applied yet.
 * Returns false to pause.
 */
function lookAhead(): bool {
  if (!canLookUp(sender) || !canLookUp(beneficiary)) return false
  const isCreation = message.hasMessageFlag(flag.CREATION)
  if (isCreation) addressByNonce(message.FROM, load<u64>(sender, NONCE))
  const callee = requireAccount(isCreation ? NEW_ADDRESS : message.TO)
  if (callee == 0) return false
  const code = requireCode(callee)
  if (code == 0) return false
  let delegated: usize = 0
  if (!isCreation && revision >= PRAGUE && isDelegation(code)) {
    delegated = requireAccount(delegate(code))
    if (delegated == 0 || !canLookUp(delegated)) return false
  }
  lookUp(sender)
  lookUp(beneficiary)
  lookUp(callee)
  if (delegated != 0) lookUp(delegated)
  return true
}

/** Takes the maximum cost of the message from its sender, and increments the sender's nonce. */
function buyGas(): void {
  computeGasPrice()
  if (!message.hasMessageFlag(flag.SKIP_FEES)) {
    multiplyChecked(COST, load<u64>(message.GAS), message.GAS_PRICE)
    multiplyChecked(FEE, blobGas(), BLOB_BASE_FEE)
    addWords(COST, COST, FEE)
    subtractBalance(sender, COST)
  }
  if (!message.hasMessageFlag(flag.CREATION)) setNonce(sender, load<u64>(sender, NONCE) + 1)
}

/** Fills the accessed addresses and slots (EIP-2929, EIP-2930, EIP-3651). Returns false to pause. */
function warm(): bool {
  if (revision >= BERLIN) {
    while (index < load<u32>(message.ACCESS_COUNT)) {
      const account = requireAccount(cursor)
      if (account == 0) return false
      warmAccount(account)
      const keys = load<u32>(cursor, 20)
      while (keyIndex < keys) {
        readBytes(ACCESS_KEY, cursor + 24 + (usize(keyIndex) << 5))
        const slot = requireSlot(account, ACCESS_KEY)
        if (slot == 0) return false
        warmSlot(slot)
        keyIndex++
      }
      keyIndex = 0
      cursor += 24 + (usize(keys) << 5)
      index++
    }
    warmAccount(sender)
    if (revision >= SHANGHAI) warmAccount(beneficiary)
  }
  index = 0
  splitGas()
  startMark = journalMark()
  phase = AUTHORIZE
  return true
}

/** Returns true if EIP-7825 limits the execution gas (EIP-8037): a simulated call may have more. */
function isExecutionCapped(): bool {
  if (revision < AMSTERDAM) return false
  return (
    !message.hasMessageFlag(flag.SKIP_SENDER_CHECKS) || message.hasMessageFlag(flag.CAP_EXECUTION)
  )
}

/** Gives the gas above the limit of EIP-7825 to the reservoir of state gas (EIP-8037). */
function splitGas(): void {
  const given = load<u64>(message.GAS) - intrinsic
  const isSystem = message.hasMessageFlag(flag.SYSTEM)
  const gas = isExecutionCapped() && !isSystem ? min(given, MAX_TRANSACTION_GAS - intrinsic) : given
  setReservoir(isSystem && revision >= AMSTERDAM ? i64(SYSTEM_STATE) : i64(given - gas))
  store<u64>(TRANSACTION, gas, GAS)
  if (revision >= AMSTERDAM && !isSystem) noteAccess(sender)
}

/** Ends a transaction that cannot pay for its start (EIP-2780): only nonce and fee change. */
function failToStart(kind: u32, callee: usize): void {
  undoTo(startMark)
  if (isTracing) {
    const given = load<u64>(TRANSACTION, GAS)
    const data: usize = load<u32>(message.DATA_AT)
    emitEnter(kind, 0, sender, callee, message.VALUE, given, data, load<u32>(message.DATA_SIZE))
    emitExit(0, given, OUT_OF_GAS, 0, 0, 0)
  }
  endWithoutFrame(OUT_OF_GAS)
  phase = EXECUTE
}

/** Takes the gas left for the transaction's own frame. */
function takeAll(): u64 {
  const gas = load<u64>(TRANSACTION, GAS)
  store<u64>(TRANSACTION, 0, GAS)
  return gas
}

/** Enters the transaction's own frame. Returns false to pause. */
function start(): bool {
  const data: usize = load<u32>(message.DATA_AT)
  const size = load<u32>(message.DATA_SIZE)
  if (message.hasMessageFlag(flag.CREATION)) {
    const nonce = load<u64>(sender, NONCE)
    addressByNonce(message.FROM, nonce)
    const account = requireAccount(NEW_ADDRESS)
    if (account == 0) return false
    setNonce(sender, nonce + 1)
    startMark = journalMark()
    store<u32>(HAS_ADDRESS, 1)
    copyAddress(CREATED_ADDRESS, NEW_ADDRESS)
    noteAccess(account)
    const prepaid: u64 = revision >= AMSTERDAM && isEmpty(account) ? STATE_ACCOUNT : 0
    if (prepaid != 0 && !payRuntime(0, prepaid)) {
      failToStart(CREATE, account)
      return true
    }
    const given = takeAll()
    if (revision >= BERLIN) warmAccount(account)
    if (collides(account)) {
      if (isTracing) {
        emitEnter(CREATE, 0, sender, account, message.VALUE, given, data, size)
        emitExit(0, given, ADDRESS_COLLISION, 0, 0, 0)
      }
      endWithoutFrame(ADDRESS_COLLISION)
    } else {
      startCreation(CREATE, sender, account, message.VALUE, given, data, size, prepaid)
    }
    phase = EXECUTE
    return true
  }
  const callee = requireAccount(message.TO)
  if (callee == 0) return false
  let code = requireCode(callee)
  if (code == 0) return false
  let delegated: usize = 0
  if (revision >= PRAGUE && isDelegation(code)) {
    delegated = requireAccount(delegate(code))
    if (delegated == 0) return false
    code = requireCode(delegated)
    if (code == 0) return false
  }
  // Calls by the protocol skip LOOK_AHEAD, so record the callee here
  lookUp(callee)
  noteAccess(callee)
  if (revision >= BERLIN) warmAccount(callee)
  let prepaid: u64 = 0
  if (revision >= AMSTERDAM && !message.hasMessageFlag(flag.SYSTEM)) {
    prepaid = !isZero(message.VALUE) && isEmpty(callee) ? STATE_ACCOUNT : 0
    const isPaid = payRuntime(0, prepaid) && (delegated == 0 || payRuntime(accessGas(delegated), 0))
    if (!isPaid) {
      failToStart(CALL, callee)
      return true
    }
  }
  if (delegated != 0) {
    noteAccess(delegated)
    warmAccount(delegated)
  }
  const given = takeAll()
  pushFrame(CALL, callee, sender, callee, message.VALUE, given, data, size, 0, 0, false)
  if (prepaid != 0) prepay(top + BUDGET, prepaid)
  if (isZero(message.VALUE)) {
    touch(callee)
  } else {
    subtractBalance(sender, message.VALUE)
    addBalance(callee, message.VALUE)
    logTransfer(sender, callee, message.VALUE)
  }
  const id = precompileAt(message.TO)
  if (id != 0) runPrecompileFrame(id)
  else runCode(code)
  phase = EXECUTE
  return true
}

/** Pays for the gas used and writes the outcome. */
function finish(): void {
  const limit = load<u64>(message.GAS)
  const isSystem = message.hasMessageFlag(flag.SYSTEM)
  let used = limit - u64(rootGas)
  let refunded: u64 = 0
  let forBlock: u64 = 0
  let state: u64 = 0
  if (revision >= AMSTERDAM && !isSystem) {
    // EIP-7778: refunds do not count for the block
    state = stateGasUsed(TRANSACTION + BUDGET)
    used -= u64(reservoir)
    forBlock = max(used - state, floor)
    noteAccess(beneficiary)
  }
  if (!isSystem) {
    // EIP-3529
    const cap = used / refundQuotient(revision)
    refunded = min(u64(max(refund, 0)), cap)
    used = max(used - refunded, floor)
    if (!message.hasMessageFlag(flag.SKIP_FEES)) payFees(sender, beneficiary, limit - used, used)
  }
  store<u64>(BLOCK_GAS, revision >= AMSTERDAM ? forBlock : used)
  store<u64>(STATE_GAS, state)
  store<u32>(ERROR, rootError)
  store<u64>(DETAIL, rootDetail)
  store<u64>(GAS_USED, used)
  store<u64>(GAS_REFUNDED, refunded)
  store<u32>(OUTPUT_SIZE, rootError == NONE || rootError == REVERTED ? returnSize : 0)
  store<u32>(LOG_COUNT, logCount)
  store<u32>(OUTPUT_AT, RETURN_DATA)
  store<u32>(LOGS_AT, u32(logsStart))
}

/** Commits or reverts the effects. */
function settleEffects(): void {
  if (message.hasMessageFlag(flag.DISCARD)) discardMessage()
  else commitTransaction()
}
