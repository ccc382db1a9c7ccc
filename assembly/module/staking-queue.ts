import { copyBytes } from '../u256/bytes'
import { multiply } from '../u256/multiply'
import { copyWord, isLess, isZero, setWord, subtractWords } from '../u256/word'
import { isRunning, NUMBER, TIME, writeId } from './call'
import { STAKING_ID } from './generated/function'
import { WEI } from './generated/native'
import { burn, slashedPart } from './staking-burn'
import {
  delegationKey,
  emptyRow,
  fieldKey,
  lowerTotal,
  QUEUE,
  raiseTotal,
  readAmount,
  readLast,
  row,
  rowCopy,
  SLASHED,
  setRow,
  totalKey,
  UNBONDING_TIME,
  UNBONDING_TOKENS,
  unbondingAmountKey,
  unbondingKey,
  want,
  writeAmount,
} from './staking-rows'
import { moveWei, wantAccount } from './state'
import { fail } from './text'

/**
 * Unbondings in the order of their times, which is the order of their indices, since all take equally long. At most
 * this many are paid out per block when their time comes.
 */
const MOST: u64 = 64
/** Most pending unbondings of one delegator from one validator: Cosmos SDK's max_entries. */
const MOST_OF_ONE: u64 = 7

const AMOUNT: usize = memory.data(32, 8)
const PART: usize = memory.data(32, 8)
const FACTOR: usize = memory.data(32, 8)
const DELEGATOR: usize = memory.data(24, 8)
const MODULE: usize = memory.data(24, 8)

let first: u64 = 0
let next: u64 = 0

function readQueue(): void {
  const places = row(totalKey(QUEUE))
  first = bswap(load<u64>(places, 16))
  next = bswap(load<u64>(places, 24))
}

function writeQueue(): void {
  const places = emptyRow()
  store<u64>(places, bswap(first), 16)
  store<u64>(places, bswap(next), 24)
  setRow(totalKey(QUEUE), places)
}

/** Returns the time in seconds at which an unbonding that begins now ends. */
export function endOfUnbonding(): u64 {
  return load<u64>(TIME) + readLast(totalKey(UNBONDING_TIME))
}

/** Counts another unbonding of a delegation, whose index plus one is `place`. Returns that of the previous one. */
function chain(delegator: usize, id: u32, place: u64): u64 {
  const delegation = rowCopy(delegationKey(delegator, id))
  const before = bswap(load<u64>(delegation))
  const waiting = bswap(load<u64>(delegation, 8))
  if (waiting >= MOST_OF_ONE)
    fail('staking: the delegator has seven pending unbondings from the validator')
  store<u64>(delegation, bswap(place))
  store<u64>(delegation, bswap(waiting + 1), 8)
  setRow(delegationKey(delegator, id), delegation)
  return before
}

/** Counts one unbonding less: the first, because they are paid out in order. */
function unchain(delegator: usize, id: u32): void {
  const delegation = rowCopy(delegationKey(delegator, id))
  const waiting = bswap(load<u64>(delegation, 8))
  if (waiting <= 1) memory.fill(delegation, 0, 16)
  else store<u64>(delegation, bswap(waiting - 1), 8)
  setRow(delegationKey(delegator, id), delegation)
}

/** Puts an amount, a word, that a delegator has unbonded at the end of the queue. */
export function enqueue(delegator: usize, id: u32, amount: usize): void {
  const end = endOfUnbonding()
  readQueue()
  const before = chain(delegator, id, next + 1)
  const entry = emptyRow()
  copyBytes(entry, delegator, 20)
  store<u32>(entry, bswap(id), 20)
  store<u64>(entry, bswap(end), 24)
  setRow(unbondingKey(next), entry)
  const held = emptyRow()
  store<u64>(held, bswap(load<u64>(NUMBER)))
  store<u64>(held, bswap(before), 8)
  writeAmount(held + 16, amount)
  setRow(unbondingAmountKey(next), held)
  raiseTotal(UNBONDING_TOKENS, amount)
  next++
  writeQueue()
}

function isDue(place: u64): bool {
  return bswap(load<u64>(row(unbondingKey(place)), 24)) <= load<u64>(TIME)
}

/**
 * Returns true if, after an unbonding of that height began, the validator was slashed for votes that the amount
 * backed.
 */
function isSlashed(id: u32, height: u64): bool {
  const slashed = row(fieldKey(id, SLASHED))
  return height >= bswap(load<u64>(slashed)) && height < bswap(load<u64>(slashed, 8))
}

/**
 * Subtracts an amount, a word, from what a delegator has unbonded from a validator at a height or later, latest
 * first. Any remainder stays in the word.
 */
export function lowerUnbondings(delegator: usize, id: u32, since: u64, amount: usize): void {
  readQueue()
  let place = bswap(load<u64>(row(delegationKey(delegator, id))))
  while (isRunning() && place > first && !isZero(amount)) {
    const held = rowCopy(unbondingAmountKey(place - 1))
    if (bswap(load<u64>(held)) < since) return
    readAmount(AMOUNT, held + 16)
    copyWord(PART, isLess(AMOUNT, amount) ? AMOUNT : amount)
    subtractWords(AMOUNT, AMOUNT, PART)
    subtractWords(amount, amount, PART)
    writeAmount(held + 16, AMOUNT)
    const before = bswap(load<u64>(held, 8))
    setRow(unbondingAmountKey(place - 1), held)
    lowerTotal(UNBONDING_TOKENS, PART)
    place = before
  }
}

/** Pays out the unbondings whose time has come, less their slashed part. Returns their number. */
export function payOut(): u64 {
  readQueue()
  if (first == next || !isDue(first)) return 0
  const last = min(next, first + MOST)
  for (let place = first; place < last; place++) {
    want(unbondingKey(place))
    want(unbondingAmountKey(place))
  }
  writeId(MODULE, STAKING_ID)
  wantAccount(MODULE)
  for (let place = first; place < last; place++) {
    const entry = row(unbondingKey(place))
    const id = bswap(load<u32>(entry, 20))
    wantAccount(entry)
    want(delegationKey(entry, id))
    want(fieldKey(id, SLASHED))
  }
  const begin = first
  while (isRunning() && first < last && isDue(first)) {
    const entry = row(unbondingKey(first))
    copyBytes(DELEGATOR, entry, 20)
    const id = bswap(load<u32>(entry, 20))
    const held = row(unbondingAmountKey(first))
    const height = bswap(load<u64>(held))
    readAmount(AMOUNT, held + 16)
    setRow(unbondingKey(first), emptyRow())
    setRow(unbondingAmountKey(first), emptyRow())
    lowerTotal(UNBONDING_TOKENS, AMOUNT)
    unchain(DELEGATOR, id)
    if (isSlashed(id, height)) {
      slashedPart(PART, AMOUNT)
      subtractWords(AMOUNT, AMOUNT, PART)
      burn(PART)
    }
    setWord(FACTOR, WEI)
    multiply(AMOUNT, AMOUNT, FACTOR)
    moveWei(MODULE, DELEGATOR, AMOUNT)
    first++
  }
  writeQueue()
  return first - begin
}
