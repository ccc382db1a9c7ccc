import { divide } from '../u256/divide'
import { multiply } from '../u256/multiply'
import { setWord } from '../u256/word'
import { writeId } from './call'
import { lowerSupply, NATIVE } from './denomination'
import { STAKING_ID } from './generated/function'
import { WEI } from './generated/native'
import { burnWei } from './state'

/** A twentieth is slashed: Cosmos SDK's slash_fraction_double_sign of 0.05. */
const SLASH_DIVISOR: u64 = 20

const FACTOR: usize = memory.data(32, 8)
const WEI_AMOUNT: usize = memory.data(32, 8)
const MODULE: usize = memory.data(24, 8)

/** Computes the slashed part of an amount, a word, rounded down. */
export function slashedPart(out: usize, amount: usize): void {
  setWord(FACTOR, SLASH_DIVISOR)
  divide(out, amount, FACTOR)
}

/** Burns an amount, a word, that the module holds, from its account and the supply. */
export function burn(amount: usize): void {
  setWord(FACTOR, WEI)
  multiply(WEI_AMOUNT, amount, FACTOR)
  writeId(MODULE, STAKING_ID)
  burnWei(MODULE, WEI_AMOUNT)
  lowerSupply(NATIVE, amount)
}
