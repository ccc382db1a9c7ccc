import { AMSTERDAM } from '../../generated/revision'
import {
  ACCESS_LIST,
  ACCESS_LIST_END,
  ACCOUNTS,
  ACCOUNTS_END,
  MEMORIES,
  MEMORIES_END,
} from '../../layout'
import { copyWord, equalWords, setWord, writeBytes } from '../../u256/word'
import { ACCESS_INDEX } from '../context/block'
import { setExhausted } from '../machine/registers'
import { revision } from '../revision'
import { BALANCE, CHANGED, CODE, CODE_HASH, LISTED, NONCE } from './account'
import { BYTES, LENGTH } from './code'
import { KEY, OWNER, SLOT_LISTED, VALUE } from './slot'

/**
 * The block-level access list (EIP-7928): which accounts and slots the transactions of the block access, even in
 * frames that fail, and what each changes. Accessed entries are addresses (u32) that grow up. Changes grow down: kind
 * u32, index u32, entry u32 (account or slot), previous change of the account u32, code record u32, padding 4, then
 * the words before and after.
 */
const KIND: usize = 0
const INDEX: usize = 4
const ENTRY: usize = 8
const PREVIOUS: usize = 12
const CODE_RECORD: usize = 16
const BEFORE: usize = 24
const AFTER: usize = 56
const CHANGE: usize = 88

/** Kinds of changes. */
const STORAGE_CHANGE: u32 = 0
const BALANCE_CHANGE: u32 = 1
const NONCE_CHANGE: u32 = 2
const CODE_CHANGE: u32 = 3

/** The list of accessed entries: its end, and its end before the running message. */
let end: usize = ACCESS_LIST
let mark: usize = ACCESS_LIST
let changesStart: usize = ACCESS_LIST_END
/** Index of the running message: 0 before the first transaction (EIP-7928). */
let index: u32 = 0

export function clearAccessList(): void {
  end = ACCESS_LIST
  mark = ACCESS_LIST
  changesStart = ACCESS_LIST_END
  index = load<u32>(ACCESS_INDEX)
}

/** Returns the first byte that no list uses, and the first that the changes use. */
export function accessListEnd(): usize {
  return end
}

export function accessChangesStart(): usize {
  return changesStart
}

/** Starts a message: a transaction has the next index, a call by the protocol the current one. */
export function beginAccesses(isTransaction: bool): void {
  mark = end
  if (isTransaction) index++
}

/** Removes what the aborted message has accessed. */
export function forgetAccesses(isTransaction: bool): void {
  while (end > mark) {
    end -= 4
    const entry: usize = load<u32>(end)
    store<u32>(entry + (isAccount(entry) ? LISTED : SLOT_LISTED), 0)
  }
  if (isTransaction) index--
}

@inline
function isAccount(entry: usize): bool {
  return entry >= ACCOUNTS && entry < ACCOUNTS_END
}

function append(entry: usize): void {
  if (end + 4 > changesStart) return setExhausted(true)
  store<u32>(end, u32(entry))
  end += 4
}

/** Lists an account that the running message has loaded. */
export function noteAccess(account: usize): void {
  if (revision < AMSTERDAM || load<u32>(account, LISTED) != 0) return
  store<u32>(account, 1, LISTED)
  append(account)
}

/** Lists a slot that the running message has loaded. */
export function noteSlotAccess(slot: usize): void {
  if (revision < AMSTERDAM || load<u32>(slot, SLOT_LISTED) != 0) return
  store<u32>(slot, 1, SLOT_LISTED)
  append(slot)
}

function addChange(kind: u32, entry: usize): usize {
  if (changesStart - CHANGE < end) {
    setExhausted(true)
    return changesStart
  }
  changesStart -= CHANGE
  store<u32>(changesStart, kind, KIND)
  store<u32>(changesStart, index, INDEX)
  store<u32>(changesStart, u32(entry), ENTRY)
  store<u32>(changesStart, 0, PREVIOUS)
  store<u32>(changesStart, 0, CODE_RECORD)
  return changesStart
}

/** Records the final value of a slot that the message has changed. */
export function noteSlotChange(slot: usize): void {
  const change = addChange(STORAGE_CHANGE, slot)
  copyWord(change + AFTER, slot + VALUE)
}

/** Returns the change of this kind that the running message has made, or a new one. */
function changeOf(account: usize, kind: u32): usize {
  let at: usize = load<u32>(account, CHANGED)
  for (; at != 0 && load<u32>(at, INDEX) == index; at = load<u32>(at, PREVIOUS)) {
    if (load<u32>(at, KIND) == kind) return at
  }
  const change = addChange(kind, account)
  store<u32>(change, load<u32>(account, CHANGED), PREVIOUS)
  store<u32>(account, u32(change), CHANGED)
  return change
}

/**
 * Records an entry of the journal, whose `cell` of the account had the value at `before`, or zero if that is 0. The
 * journal is read from its end, so the last call for a cell has the value before the message.
 */
export function noteAccountChange(account: usize, cell: usize, before: usize): void {
  const field = cell - account
  if (field == NONCE) {
    const change = changeOf(account, NONCE_CHANGE)
    setWord(change + BEFORE, load<u64>(before))
    setWord(change + AFTER, load<u64>(account, NONCE))
  } else if (field == BALANCE || field == CODE_HASH) {
    const change = changeOf(account, field == BALANCE ? BALANCE_CHANGE : CODE_CHANGE)
    if (before == 0) setWord(change + BEFORE, 0)
    else copyWord(change + BEFORE, before)
    copyWord(change + AFTER, cell)
    store<u32>(change, u32(load<u64>(account, CODE)), CODE_RECORD)
  }
}

/** Tables for the host, over the EVM memories: address and number of rows (u32 each) of accounts, slots, changes. */
const ROWS: usize = MEMORIES + 64
const ACCOUNT_ROW: usize = 20
const SLOT_ROW: usize = 52
const CHANGE_ROW: usize = 96

/**
 * Writes what the block has accessed and changed, and returns the address of the header. Rows of accounts and slots
 * are those of `writeAccessed`. A change is kind u32, index u32, address 20, padding 4, key 32 and value 32; for code
 * the value is its address and length, u32 each.
 */
export function writeAccessList(): usize {
  const listed = (end - ACCESS_LIST) >> 2
  const changes = (ACCESS_LIST_END - changesStart) / CHANGE
  if (ROWS + listed * SLOT_ROW + changes * CHANGE_ROW + 8 > MEMORIES_END) {
    setExhausted(true)
    return 0
  }
  let at = ROWS
  let count: u32 = 0
  store<u32>(MEMORIES, u32(at))
  for (let cell = ACCESS_LIST; cell < end; cell += 4) {
    const account: usize = load<u32>(cell)
    if (!isAccount(account)) continue
    memory.copy(at, account, 20)
    at += ACCOUNT_ROW
    count++
  }
  store<u32>(MEMORIES, count, 4)
  store<u32>(MEMORIES, u32(at), 8)
  for (let cell = ACCESS_LIST; cell < end; cell += 4) {
    const slot: usize = load<u32>(cell)
    if (isAccount(slot)) continue
    memory.copy(at, load<u32>(slot, OWNER), 20)
    writeBytes(at + 20, slot + KEY)
    at += SLOT_ROW
  }
  store<u32>(MEMORIES, u32(listed) - count, 12)
  count = 0
  store<u32>(MEMORIES, u32(at), 16)
  for (let change = changesStart; change < ACCESS_LIST_END; change += CHANGE) {
    const kind = load<u32>(change, KIND)
    if (kind != STORAGE_CHANGE && equalWords(change + BEFORE, change + AFTER)) continue
    const entry: usize = load<u32>(change, ENTRY)
    store<u32>(at, kind)
    store<u32>(at, load<u32>(change, INDEX), 4)
    memory.copy(at + 8, kind == STORAGE_CHANGE ? usize(load<u32>(entry, OWNER)) : entry, 20)
    if (kind == STORAGE_CHANGE) writeBytes(at + 32, entry + KEY)
    if (kind == CODE_CHANGE) {
      const record: usize = load<u32>(change, CODE_RECORD)
      store<u32>(at, u32(record + BYTES), 64)
      store<u32>(at, load<u32>(record, LENGTH), 68)
    } else {
      writeBytes(at + 64, change + AFTER)
    }
    at += CHANGE_ROW
    count++
  }
  store<u32>(MEMORIES, count, 20)
  return MEMORIES
}
