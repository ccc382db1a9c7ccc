import { copyBytes } from '../u256/bytes'
import { addWords, setWord, subtractWords } from '../u256/word'
import { STAKING_ID } from './generated/function'
import { beginKey, keyAddress, keyLong, keyNumber } from './key'
import { readRow, wantRow, writeRow } from './state'
import { fail } from './text'

/**
 * The rows of the module `staking`; host/evm/modules/staking-rows.ts defines the same for the host. A key is a prefix
 * and the fields after it; numbers are big-endian, amounts 16 bytes in the denomination of the chain.
 *
 *   totals        1: which (u8)                   -> an amount, or numbers, at the end
 *   by operator   2: operator 20                  -> id of the validator, u32 at the end
 *   by key        3: consensus address 20         -> id of the validator, u32 at the end
 *   validator     4: id 4, field (u8)             -> see below
 *   delegation    5: delegator 20, id 4           -> index of its last unbonding 8 (plus one), number pending 8, shares
 *   unbonding     6: index 8                      -> delegator 20, id 4, time 8
 *   its amount    7: index 8                      -> height 8, index of the delegation's previous one 8 (plus one), amount
 *   redelegation  8: delegator 20, id of the destination 4 -> time until which it lasts, u64 at the end
 *   evidence      9: index 8                      -> id 4, zeros 4, index of the next redelegation 8 (plus one;
 *                                                    0 for none), height 8, voting power 8
 *   moved         10: index 8                     -> delegator 20, id of the destination 4, time 8
 *   its amount    11: index 8                     -> height 8, index of the previous one from the same validator 8 (plus
 *                                                    one; 0 for none), amount
 *   missed blocks 12: id 4, chunk 4               -> a bit for each position of the window; only the host has these
 */
const TOTALS: u8 = 1
const BY_OPERATOR: u8 = 2
const BY_KEY: u8 = 3
const VALIDATOR: u8 = 4
const DELEGATION: u8 = 5
const UNBONDING: u8 = 6
const UNBONDING_AMOUNT: u8 = 7
const REDELEGATION: u8 = 8
const EVIDENCE: u8 = 9
const MOVED: u8 = 10
const MOVED_AMOUNT: u8 = 11

/** Which total. */
export const VALIDATORS: u8 = 0
export const BONDED: u8 = 1
export const UNBONDING_TOKENS: u8 = 2
/** Indices of the first unbonding and of the next one, u64 each, at the end. */
export const QUEUE: u8 = 3
/** Seconds that an unbonding takes, u64 at the end. */
export const UNBONDING_TIME: u8 = 4
/** Indices of the first evidence, of the first not yet processed and of the next one, u64 each, at the end. */
export const EVIDENCE_QUEUE: u8 = 5
/** Indices of the first active redelegation and of the next one, u64 each, at the end. */
export const MOVED_QUEUE: u8 = 6
/** Rules of downtime, from genesis: window, least signed blocks and seconds of jail, u64 each, at the end. */
export const DOWNTIME: u8 = 7

/**
 * How a validator is jailed: its operator's stake is too low; it has signed two blocks of one height; it has missed
 * too many blocks. The first and the last add up.
 */
export const JAILED: u8 = 1
export const JAILED_FOR_GOOD: u8 = 2
export const JAILED_FOR_DOWNTIME: u8 = 4

/**
 * Fields of a validator: operator 20, padding 11, how it is jailed u8. The host owns 7: the power reported to
 * consensus.
 */
export const OPERATOR: u8 = 1
/** Its consensus key, 32. */
export const CONSENSUS_KEY: u8 = 2
/** Tokens and shares, one amount each. */
export const POOL: u8 = 3
/** Rate, maximum rate and maximum change, in parts of 10^18, and when the rate was set (seconds): u64 each. */
export const COMMISSION: u8 = 4
/** Minimum self-delegation of the operator: an amount at the end. */
export const LEAST_STAKE: u8 = 5
/** A text in rows (row-text.ts). */
export const MONIKER: u8 = 6
/** Amounts unbonded from this height on and before this block are slashed at payout: u64 each, in front. */
export const SLASHED: u8 = 8
/** Index of the last redelegation from it (plus one), u64 at the end. */
export const LAST_MOVED: u8 = 9
/** First height counted, missed blocks and end of the jail for downtime (seconds): u64 each, at the end. */
export const SIGNING: u8 = 10

const ROW: usize = memory.data(32, 8)
const SUM: usize = memory.data(32, 8)

export function totalKey(which: u8): usize {
  const key = beginKey(TOTALS)
  store<u8>(key, which, 1)
  return key
}

export function operatorKey(operator: usize): usize {
  const key = beginKey(BY_OPERATOR)
  keyAddress(1, operator)
  return key
}

export function consensusKey(address: usize): usize {
  const key = beginKey(BY_KEY)
  keyAddress(1, address)
  return key
}

export function fieldKey(id: u32, field: u8): usize {
  const key = beginKey(VALIDATOR)
  keyNumber(1, id)
  store<u8>(key, field, 5)
  return key
}

export function delegationKey(delegator: usize, id: u32): usize {
  const key = beginKey(DELEGATION)
  keyAddress(1, delegator)
  keyNumber(21, id)
  return key
}

export function unbondingKey(place: u64): usize {
  const key = beginKey(UNBONDING)
  keyLong(1, place)
  return key
}

export function unbondingAmountKey(place: u64): usize {
  const key = beginKey(UNBONDING_AMOUNT)
  keyLong(1, place)
  return key
}

export function redelegationKey(delegator: usize, id: u32): usize {
  const key = beginKey(REDELEGATION)
  keyAddress(1, delegator)
  keyNumber(21, id)
  return key
}

export function evidenceKey(place: u64): usize {
  const key = beginKey(EVIDENCE)
  keyLong(1, place)
  return key
}

export function movedKey(place: u64): usize {
  const key = beginKey(MOVED)
  keyLong(1, place)
  return key
}

export function movedAmountKey(place: u64): usize {
  const key = beginKey(MOVED_AMOUNT)
  keyLong(1, place)
  return key
}

/** Requests a row together with other wanted ones. */
export function want(key: usize): void {
  wantRow(STAKING_ID, key)
}

/** Returns the row under a key, valid until it is written. */
export function row(key: usize): usize {
  return readRow(STAKING_ID, key)
}

/** Writes a row of 32 bytes. */
export function setRow(key: usize, value: usize): void {
  writeRow(STAKING_ID, key, value)
}

/** Returns space for a new row, filled with zeros. */
export function emptyRow(): usize {
  memory.fill(ROW, 0, 32)
  return ROW
}

/** Returns the last eight bytes of a row. */
export function readLast(key: usize): u64 {
  return bswap(load<u64>(row(key), 24))
}

/** Writes a row with a number in its last eight bytes. */
export function writeLast(key: usize, value: u64): void {
  store<u64>(emptyRow(), bswap(value), 24)
  setRow(key, ROW)
}

/** Reads the amount of 16 bytes at `bytes` as a word. */
export function readAmount(out: usize, bytes: usize): void {
  setWord(out, bswap(load<u64>(bytes, 8)))
  store<u64>(out, bswap(load<u64>(bytes)), 8)
}

/** Writes a word below 2^128 as 16 bytes. A larger one ends the call. */
export function writeAmount(bytes: usize, word: usize): void {
  if ((load<u64>(word, 16) | load<u64>(word, 24)) != 0) fail('staking: the amount is too large')
  store<u64>(bytes, bswap(load<u64>(word, 8)))
  store<u64>(bytes, bswap(load<u64>(word)), 8)
}

/** Adds an amount to a total. */
export function raiseTotal(which: u8, amount: usize): void {
  readAmount(SUM, row(totalKey(which)) + 16)
  addWords(SUM, SUM, amount)
  writeAmount(emptyRow() + 16, SUM)
  setRow(totalKey(which), ROW)
}

/** Subtracts an amount from a total, which must suffice. */
export function lowerTotal(which: u8, amount: usize): void {
  readAmount(SUM, row(totalKey(which)) + 16)
  subtractWords(SUM, SUM, amount)
  writeAmount(emptyRow() + 16, SUM)
  setRow(totalKey(which), ROW)
}

/** Copies a row into the space of `emptyRow`, for changes. */
export function rowCopy(key: usize): usize {
  const from = row(key)
  copyBytes(ROW, from, 32)
  return ROW
}
