import { copyBytes } from '../u256/bytes'
import { divide } from '../u256/divide'
import { multiply } from '../u256/multiply'
import { addWords, copyWord, isLess, isZero, setWord, subtractWords } from '../u256/word'
import { isRunning } from './call'
import {
  BONDED,
  delegationKey,
  emptyRow,
  fieldKey,
  JAILED,
  JAILED_FOR_DOWNTIME,
  JAILED_FOR_GOOD,
  LEAST_STAKE,
  lowerTotal,
  OPERATOR,
  POOL,
  raiseTotal,
  readAmount,
  row,
  rowCopy,
  setRow,
  writeAmount,
} from './staking-rows'
import { fail } from './text'

/**
 * A validator's pool: its tokens, and the delegators' shares of them. Slashing takes tokens and leaves the shares, so
 * a share may be worth less than a token. Fractions stay in the pool.
 */
const TOKENS: usize = memory.data(32, 8)
const SHARES: usize = memory.data(32, 8)
const OWN: usize = memory.data(32, 8)
const PART: usize = memory.data(32, 8)
const ONE: usize = memory.data(32, 8)
const WORTH: usize = memory.data(32, 8)
const LEAST: usize = memory.data(32, 8)
const TAKEN: usize = memory.data(32, 8)
const HELD_OPERATOR: usize = memory.data(24, 8)

function readPool(id: u32): void {
  const pool = row(fieldKey(id, POOL))
  readAmount(TOKENS, pool)
  readAmount(SHARES, pool + 16)
}

function writePool(id: u32): void {
  const pool = emptyRow()
  writeAmount(pool, TOKENS)
  writeAmount(pool + 16, SHARES)
  setRow(fieldKey(id, POOL), pool)
}

function readShares(delegator: usize, id: u32): void {
  readAmount(OWN, row(delegationKey(delegator, id)) + 16)
}

function writeShares(delegator: usize, id: u32): void {
  const held = rowCopy(delegationKey(delegator, id))
  writeAmount(held + 16, OWN)
  setRow(delegationKey(delegator, id), held)
}

/** Computes the worth of shares in whole tokens: shares * tokens / all shares. */
function worthOf(out: usize, shares: usize): void {
  multiply(out, shares, TOKENS)
  divide(out, out, SHARES)
}

/** Reads shares and worth of a delegation, as words. */
export function readDelegation(shares: usize, worth: usize, delegator: usize, id: u32): void {
  readPool(id)
  readShares(delegator, id)
  copyWord(shares, OWN)
  worthOf(worth, OWN)
}

/** Gives a delegator shares for an amount, a word, which the module already holds. */
export function bond(delegator: usize, id: u32, amount: usize): void {
  readPool(id)
  if (isZero(SHARES)) copyWord(PART, amount)
  else {
    multiply(PART, amount, SHARES)
    divide(PART, PART, TOKENS)
  }
  if (isZero(PART)) return fail('staking: the amount is worth less than a share')
  addWords(TOKENS, TOKENS, amount)
  addWords(SHARES, SHARES, PART)
  writePool(id)
  readShares(delegator, id)
  addWords(OWN, OWN, PART)
  writeShares(delegator, id)
  raiseTotal(BONDED, amount)
  judge(delegator, id)
}

/**
 * Takes an amount, a word, from a delegation: the shares that are worth it, rounded up. Taking the whole worth of the
 * delegation uses all of its shares.
 */
export function unbond(delegator: usize, id: u32, amount: usize): void {
  if (isZero(amount)) return fail('staking: the amount is zero')
  readPool(id)
  readShares(delegator, id)
  worthOf(WORTH, OWN)
  if (isLess(WORTH, amount)) return fail('staking: the amount exceeds the worth of the delegation')
  release(delegator, id, amount)
}

/** Takes an amount, a word, from a delegation, up to its worth. The remainder stays in the word. */
export function unbondUpTo(delegator: usize, id: u32, amount: usize): void {
  readPool(id)
  readShares(delegator, id)
  worthOf(WORTH, OWN)
  copyWord(TAKEN, isLess(WORTH, amount) ? WORTH : amount)
  if (isZero(TAKEN)) return
  subtractWords(amount, amount, TAKEN)
  release(delegator, id, TAKEN)
}

/** Subtracts an amount, a word, from a validator's tokens, which must suffice. Its delegators keep their shares. */
export function slashPool(id: u32, amount: usize): void {
  readPool(id)
  subtractWords(TOKENS, TOKENS, amount)
  writePool(id)
  lowerTotal(BONDED, amount)
}

/** Reads the tokens of a validator to a word. */
export function readTokens(out: usize, id: u32): void {
  readPool(id)
  copyWord(out, TOKENS)
}

/** Takes an amount from the delegation last read, whose worth must suffice. */
function release(delegator: usize, id: u32, amount: usize): void {
  if (isLess(amount, WORTH)) {
    multiply(PART, amount, SHARES)
    setWord(ONE, 1)
    addWords(PART, PART, TOKENS)
    subtractWords(PART, PART, ONE)
    divide(PART, PART, TOKENS)
    if (isLess(OWN, PART)) copyWord(PART, OWN)
  } else copyWord(PART, OWN)
  subtractWords(TOKENS, TOKENS, amount)
  subtractWords(SHARES, SHARES, PART)
  subtractWords(OWN, OWN, PART)
  writePool(id)
  writeShares(delegator, id)
  lowerTotal(BONDED, amount)
  judge(delegator, id)
}

/**
 * Jails a validator whose operator's stake is below its minimum self-delegation, and frees it otherwise. A jail for
 * another reason stays.
 */
function judge(delegator: usize, id: u32): void {
  const held = row(fieldKey(id, OPERATOR))
  copyBytes(HELD_OPERATOR, held, 20)
  if (memory.compare(HELD_OPERATOR, delegator, 20) != 0) return
  readAmount(LEAST, row(fieldKey(id, LEAST_STAKE)) + 16)
  worthOf(WORTH, OWN)
  const jailed: u8 = isLess(WORTH, LEAST) ? JAILED : 0
  const how = load<u8>(held, 31)
  if (isRunning() && how != JAILED_FOR_GOOD) setJailed(id, jailed | (how & JAILED_FOR_DOWNTIME))
}

/** Sets how a validator is jailed, or frees it. */
export function setJailed(id: u32, how: u8): void {
  const changed = rowCopy(fieldKey(id, OPERATOR))
  store<u8>(changed, how, 31)
  setRow(fieldKey(id, OPERATOR), changed)
}
