import { BLOB_GAS } from '../../generated/gas'
import * as flag from '../../generated/message-flag'
import { LONDON } from '../../generated/revision'
import { COST, FEE, FEE_FACTOR, FEE_PRODUCT } from '../../layout'
import { multiplyFull } from '../../u256/multiply'
import { addWords, copyWord, isLess, isZero, setWord, subtractWords } from '../../u256/word'
import { BASE_FEE, BLOCK_FLAGS } from '../context/block'
import * as message from '../context/message-layout'
import { revision } from '../revision'
import { addBalance, BALANCE } from '../state/account'

/** price = min(fee cap, base fee + tip) (EIP-1559). */
export function computeGasPrice(): void {
  copyWord(message.GAS_PRICE, message.MAX_FEE)
  if (revision < LONDON) return
  const carry = addWords(FEE_FACTOR, BASE_FEE, message.MAX_PRIORITY_FEE)
  if (carry == 0 && isLess(FEE_FACTOR, message.MAX_FEE)) copyWord(message.GAS_PRICE, FEE_FACTOR)
}

/** Writes a * b. Returns false if it exceeds 256 bits. */
export function multiplyChecked(out: usize, a: u64, b: usize): bool {
  setWord(FEE_FACTOR, a)
  multiplyFull(FEE_PRODUCT, FEE_FACTOR, b)
  copyWord(out, FEE_PRODUCT)
  return isZero(FEE_PRODUCT + 32)
}

export function blobGas(): u64 {
  return BLOB_GAS * u64(message.blobCount())
}

/** Returns true if the sender can pay the maximum cost of the message. */
export function canAfford(sender: usize): bool {
  copyWord(COST, message.VALUE)
  if (!message.hasMessageFlag(flag.SKIP_FEES)) {
    if (!multiplyChecked(FEE, load<u64>(message.GAS), message.MAX_FEE)) return false
    if (addWords(COST, COST, FEE) != 0) return false
    if (!multiplyChecked(FEE, blobGas(), message.MAX_BLOB_FEE)) return false
    if (addWords(COST, COST, FEE) != 0) return false
  }
  return !isLess(sender + BALANCE, COST)
}

/** Refunds the gas left, and pays the block's beneficiary its share (EIP-1559). */
export function payFees(sender: usize, beneficiary: usize, left: u64, used: u64): void {
  multiplyChecked(COST, left, message.GAS_PRICE)
  addBalance(sender, COST)
  copyWord(FEE, message.GAS_PRICE)
  const keepsBaseFee = (load<u32>(BLOCK_FLAGS) & flag.KEEP_BASE_FEE) != 0
  if (revision >= LONDON && !keepsBaseFee) subtractWords(FEE, FEE, BASE_FEE)
  multiplyChecked(COST, used, FEE)
  addBalance(beneficiary, COST)
}
