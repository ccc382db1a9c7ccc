import { copyBytes } from '../u256/bytes'
import { ADDR_ID } from './generated/function'
import { beginKey, keyAddress } from './key'
import { readRow, writeRow } from './state'

/**
 * Maps an account to its address in the chain's other form: that of its public key, RIPEMD-160 of SHA-256, in bech32.
 * Rows of addr: 1 and the EVM address, and 2 and the other; each value has a byte 1 in front and an address at the
 * end.
 */
const BY_EVM: u8 = 1
const BY_OTHER: u8 = 2

const ADDRESS_AT: usize = 12
const VALUE: usize = memory.data(32, 8)

function find(prefix: u8, address: usize, out: usize): bool {
  const key = beginKey(prefix)
  keyAddress(1, address)
  const row = readRow(ADDR_ID, key)
  if (load<u8>(row) == 0) return false
  copyBytes(out, row + ADDRESS_AT, 20)
  return true
}

function write(prefix: u8, address: usize, other: usize): void {
  const key = beginKey(prefix)
  keyAddress(1, address)
  memory.fill(VALUE, 0, 32)
  store<u8>(VALUE, 1)
  copyBytes(VALUE + ADDRESS_AT, other, 20)
  writeRow(ADDR_ID, key, VALUE)
}

/** Writes the other address of an EVM account to `out`. Returns false if it has none yet. */
export function findOther(evm: usize, out: usize): bool {
  return find(BY_EVM, evm, out)
}

/** Writes the EVM account of an address to `out`. Returns false if it has none yet. */
export function findEvm(other: usize, out: usize): bool {
  return find(BY_OTHER, other, out)
}

/** Writes the account that holds an address's balances: the associated one, or that of the same 20 bytes. */
export function accountOfAddress(other: usize, out: usize): void {
  if (!findEvm(other, out)) copyBytes(out, other, 20)
}

export function associate(evm: usize, other: usize): void {
  write(BY_EVM, evm, other)
  write(BY_OTHER, other, evm)
}
