import { multiply } from '../u256/multiply'
import { copyWord, isLess, setWord } from '../u256/word'
import { isRunning, NUMBER } from './call'
import { burn, slashedPart } from './staking-burn'
import { readTokens, setJailed, slashPool } from './staking-pool'
import { slashRedelegation } from './staking-redelegations'
import {
  EVIDENCE_QUEUE,
  emptyRow,
  evidenceKey,
  fieldKey,
  JAILED_FOR_GOOD,
  LAST_MOVED,
  OPERATOR,
  readLast,
  row,
  rowCopy,
  SLASHED,
  setRow,
  totalKey,
} from './staking-rows'

/** Tokens per unit of voting power. */
const TOKENS_PER_POWER: u64 = 1_000_000

/** Most validators slashed per block, and most redelegations. The rest waits. */
const MOST_VALIDATORS: u64 = 16
const MOST_REDELEGATIONS: u64 = 64

const AMOUNT: usize = memory.data(32, 8)
const VOTING: usize = memory.data(32, 8)
const FACTOR: usize = memory.data(32, 8)

// Indices of evidence: the first with unslashed redelegations, the first with an unslashed validator, the next
let first: u64 = 0
let begun: u64 = 0
let next: u64 = 0

function readQueue(): void {
  const places = row(totalKey(EVIDENCE_QUEUE))
  first = bswap(load<u64>(places, 8))
  begun = bswap(load<u64>(places, 16))
  next = bswap(load<u64>(places, 24))
}

function writeQueue(): void {
  const places = emptyRow()
  store<u64>(places, bswap(first), 8)
  store<u64>(places, bswap(begun), 16)
  store<u64>(places, bswap(next), 24)
  setRow(totalKey(EVIDENCE_QUEUE), places)
}

/**
 * Returns the first height whose unbondings and redelegations include stake behind the votes of `height`. The
 * validators of a height are those after the second block before it.
 */
function sinceOf(height: u64): u64 {
  return height == 0 ? 0 : height - 1
}

/**
 * Jails a validator for good, and burns a part of the voting power of the evidence, capped at the tokens it still
 * has.
 */
function slashValidator(place: u64): void {
  const evidence = row(evidenceKey(place))
  const id = bswap(load<u32>(evidence))
  const height = bswap(load<u64>(evidence, 16))
  const power = bswap(load<u64>(evidence, 24))
  if (load<u8>(row(fieldKey(id, OPERATOR)), 31) == JAILED_FOR_GOOD) return
  setJailed(id, JAILED_FOR_GOOD)
  readTokens(AMOUNT, id)
  setWord(VOTING, power)
  setWord(FACTOR, TOKENS_PER_POWER)
  multiply(VOTING, VOTING, FACTOR)
  if (isLess(VOTING, AMOUNT)) copyWord(AMOUNT, VOTING)
  slashedPart(AMOUNT, AMOUNT)
  slashPool(id, AMOUNT)
  burn(AMOUNT)
  const slashed = emptyRow()
  store<u64>(slashed, bswap(sinceOf(height)))
  store<u64>(slashed, bswap(load<u64>(NUMBER)), 8)
  setRow(fieldKey(id, SLASHED), slashed)
  const last = readLast(fieldKey(id, LAST_MOVED))
  const waiting = rowCopy(evidenceKey(place))
  store<u64>(waiting, bswap(last), 8)
  setRow(evidenceKey(place), waiting)
}

/** Slashes at most `most` redelegations from the validator of the first evidence. Returns the number processed. */
function slashRedelegations(most: u64): u64 {
  const evidence = row(evidenceKey(first))
  const since = sinceOf(bswap(load<u64>(evidence, 16)))
  let place = bswap(load<u64>(evidence, 8))
  let done: u64 = 0
  while (isRunning() && place != 0 && done < most) {
    place = slashRedelegation(place, since)
    done++
  }
  if (place == 0) setRow(evidenceKey(first++), emptyRow())
  else {
    const waiting = rowCopy(evidenceKey(first))
    store<u64>(waiting, bswap(place), 8)
    setRow(evidenceKey(first), waiting)
  }
  return done
}

/** Slashes the validators with evidence. Returns false if some is left for the next block. */
export function slashOffenders(): bool {
  readQueue()
  if (first == next) return true
  for (let i: u64 = 0; i < MOST_VALIDATORS && begun < next && isRunning(); i++) {
    slashValidator(begun++)
  }
  let left = MOST_REDELEGATIONS
  while (isRunning() && first < begun && left > 0) left -= slashRedelegations(left)
  writeQueue()
  return first == next
}
