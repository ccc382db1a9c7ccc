import {
  accessListAddressGas,
  accessListByteGas,
  accessListSlotGas,
  authorizationGas,
  coldAccountGas,
  createGas,
  DATA_ZERO,
  dataNonzeroGas,
  floorTokenGas,
  INITCODE_WORD,
  SENDER_BASE,
  TOKENS_NONZERO,
  TRANSACTION_GAS,
  TRANSFER_VALUE,
  tokensZeroGas,
} from '../../generated/gas'
import { CREATION } from '../../generated/message-flag'
import { AMSTERDAM, HOMESTEAD, PRAGUE, SHANGHAI } from '../../generated/revision'
import { isZero } from '../../u256/word'
import {
  ACCESS_AT,
  ACCESS_COUNT,
  AUTHORIZATION_COUNT,
  DATA_AT,
  DATA_SIZE,
  FROM,
  hasMessageFlag,
  TO,
  VALUE,
} from '../context/message-layout'
import { revision } from '../revision'

let zeros: u64 = 0
let nonzeros: u64 = 0
/** Addresses and slots of the access list. */
let addresses: u64 = 0
let slots: u64 = 0

/** Counts the message's data and access list for the functions below. */
export function countData(): void {
  const size = load<u32>(DATA_SIZE)
  let at: usize = load<u32>(DATA_AT)
  const end = at + size
  zeros = 0
  for (; at < end; at++) zeros += u64(load<u8>(at) == 0)
  nonzeros = u64(size) - zeros
  addresses = u64(load<u32>(ACCESS_COUNT))
  slots = 0
  let entry: usize = load<u32>(ACCESS_AT)
  for (let i: u64 = 0; i < addresses; i++) {
    const keys = load<u32>(entry, 20)
    slots += u64(keys)
    entry += 24 + (usize(keys) << 5)
  }
}

/** Returns the cost of sender, recipient and value. Since EIP-2780 it depends on them, but on no state. */
function baseGas(): u64 {
  const isCreation = hasMessageFlag(CREATION)
  if (revision < AMSTERDAM) {
    return TRANSACTION_GAS + (isCreation && revision >= HOMESTEAD ? createGas(revision) : 0)
  }
  if (isCreation) return SENDER_BASE + createGas(revision)
  if (memory.compare(FROM, TO, 20) == 0) return SENDER_BASE
  return SENDER_BASE + coldAccountGas(revision) + (isZero(VALUE) ? 0 : TRANSFER_VALUE)
}

/** Returns the cost of the access list's bytes (EIP-7981). */
function accessListData(): u64 {
  return accessListByteGas(revision) * (20 * addresses + 32 * slots)
}

/** Returns the gas charged before the message runs: yellow paper g_0, EIP-2, 2028, 2780, 2930, 3860, 7702, 7981. */
export function intrinsicGas(): u64 {
  let gas = baseGas()
  gas += zeros * DATA_ZERO
  gas += nonzeros * dataNonzeroGas(revision)
  if (hasMessageFlag(CREATION) && revision >= SHANGHAI) {
    gas += INITCODE_WORD * ((u64(load<u32>(DATA_SIZE)) + 31) >> 5)
  }
  gas += accessListAddressGas(revision) * addresses + accessListSlotGas(revision) * slots
  return gas + accessListData() + authorizationGas(revision) * u64(load<u32>(AUTHORIZATION_COUNT))
}

/** Returns the minimum that a transaction pays for its data (EIP-7623, EIP-7976, EIP-7981); 0 before Prague. */
export function floorGas(): u64 {
  if (revision < PRAGUE) return 0
  const tokens = zeros * tokensZeroGas(revision) + nonzeros * TOKENS_NONZERO
  const base = revision >= AMSTERDAM ? baseGas() : TRANSACTION_GAS
  return base + floorTokenGas(revision) * tokens + accessListData()
}
