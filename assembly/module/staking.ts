import { sha256 } from '../hash/sha256'
import { copyBytes } from '../u256/bytes'
import { divide } from '../u256/divide'
import { multiply } from '../u256/multiply'
import { equalWords, isLess, isZero, readBytes, setWord } from '../u256/word'
import {
  addressArgument,
  bytesArgument,
  foundSize,
  patchNumber,
  putBytes,
  putNumber,
  putWord,
  returnTrue,
  wordArgument,
} from './abi'
import { CALLER, isRunning, isSystemCall, TIME, VALUE } from './call'
import {
  STAKING_BEGIN_BLOCK,
  STAKING_CREATE_VALIDATOR,
  STAKING_DELEGATE,
  STAKING_DELEGATE_EVENT,
  STAKING_DELEGATION,
  STAKING_EDIT_VALIDATOR,
  STAKING_ID,
  STAKING_REDELEGATE,
  STAKING_REDELEGATE_EVENT,
  STAKING_SIGNING_INFO,
  STAKING_UNDELEGATE,
  STAKING_UNDELEGATE_EVENT,
  STAKING_UNJAIL,
  STAKING_VALIDATOR_CREATED_EVENT,
  STAKING_VALIDATOR_EDITED_EVENT,
  STAKING_VALIDATOR_UNJAILED_EVENT,
} from './generated/function'
import { DENOMINATION, WEI } from './generated/native'
import { TEXT } from './layout'
import { readRowText, rowTextSize, writeRowText } from './row-text'
import { bond, readDelegation, setJailed, unbond } from './staking-pool'
import { enqueue, payOut } from './staking-queue'
import { forgetRedelegations, keepRedelegation } from './staking-redelegations'
import {
  COMMISSION,
  CONSENSUS_KEY,
  consensusKey,
  EVIDENCE_QUEUE,
  emptyRow,
  fieldKey,
  JAILED,
  JAILED_FOR_DOWNTIME,
  JAILED_FOR_GOOD,
  LEAST_STAKE,
  MONIKER,
  MOVED_QUEUE,
  OPERATOR,
  operatorKey,
  QUEUE,
  readAmount,
  readLast,
  redelegationKey,
  row,
  SIGNING,
  setRow,
  totalKey,
  VALIDATORS,
  want,
  writeAmount,
  writeLast,
} from './staking-rows'
import { slashOffenders } from './staking-slash'
import {
  addEventAddress,
  addEventText,
  addEventWord,
  beginEvent,
  emitEvent,
  operatorArgument,
  rateArgument,
  readHex,
} from './staking-text'
import { addHex, addText, beginText, fail, outputSize, textSize } from './text'

const LONGEST_MONIKER: usize = 70
/** Seconds between two changes of a commission. */
const COMMISSION_PAUSE: u64 = 86_400

/** Decimals of shares in the ABI. */
const SHARE_DIGITS: u64 = 18
const SHARE_UNIT: u64 = 1_000_000_000_000_000_000

const AMOUNT: usize = memory.data(32, 8)
const REST: usize = memory.data(32, 8)
const FACTOR: usize = memory.data(32, 8)
const SHARES: usize = memory.data(32, 8)
const OPERATOR_1: usize = memory.data(24, 8)
const OPERATOR_2: usize = memory.data(24, 8)
const CONSENSUS: usize = memory.data(32, 8)
const HASH: usize = memory.data(32, 8)

/** The functions of the precompile 0x1005. */
export function runStaking(selector: u32): void {
  switch (selector) {
    case STAKING_DELEGATE:
      return delegate()
    case STAKING_UNDELEGATE:
      return undelegate()
    case STAKING_REDELEGATE:
      return redelegate()
    case STAKING_CREATE_VALIDATOR:
      return createValidator()
    case STAKING_EDIT_VALIDATOR:
      return editValidator()
    case STAKING_DELEGATION:
      return showDelegation()
    case STAKING_UNJAIL:
      return unjail()
    case STAKING_SIGNING_INFO:
      return showSigningInfo()
    case STAKING_BEGIN_BLOCK:
      return beginBlock()
    default:
      return
  }
}

/** Copies the operator in a text argument to `operator` and returns the id of its validator. */
function validatorArgument(operator: usize, place: usize): u32 {
  copyBytes(operator, operatorArgument(place), 20)
  const id = u32(readLast(operatorKey(operator)))
  if (id == 0) fail('staking: the validator does not exist')
  return id
}

/** Reads the value of the call, in the denomination, to AMOUNT. */
function valueArgument(): void {
  readBytes(REST, VALUE)
  setWord(FACTOR, WEI)
  divide(AMOUNT, REST, FACTOR)
  multiply(FACTOR, AMOUNT, FACTOR)
  if (!equalWords(FACTOR, REST)) fail('staking: the value has a fraction of the denomination')
  if (isZero(AMOUNT)) fail('staking: the call has no value')
  requireAmount(AMOUNT)
}

/** Rejects amounts that do not fit in a row. */
function requireAmount(word: usize): void {
  if ((load<u64>(word, 16) | load<u64>(word, 24)) != 0) fail('staking: the amount is too large')
}

function delegate(): void {
  const id = validatorArgument(OPERATOR_1, 0)
  valueArgument()
  bond(CALLER, id, AMOUNT)
  beginEvent(2)
  addEventAddress(OPERATOR_1)
  addEventWord(AMOUNT)
  emitEvent(STAKING_DELEGATE_EVENT)
  returnTrue()
}

function undelegate(): void {
  const id = validatorArgument(OPERATOR_1, 0)
  wordArgument(AMOUNT, 1)
  unbond(CALLER, id, AMOUNT)
  enqueue(CALLER, id, AMOUNT)
  beginEvent(2)
  addEventAddress(OPERATOR_1)
  addEventWord(AMOUNT)
  emitEvent(STAKING_UNDELEGATE_EVENT)
  returnTrue()
}

function redelegate(): void {
  const source = validatorArgument(OPERATOR_1, 0)
  const destination = validatorArgument(OPERATOR_2, 1)
  wordArgument(AMOUNT, 2)
  if (source == destination) fail('staking: the two validators are the same')
  // A second hop would leave behind what slashing must find
  if (readLast(redelegationKey(CALLER, source)) > load<u64>(TIME)) {
    fail('staking: a redelegation to the first validator has not ended')
  }
  unbond(CALLER, source, AMOUNT)
  bond(CALLER, destination, AMOUNT)
  keepRedelegation(CALLER, source, destination, AMOUNT)
  beginEvent(3)
  addEventAddress(OPERATOR_1)
  addEventAddress(OPERATOR_2)
  addEventWord(AMOUNT)
  emitEvent(STAKING_REDELEGATE_EVENT)
  returnTrue()
}

/** Reads a consensus key from its hex digits to CONSENSUS, and its address to HASH. */
function readConsensusKey(place: usize): void {
  const text = bytesArgument(place)
  if (!readHex(CONSENSUS, text, foundSize, 32)) {
    fail('staking: a consensus key is 64 hex digits')
  }
  sha256(CONSENSUS, 32, HASH)
}

/** Checks the size of a moniker at the address that `bytesArgument` returns. */
function requireMoniker(size: usize): void {
  if (size > LONGEST_MONIKER) fail('staking: the moniker has more than 70 bytes')
}

function writeCommission(id: u32, rate: u64, highest: u64, change: u64): void {
  const commission = emptyRow()
  store<u64>(commission, bswap(rate))
  store<u64>(commission, bswap(highest), 8)
  store<u64>(commission, bswap(change), 16)
  store<u64>(commission, bswap(load<u64>(TIME)), 24)
  setRow(fieldKey(id, COMMISSION), commission)
}

function writeLeastStake(id: u32, amount: usize): void {
  const least = emptyRow()
  writeAmount(least + 16, amount)
  setRow(fieldKey(id, LEAST_STAKE), least)
}

function emitMoniker(topic: usize, moniker: usize, size: usize): void {
  beginEvent(2)
  addEventAddress(CALLER)
  addEventText(moniker, min(size, LONGEST_MONIKER))
  emitEvent(topic)
}

function createValidator(): void {
  readConsensusKey(0)
  const highest = rateArgument(3)
  const change = rateArgument(4)
  const rate = rateArgument(2)
  valueArgument()
  wordArgument(REST, 5)
  if (readLast(operatorKey(CALLER)) != 0) fail('staking: the caller already has a validator')
  if (readLast(consensusKey(HASH)) != 0) fail('staking: the consensus key already has a validator')
  if (rate > highest) fail('staking: the commission is above its maximum rate')
  if (change > highest) fail('staking: the maximum change is above the maximum rate')
  if (isZero(REST)) fail('staking: the minimum self-delegation is zero')
  if (isLess(AMOUNT, REST)) fail('staking: the value is below the minimum self-delegation')
  const moniker = bytesArgument(1)
  const monikerSize = foundSize
  if (monikerSize == 0) fail('staking: the moniker is empty')
  requireMoniker(monikerSize)
  if (!isRunning()) return

  const id = u32(readLast(totalKey(VALIDATORS))) + 1
  writeLast(totalKey(VALIDATORS), id)
  writeLast(operatorKey(CALLER), id)
  writeLast(consensusKey(HASH), id)
  const operator = emptyRow()
  copyBytes(operator, CALLER, 20)
  setRow(fieldKey(id, OPERATOR), operator)
  setRow(fieldKey(id, CONSENSUS_KEY), CONSENSUS)
  writeCommission(id, rate, highest, change)
  writeLeastStake(id, REST)
  writeRowText(STAKING_ID, fieldKey(id, MONIKER), moniker, monikerSize)
  bond(CALLER, id, AMOUNT)
  emitMoniker(STAKING_VALIDATOR_CREATED_EVENT, moniker, monikerSize)
  returnTrue()
}

function changeCommission(id: u32, rate: u64): void {
  const commission = row(fieldKey(id, COMMISSION))
  const before = bswap(load<u64>(commission))
  const highest = bswap(load<u64>(commission, 8))
  const change = bswap(load<u64>(commission, 16))
  const since = bswap(load<u64>(commission, 24))
  if (load<u64>(TIME) - since < COMMISSION_PAUSE) {
    fail('staking: the commission was changed less than a day ago')
  }
  if (rate > highest) fail('staking: the commission is above its maximum rate')
  if (rate > before && rate - before > change) {
    fail('staking: the commission rises by more than its maximum change')
  }
  writeCommission(id, rate, highest, change)
}

function changeLeastStake(id: u32): void {
  readAmount(AMOUNT, row(fieldKey(id, LEAST_STAKE)) + 16)
  if (!isLess(AMOUNT, REST)) fail('staking: the minimum self-delegation can only rise')
  readDelegation(SHARES, AMOUNT, CALLER, id)
  if (isLess(AMOUNT, REST))
    fail('staking: the operator has delegated less than the minimum self-delegation')
  writeLeastStake(id, REST)
}

/** An empty text or a zero keeps the current value. */
function editValidator(): void {
  const id = u32(readLast(operatorKey(CALLER)))
  if (id == 0) fail('staking: the caller has no validator')
  wordArgument(REST, 2)
  requireAmount(REST)
  bytesArgument(1)
  if (foundSize != 0) changeCommission(id, rateArgument(1))
  if (!isZero(REST)) changeLeastStake(id)
  const moniker = bytesArgument(0)
  const size = foundSize
  requireMoniker(size)
  if (size != 0) {
    if (isRunning()) writeRowText(STAKING_ID, fieldKey(id, MONIKER), moniker, size)
    emitMoniker(STAKING_VALIDATOR_EDITED_EVENT, moniker, size)
  } else {
    const held = readRowText(STAKING_ID, fieldKey(id, MONIKER))
    emitMoniker(STAKING_VALIDATOR_EDITED_EVENT, held, rowTextSize)
  }
  returnTrue()
}

function putAddressText(address: usize): void {
  beginText()
  addHex(address, 20)
  putBytes(TEXT, textSize())
}

/** ((amount, denomination), (delegator, shares, their decimals, validator)) */
function showDelegation(): void {
  const delegator = addressArgument(0)
  const id = validatorArgument(OPERATOR_1, 1)
  readDelegation(SHARES, AMOUNT, delegator, id)
  if (isZero(SHARES)) fail('staking: the delegation does not exist')
  setWord(FACTOR, SHARE_UNIT)
  multiply(SHARES, SHARES, FACTOR)
  putNumber(32)
  putNumber(64)
  const details = outputSize
  putNumber(0)
  putWord(AMOUNT)
  putNumber(64)
  beginText()
  addText(DENOMINATION)
  putBytes(TEXT, textSize())
  patchNumber(details, outputSize - 32)
  putNumber(128)
  putWord(SHARES)
  putNumber(SHARE_DIGITS)
  putNumber(224)
  putAddressText(delegator)
  putAddressText(OPERATOR_1)
}

/** Frees the caller's validator, jailed for downtime, when its time in jail is over. */
function unjail(): void {
  const id = u32(readLast(operatorKey(CALLER)))
  if (id == 0) return fail('staking: the caller has no validator')
  const how = load<u8>(row(fieldKey(id, OPERATOR)), 31)
  const until = readLast(fieldKey(id, SIGNING))
  if (how == JAILED_FOR_GOOD) fail('staking: the validator is jailed for good')
  if ((how & JAILED_FOR_DOWNTIME) == 0) fail('staking: the validator is not jailed for downtime')
  if ((how & JAILED) != 0) {
    fail('staking: the operator has delegated less than the minimum self-delegation')
  }
  if (load<u64>(TIME) < until) fail("staking: the validator's time in jail has not ended")
  if (isRunning()) setJailed(id, 0)
  beginEvent(1)
  addEventAddress(CALLER)
  emitEvent(STAKING_VALIDATOR_UNJAILED_EVENT)
  returnTrue()
}

/** (first height counted, missed blocks, end of the jail in seconds, is jailed for good) */
function showSigningInfo(): void {
  const id = validatorArgument(OPERATOR_1, 0)
  const info = row(fieldKey(id, SIGNING))
  const start = bswap(load<u64>(info, 8))
  const missed = bswap(load<u64>(info, 16))
  const until = bswap(load<u64>(info, 24))
  const how = load<u8>(row(fieldKey(id, OPERATOR)), 31)
  putNumber(start)
  putNumber(missed)
  putNumber(until)
  putNumber(u64(how == JAILED_FOR_GOOD))
}

/** Handles the protocol's own call at the beginning of a block. */
function beginBlock(): void {
  if (!isSystemCall()) return fail('staking: only the protocol may begin blocks')
  want(totalKey(EVIDENCE_QUEUE))
  want(totalKey(QUEUE))
  want(totalKey(MOVED_QUEUE))
  // Redelegations stay recorded until all pending evidence is processed
  const isSlashed = slashOffenders()
  putNumber(payOut())
  if (isSlashed) forgetRedelegations()
}
