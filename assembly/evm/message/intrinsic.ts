import {
  ACCESS_LIST_ADDRESS,
  ACCESS_LIST_SLOT,
  AUTHORIZATION_NEW,
  DATA_ZERO,
  dataNonzeroGas,
  FLOOR_TOKEN,
  INITCODE_WORD,
  TOKENS_NONZERO,
  TRANSACTION_CREATE,
  TRANSACTION_GAS,
} from '../../generated/gas'
import { CREATION } from '../../generated/message-flag'
import { HOMESTEAD, PRAGUE, SHANGHAI } from '../../generated/revision'
import {
  ACCESS_AT,
  ACCESS_COUNT,
  AUTHORIZATION_COUNT,
  DATA_AT,
  DATA_SIZE,
  hasMessageFlag,
} from '../context/message-layout'
import { revision } from '../revision'

let zeros: u64 = 0
let nonzeros: u64 = 0

/** Counts the zero bytes of the message's data for the two functions below. */
export function countData(): void {
  const size = load<u32>(DATA_SIZE)
  let at: usize = load<u32>(DATA_AT)
  const end = at + size
  zeros = 0
  for (; at < end; at++) zeros += u64(load<u8>(at) == 0)
  nonzeros = u64(size) - zeros
}

/** Returns the gas charged before the message runs: yellow paper g_0, EIP-2, 2028, 2930, 3860, 7702. */
export function intrinsicGas(): u64 {
  let gas = TRANSACTION_GAS
  gas += zeros * DATA_ZERO
  gas += nonzeros * dataNonzeroGas(revision)
  if (hasMessageFlag(CREATION)) {
    if (revision >= HOMESTEAD) gas += TRANSACTION_CREATE
    if (revision >= SHANGHAI) gas += INITCODE_WORD * ((u64(load<u32>(DATA_SIZE)) + 31) >> 5)
  }
  let entry: usize = load<u32>(ACCESS_AT)
  for (let i: u32 = 0; i < load<u32>(ACCESS_COUNT); i++) {
    const keys = load<u32>(entry, 20)
    gas += ACCESS_LIST_ADDRESS + ACCESS_LIST_SLOT * u64(keys)
    entry += 24 + (usize(keys) << 5)
  }
  return gas + AUTHORIZATION_NEW * u64(load<u32>(AUTHORIZATION_COUNT))
}

/** Returns the minimum that a transaction pays for its data (EIP-7623); 0 before Prague. */
export function floorGas(): u64 {
  return revision >= PRAGUE
    ? TRANSACTION_GAS + FLOOR_TOKEN * (zeros + TOKENS_NONZERO * nonzeros)
    : 0
}
