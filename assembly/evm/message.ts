import { ADDRESS_COLLISION, NONE, REVERTED } from '../generated/fault'
import { CALL, CREATE } from '../generated/frame-kind'
import { BLOB_GAS } from '../generated/gas'
import { MAX_INITCODE, MAX_TRANSACTION_GAS, maxBlobs, refundQuotient } from '../generated/limit'
import * as flag from '../generated/message-flag'
import * as rejection from '../generated/rejection'
import { BERLIN, CANCUN, LONDON, OSAKA, PRAGUE, SHANGHAI } from '../generated/revision'
import { DONE, TRACE_FULL } from '../generated/status'
import {
  ACCESS_KEY,
  COST,
  FEE,
  FEE_FACTOR,
  FEE_PRODUCT,
  LOGS_END,
  NEW_ADDRESS,
  OUTCOME,
  RETURN_DATA,
} from '../layout'
import {
  beginLooking,
  beginTrace,
  emitEnter,
  emitExit,
  isDrainDue,
  isLooking,
  isStepping,
  isTracing,
} from '../trace/trace-buffer'
import { clearBytes, copyAddress } from '../u256/bytes'
import { multiplyFull } from '../u256/multiply'
import { addWords, copyWord, isLess, isZero, readBytes, setWord, subtractWords } from '../u256/word'
import {
  addBalance,
  BALANCE,
  beginSerial,
  hasCode,
  NONCE,
  requireAccount,
  requireCode,
  setNonce,
  subtractBalance,
  touch,
  warmAccount,
} from './account'
import { authorize, lookUpAuthority } from './authorization'
import { BASE_FEE, BLOB_BASE_FEE, BLOCK_FLAGS, COINBASE, GAS_LIMIT } from './block'
import { nativeAt } from './call'
import { delegate, isDelegation } from './code'
import { addressByNonce, collides, startCreation } from './create'
import { commitTransaction, discardTransaction } from './finalize'
import {
  endWithoutFrame,
  pushFrame,
  refund,
  resetFrames,
  rootDetail,
  rootError,
  rootGas,
  runCode,
  runNative,
} from './frame'
import { interpret, Plain, Traced } from './interpreter'
import { countData, floorGas, intrinsicGas } from './intrinsic'
import { clearJournal } from './journal'
import { logCount, logsStart, resetLogs } from './log-records'
import { beginLookUps, canLookUp, lookUp, report } from './lookup'
import { returnSize, setExhausted } from './machine'
import * as message from './message-layout'
import { revision } from './revision'
import { requireSlot, warmSlot } from './slot'
import { PAUSE, pending } from './status'
import { clearTransients } from './transient'

/**
 * The transaction rules, as phases that can stop for the host between any two and are then entered
 * again: each takes what it needs first and changes state after.
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

let sender: usize = 0
let coinbase: usize = 0
let intrinsic: u64 = 0
let floor: u64 = 0

// OUTCOME: what the host reads after DONE
const REJECTION: usize = OUTCOME
const ERROR: usize = OUTCOME + 4
const DETAIL: usize = OUTCOME + 8
const GAS_USED: usize = OUTCOME + 16
const GAS_REFUNDED: usize = OUTCOME + 24
const OUTPUT_SIZE: usize = OUTCOME + 32
const LOG_COUNT: usize = OUTCOME + 36
const HAS_ADDRESS: usize = OUTCOME + 40
const CREATED_ADDRESS: usize = OUTCOME + 44
const OUTPUT_AT: usize = OUTCOME + 64
const LOGS_AT: usize = OUTCOME + 68

/** Starts the message that the host wrote at MESSAGE. */
export function beginMessage(): void {
  beginSerial()
  clearJournal()
  clearTransients()
  resetLogs(LOGS_END, 0)
  resetFrames()
  setExhausted(false)
  beginTrace(
    message.hasMessageFlag(flag.TRACE_CALLS),
    message.hasMessageFlag(flag.TRACE_LOGS),
    message.hasMessageFlag(flag.TRACE_STEPS),
    message.hasMessageFlag(flag.TRACE_STACK),
    message.hasMessageFlag(flag.TRACE_MEMORY),
    message.hasMessageFlag(flag.TRACE_EACH),
  )
  beginLooking(message.hasMessageFlag(flag.TRACE_STATE))
  beginLookUps()
  clearBytes(OUTCOME, 72)
  index = 0
  keyIndex = 0
  cursor = load<u32>(message.ACCESS_AT)
  phase = VALIDATE
}

/** Gives the run up: the next message starts over the block as it was before this one. */
export function abandonMessage(): void {
  if (phase == IDLE) return
  discardTransaction()
  phase = IDLE
}

/** Goes on with the message until it is done or the host is wanted; returns a status. */
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
          if (authorize(index) == PAUSE) return pending
          index++
          if (isDrainDue()) return TRACE_FULL
        }
        phase = START
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

function reject(code: u32): bool {
  store<u32>(REJECTION, code)
  phase = IDLE
  return true
}

/** price = min(fee cap, base fee + tip) (EIP-1559). */
function computeGasPrice(): void {
  copyWord(message.GAS_PRICE, message.MAX_FEE)
  if (revision < LONDON) return
  const carry = addWords(FEE_FACTOR, BASE_FEE, message.MAX_PRIORITY_FEE)
  if (carry == 0 && isLess(FEE_FACTOR, message.MAX_FEE)) copyWord(message.GAS_PRICE, FEE_FACTOR)
}

/** Writes a * b; false when it passes 256 bits. */
function multiplyChecked(out: usize, a: u64, b: usize): bool {
  setWord(FEE_FACTOR, a)
  multiplyFull(FEE_PRODUCT, FEE_FACTOR, b)
  copyWord(out, FEE_PRODUCT)
  return isZero(FEE_PRODUCT + 32)
}

function blobGas(): u64 {
  return BLOB_GAS * u64(message.blobCount())
}

/** True when the sender can pay the most that the message may cost. */
function canAfford(): bool {
  copyWord(COST, message.VALUE)
  if (!message.hasMessageFlag(flag.SKIP_FEES)) {
    if (!multiplyChecked(FEE, load<u64>(message.GAS), message.MAX_FEE)) return false
    if (addWords(COST, COST, FEE) != 0) return false
    if (!multiplyChecked(FEE, blobGas(), message.MAX_BLOB_FEE)) return false
    if (addWords(COST, COST, FEE) != 0) return false
  }
  return !isLess(sender + BALANCE, COST)
}

/** The rules of the fields alone; 0, or a rejection. */
function checkFields(): u32 {
  const type = load<u32>(message.TYPE)
  const blobs = message.blobCount()
  const isCreation = message.hasMessageFlag(flag.CREATION)
  if (!message.hasMessageFlag(flag.SKIP_FEES)) {
    if (revision >= LONDON) {
      if (isLess(message.MAX_FEE, message.MAX_PRIORITY_FEE)) return rejection.TIP_ABOVE_FEE_CAP
      if (isLess(message.MAX_FEE, BASE_FEE)) return rejection.FEE_CAP_BELOW_BASE_FEE
    }
  }
  if (type == 3) {
    if (isCreation) return rejection.BLOB_CREATION
    if (blobs == 0) return rejection.BLOB_WITHOUT_HASHES
    for (let i: u32 = 0; i < blobs; i++) {
      if (load<u8>(message.blobHash(i)) != 1) return rejection.BLOB_VERSION_WRONG
    }
    if (blobs > maxBlobs(revision)) return rejection.BLOB_COUNT_TOO_HIGH
    if (!message.hasMessageFlag(flag.SKIP_FEES) && isLess(message.MAX_BLOB_FEE, BLOB_BASE_FEE)) {
      return rejection.BLOB_FEE_CAP_TOO_LOW
    }
  }
  if (type == 4) {
    if (isCreation) return rejection.SET_CODE_CREATION
    if (load<u32>(message.AUTHORIZATION_COUNT) == 0) return rejection.AUTHORIZATION_LIST_EMPTY
  }
  return 0
}

/** False when the revision has no transactions of the type: EIP-2930, 1559, 4844, 7702. */
function isTypeKnown(type: u32): bool {
  if (type == 0) return true
  if (type == 1) return revision >= BERLIN
  if (type == 2) return revision >= LONDON
  if (type == 3) return revision >= CANCUN
  return type == 4 && revision >= PRAGUE
}

/** Checks the message and buys its gas; false to pause. */
function validate(): bool {
  sender = requireAccount(message.FROM)
  if (sender == 0) return false
  coinbase = requireAccount(COINBASE)
  if (coinbase == 0) return false
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
    if (revision >= OSAKA && gas > MAX_TRANSACTION_GAS) return reject(rejection.GAS_LIMIT_TOO_HIGH)
    // EIP-3607; a delegated account may send (EIP-7702)
    if (hasCode(sender)) {
      const code = requireCode(sender)
      if (code == 0) return false
      if (revision < PRAGUE || !isDelegation(code)) return reject(rejection.SENDER_HAS_CODE)
    }
  }
  const broken = checkFields()
  if (broken != 0) return reject(broken)
  if (!canAfford()) return reject(rejection.INSUFFICIENT_FUNDS)
  // Gas is counted in 63 bits
  if (gas > u64(i64.MAX_VALUE)) return reject(rejection.GAS_LIMIT_EXCEEDS_BLOCK)
  // A simulated call stands in no block, and may have more gas than one
  if (!message.hasMessageFlag(flag.SKIP_SENDER_CHECKS) && gas > load<u64>(GAS_LIMIT)) {
    return reject(rejection.GAS_LIMIT_EXCEEDS_BLOCK)
  }
  countData()
  intrinsic = intrinsicGas()
  if (gas < intrinsic) return reject(rejection.INTRINSIC_GAS_TOO_LOW)
  floor = floorGas()
  if (gas < floor) return reject(rejection.FLOOR_DATA_GAS_TOO_LOW)
  if (isCreation && revision >= SHANGHAI && u64(load<u32>(message.DATA_SIZE)) > MAX_INITCODE) {
    return reject(rejection.INIT_CODE_TOO_LARGE)
  }
  phase = LOOK_AHEAD
  return true
}

/**
 * Records, for traces, the accounts that the message names, before anything changes: no authorization
 * applies yet. False to pause.
 */
function lookAhead(): bool {
  if (!canLookUp(sender) || !canLookUp(coinbase)) return false
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
  lookUp(coinbase)
  lookUp(callee)
  if (delegated != 0) lookUp(delegated)
  return true
}

/** The most that the message may cost is taken, and its nonce used. */
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

/** Fills the accessed addresses and slots (EIP-2929, EIP-2930, EIP-3651); false to pause. */
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
    if (revision >= SHANGHAI) warmAccount(coinbase)
  }
  index = 0
  phase = AUTHORIZE
  return true
}

/** Enters the transaction's own frame; false to pause. */
function start(): bool {
  const given = load<u64>(message.GAS) - intrinsic
  const data: usize = load<u32>(message.DATA_AT)
  const size = load<u32>(message.DATA_SIZE)
  if (message.hasMessageFlag(flag.CREATION)) {
    const nonce = load<u64>(sender, NONCE)
    addressByNonce(message.FROM, nonce)
    const account = requireAccount(NEW_ADDRESS)
    if (account == 0) return false
    setNonce(sender, nonce + 1)
    store<u32>(HAS_ADDRESS, 1)
    copyAddress(CREATED_ADDRESS, NEW_ADDRESS)
    if (revision >= BERLIN) warmAccount(account)
    if (collides(account)) {
      if (isTracing) {
        emitEnter(CREATE, 0, sender, account, message.VALUE, given, data, size)
        emitExit(0, given, ADDRESS_COLLISION, 0, 0, 0)
      }
      endWithoutFrame(ADDRESS_COLLISION)
    } else {
      startCreation(CREATE, sender, account, message.VALUE, given, data, size)
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
  // That of a call by the protocol
  lookUp(callee)
  if (revision >= BERLIN) {
    warmAccount(callee)
    if (delegated != 0) warmAccount(delegated)
  }
  pushFrame(CALL, callee, sender, callee, message.VALUE, given, data, size, 0, 0, false)
  if (isZero(message.VALUE)) {
    touch(callee)
  } else {
    subtractBalance(sender, message.VALUE)
    addBalance(callee, message.VALUE)
  }
  const native = nativeAt(message.TO)
  if (native != 0) runNative(native)
  else runCode(code)
  phase = EXECUTE
  return true
}

/** Pays for the gas used and writes the outcome. */
function finish(): void {
  const limit = load<u64>(message.GAS)
  let used = limit - u64(rootGas)
  let refunded: u64 = 0
  if (!message.hasMessageFlag(flag.SYSTEM)) {
    // EIP-3529
    const cap = used / refundQuotient(revision)
    refunded = min(u64(max(refund, 0)), cap)
    used = max(used - refunded, floor)
    if (!message.hasMessageFlag(flag.SKIP_FEES)) payFees(limit - used, used)
  }
  store<u32>(ERROR, rootError)
  store<u64>(DETAIL, rootDetail)
  store<u64>(GAS_USED, used)
  store<u64>(GAS_REFUNDED, refunded)
  store<u32>(OUTPUT_SIZE, rootError == NONE || rootError == REVERTED ? returnSize : 0)
  store<u32>(LOG_COUNT, logCount)
  store<u32>(OUTPUT_AT, RETURN_DATA)
  store<u32>(LOGS_AT, u32(logsStart))
}

/** Makes the effects final, or takes them back. */
function settleEffects(): void {
  if (message.hasMessageFlag(flag.DISCARD)) discardTransaction()
  else commitTransaction()
}

/** Gives back what was not used, and pays the coinbase its share (EIP-1559). */
function payFees(left: u64, used: u64): void {
  multiplyChecked(COST, left, message.GAS_PRICE)
  addBalance(sender, COST)
  copyWord(FEE, message.GAS_PRICE)
  const keepsBaseFee = (load<u32>(BLOCK_FLAGS) & flag.KEEP_BASE_FEE) != 0
  if (revision >= LONDON && !keepsBaseFee) subtractWords(FEE, FEE, BASE_FEE)
  multiplyChecked(COST, used, FEE)
  addBalance(coinbase, COST)
}
