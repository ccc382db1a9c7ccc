import { copyBytes } from '../u256/bytes'
import { copyWord, subtractWords } from '../u256/word'
import { isRunning, NUMBER, TIME } from './call'
import { burn, slashedPart } from './staking-burn'
import { unbondUpTo } from './staking-pool'
import { endOfUnbonding, lowerUnbondings } from './staking-queue'
import {
  emptyRow,
  fieldKey,
  LAST_MOVED,
  MOVED_QUEUE,
  movedAmountKey,
  movedKey,
  readAmount,
  readLast,
  redelegationKey,
  row,
  setRow,
  totalKey,
  want,
  writeAmount,
  writeLast,
} from './staking-rows'

/**
 * Redelegations in the order of their times. Each links to the previous one from the same validator, so that slashing
 * that validator finds them. They are deleted after the time of an unbonding, at most this many per block.
 */
const MOST: u64 = 64

const AMOUNT: usize = memory.data(32, 8)
const REST: usize = memory.data(32, 8)
const DELEGATOR: usize = memory.data(24, 8)

let first: u64 = 0
let next: u64 = 0

function readQueue(): void {
  const places = row(totalKey(MOVED_QUEUE))
  first = bswap(load<u64>(places, 16))
  next = bswap(load<u64>(places, 24))
}

function writeQueue(): void {
  const places = emptyRow()
  store<u64>(places, bswap(first), 16)
  store<u64>(places, bswap(next), 24)
  setRow(totalKey(MOVED_QUEUE), places)
}

/** Records that a delegator has moved an amount, a word, from one validator to another. */
export function keepRedelegation(
  delegator: usize,
  source: u32,
  destination: u32,
  amount: usize,
): void {
  const end = endOfUnbonding()
  const before = readLast(fieldKey(source, LAST_MOVED))
  readQueue()
  const entry = emptyRow()
  copyBytes(entry, delegator, 20)
  store<u32>(entry, bswap(destination), 20)
  store<u64>(entry, bswap(end), 24)
  setRow(movedKey(next), entry)
  const held = emptyRow()
  store<u64>(held, bswap(load<u64>(NUMBER)))
  store<u64>(held, bswap(before), 8)
  writeAmount(held + 16, amount)
  setRow(movedAmountKey(next), held)
  next++
  writeLast(fieldKey(source, LAST_MOVED), next)
  writeLast(redelegationKey(delegator, destination), end)
  writeQueue()
}

function isDue(place: u64): bool {
  return bswap(load<u64>(row(movedKey(place)), 24)) <= load<u64>(TIME)
}

/** Deletes redelegations whose time has come. */
export function forgetRedelegations(): void {
  readQueue()
  if (first == next || !isDue(first)) return
  const last = min(next, first + MOST)
  for (let place = first; place < last; place++) want(movedKey(place))
  while (isRunning() && first < last && isDue(first)) {
    const entry = row(movedKey(first))
    copyBytes(DELEGATOR, entry, 20)
    const destination = bswap(load<u32>(entry, 20))
    setRow(movedKey(first), emptyRow())
    setRow(movedAmountKey(first), emptyRow())
    // A later one to the same validator may last longer
    const key = redelegationKey(DELEGATOR, destination)
    if (readLast(key) <= load<u64>(TIME)) writeLast(redelegationKey(DELEGATOR, destination), 0)
    first++
  }
  writeQueue()
}

/**
 * Slashes a redelegation, given its index plus one, that began at a height or later: the delegation at its
 * destination, and what was unbonded from that since. Returns the previous one from the same validator in the same
 * form, or 0 if none is left.
 */
export function slashRedelegation(place: u64, since: u64): u64 {
  readQueue()
  if (place <= first) return 0
  const held = row(movedAmountKey(place - 1))
  const height = bswap(load<u64>(held))
  if (height < since) return 0
  const before = bswap(load<u64>(held, 8))
  readAmount(AMOUNT, held + 16)
  slashedPart(AMOUNT, AMOUNT)
  const entry = row(movedKey(place - 1))
  copyBytes(DELEGATOR, entry, 20)
  const destination = bswap(load<u32>(entry, 20))
  copyWord(REST, AMOUNT)
  unbondUpTo(DELEGATOR, destination, REST)
  lowerUnbondings(DELEGATOR, destination, height, REST)
  subtractWords(AMOUNT, AMOUNT, REST)
  burn(AMOUNT)
  return before
}
