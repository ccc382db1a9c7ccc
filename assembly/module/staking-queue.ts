import { copyBytes } from '../u256/bytes'
import { multiply } from '../u256/multiply'
import { setWord } from '../u256/word'
import { isRunning, NUMBER, TIME, writeId } from './call'
import { STAKING_ID } from './generated/function'
import { WEI } from './generated/native'
import {
  emptyRow,
  lowerTotal,
  QUEUE,
  raiseTotal,
  readAmount,
  readLast,
  row,
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

/**
 * Unbondings in the order of their times, which is that of their places: each lasts as long as all others. The first
 * ones are paid out when their time has come, so many a block.
 */
const MOST: u64 = 64

const AMOUNT: usize = memory.data(32, 8)
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

/** When an unbonding that begins now ends, in seconds. */
export function endOfUnbonding(): u64 {
  return load<u64>(TIME) + readLast(totalKey(UNBONDING_TIME))
}

/** Puts an amount, a word, that a delegator has unbonded at the end of the queue. */
export function enqueue(delegator: usize, id: u32, amount: usize): void {
  const end = endOfUnbonding()
  readQueue()
  const entry = emptyRow()
  copyBytes(entry, delegator, 20)
  store<u32>(entry, bswap(id), 20)
  store<u64>(entry, bswap(end), 24)
  setRow(unbondingKey(next), entry)
  const held = emptyRow()
  store<u64>(held, bswap(load<u64>(NUMBER)))
  writeAmount(held + 16, amount)
  setRow(unbondingAmountKey(next), held)
  raiseTotal(UNBONDING_TOKENS, amount)
  next++
  writeQueue()
}

function isDue(place: u64): bool {
  return bswap(load<u64>(row(unbondingKey(place)), 24)) <= load<u64>(TIME)
}

/** Pays out the unbondings whose time has come; how many. */
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
  for (let place = first; place < last; place++) wantAccount(row(unbondingKey(place)))
  const begin = first
  while (isRunning() && first < last && isDue(first)) {
    copyBytes(DELEGATOR, row(unbondingKey(first)), 20)
    readAmount(AMOUNT, row(unbondingAmountKey(first)) + 16)
    setRow(unbondingKey(first), emptyRow())
    setRow(unbondingAmountKey(first), emptyRow())
    lowerTotal(UNBONDING_TOKENS, AMOUNT)
    setWord(FACTOR, WEI)
    multiply(AMOUNT, AMOUNT, FACTOR)
    moveWei(MODULE, DELEGATOR, AMOUNT)
    first++
  }
  writeQueue()
  return first - begin
}
