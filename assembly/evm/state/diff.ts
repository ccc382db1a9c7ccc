import { ACCOUNTS, MEMORIES, MEMORIES_END, SLOTS } from '../../layout'
import { equalWords, isZero, writeBytes } from '../../u256/word'
import { setExhausted } from '../machine/registers'
import {
  ACCESSED,
  ACCOUNT_ENTRY,
  accountsEnd,
  BALANCE,
  CODE,
  CODE_HASH,
  EPOCH,
  EXISTS,
  FLAGS,
  NONCE,
  ORIGINAL_BALANCE,
  ORIGINAL_FLAGS,
  ORIGINAL_HASH,
  ORIGINAL_NONCE,
  serial,
} from './account'
import { BYTES, EMPTY_CODE, LENGTH, takeNewCode } from './code'
import {
  BLOCK_ORIGINAL,
  KEY,
  OWNER,
  SLOT_ACCESSED,
  SLOT_ENTRY,
  SLOT_EPOCH,
  slotsEnd,
  VALUE,
} from './slot'

/**
 * Tables for the host, written over the EVM memories while no transaction runs. The header has the address and number
 * of rows (u32 each) of each table, in this order. Rows are those of host/evm/engine/state-diff.ts; a code row is the
 * address of the hash, the address of the bytes and their length.
 */
const ACCOUNT_TABLE: usize = MEMORIES
const CLEARED_TABLE: usize = MEMORIES + 8
const SLOT_TABLE: usize = MEMORIES + 16
const CODE_TABLE: usize = MEMORIES + 24
const ROWS: usize = MEMORIES + 64

const ACCOUNT_ROW: usize = 92
const CLEARED_ROW: usize = 20
const SLOT_ROW: usize = 84
const CODE_ROW: usize = 12

let at: usize = ROWS

function beginTable(table: usize): void {
  store<u32>(table, u32(at))
  store<u32>(table, 0, 4)
}

function addRow(table: usize, size: usize): usize {
  const row = at
  if (at + size > MEMORIES_END) {
    setExhausted(true)
    return ROWS
  }
  at += size
  store<u32>(table, load<u32>(table, 4) + 1, 4)
  return row
}

@inline
function exists(flags: u64): bool {
  return (flags & EXISTS) != 0
}

function hasChanged(account: usize): bool {
  const present = exists(load<u64>(account, FLAGS))
  if (present != exists(load<u64>(account, ORIGINAL_FLAGS))) return true
  if (!present) return false
  return (
    load<u64>(account, NONCE) != load<u64>(account, ORIGINAL_NONCE) ||
    !equalWords(account + BALANCE, account + ORIGINAL_BALANCE) ||
    !equalWords(account + CODE_HASH, account + ORIGINAL_HASH)
  )
}

/** Writes the changes of the block and returns the address of the header. */
export function writeDiff(): usize {
  at = ROWS
  beginTable(ACCOUNT_TABLE)
  for (let account = ACCOUNTS; account < accountsEnd; account += ACCOUNT_ENTRY) {
    if (!hasChanged(account)) continue
    const row = addRow(ACCOUNT_TABLE, ACCOUNT_ROW)
    memory.copy(row, account, 20)
    if (exists(load<u64>(account, FLAGS))) {
      store<u64>(row, bswap(load<u64>(account, NONCE)), 20)
      writeBytes(row + 28, account + BALANCE)
      memory.copy(row + 60, account + CODE_HASH, 32)
    } else {
      memory.fill(row + 20, 0, 72)
    }
  }
  beginTable(CLEARED_TABLE)
  for (let account = ACCOUNTS; account < accountsEnd; account += ACCOUNT_ENTRY) {
    if (load<u64>(account, EPOCH) == 0 || !exists(load<u64>(account, ORIGINAL_FLAGS))) continue
    memory.copy(addRow(CLEARED_TABLE, CLEARED_ROW), account, 20)
  }
  beginTable(SLOT_TABLE)
  for (let slot = SLOTS; slot < slotsEnd; slot += SLOT_ENTRY) {
    const owner: usize = load<u32>(slot, OWNER)
    const epoch = load<u64>(owner, EPOCH)
    const isStale = load<u64>(slot, SLOT_EPOCH) != epoch
    if (epoch != 0) {
      // The storage was emptied: only the values written since are in it
      if (isStale || isZero(slot + VALUE)) continue
    } else if (equalWords(slot + VALUE, slot + BLOCK_ORIGINAL)) {
      continue
    }
    const row = addRow(SLOT_TABLE, SLOT_ROW)
    memory.copy(row, owner, 20)
    writeBytes(row + 20, slot + KEY)
    writeBytes(row + 52, slot + VALUE)
  }
  at = (at + 7) & ~7
  beginTable(CODE_TABLE)
  for (let account = ACCOUNTS; account < accountsEnd; account += ACCOUNT_ENTRY) {
    if (equalWords(account + CODE_HASH, account + ORIGINAL_HASH)) continue
    const code: usize = usize(load<u64>(account, CODE))
    // The empty code is always known; its mark may remain from an aborted message
    if (code == 0 || code == EMPTY_CODE || !takeNewCode(code)) continue
    const row = addRow(CODE_TABLE, CODE_ROW)
    store<u32>(row, u32(code))
    store<u32>(row, u32(code + BYTES), 4)
    store<u32>(row, load<u32>(code, LENGTH), 8)
  }
  return MEMORIES
}

/**
 * Writes the accounts and slots that the last transaction touched, including in failed frames: a table of addresses,
 * and one of addresses with slots (52 bytes). Returns the address of the header.
 */
export function writeAccessed(): usize {
  at = ROWS
  beginTable(ACCOUNT_TABLE)
  for (let account = ACCOUNTS; account < accountsEnd; account += ACCOUNT_ENTRY) {
    if (load<u64>(account, ACCESSED) != serial) continue
    memory.copy(addRow(ACCOUNT_TABLE, 20), account, 20)
  }
  beginTable(CLEARED_TABLE)
  for (let slot = SLOTS; slot < slotsEnd; slot += SLOT_ENTRY) {
    if (load<u64>(slot, SLOT_ACCESSED) != serial) continue
    const row = addRow(CLEARED_TABLE, 52)
    memory.copy(row, load<u32>(slot, OWNER), 20)
    writeBytes(row + 20, slot + KEY)
  }
  return MEMORIES
}
