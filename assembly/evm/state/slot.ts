import { NEED_STORAGE } from '../../generated/status'
import { NEED, SLOT_INDEX, SLOT_INDEX_BITS, SLOTS, SLOTS_END } from '../../layout'
import { clearBytes, copyAddress } from '../../u256/bytes'
import { copyWord, equalWords, setWord, writeBytes } from '../../u256/word'
import { setExhausted } from '../machine/registers'
import { pauseFor } from '../signal'
import { EPOCH, EXISTS, ORIGINAL_FLAGS, serial } from './account'
import { hashWord } from './hash-index'
import { keepCell, keepWord } from './journal'

/** The storage slots that the block has touched, each with its earlier values. */
export const OWNER: usize = 0
/** The entry's cell in the index, used to clear the index. */
const CELL: usize = 4
const SLOT_WARM: usize = 8
/** Epoch of the owner's storage that the values belong to. */
export const SLOT_EPOCH: usize = 16
export const SLOT_ACCESSED: usize = 24
export const KEY: usize = 32
export const VALUE: usize = 64
/** Value when the transaction began (EIP-2200). */
export const ORIGINAL: usize = 96
/** Value when the block began. */
export const BLOCK_ORIGINAL: usize = 128
/** Serial of the last transaction whose state trace contains the slot. */
export const SLOT_LOOKED: usize = 160
/** The slot that the same trace recorded before this one, or 0. */
export const SLOT_LOOKED_BEFORE: usize = 168
/** 1 if the block's access list has the slot (u32). */
export const SLOT_LISTED: usize = 172
export const SLOT_ENTRY: usize = 176

const MASK: u32 = (1 << SLOT_INDEX_BITS) - 1

export let slotsEnd: usize = SLOTS

export function clearSlots(): void {
  if (slotsEnd - SLOTS > 4096 * SLOT_ENTRY) {
    memory.fill(SLOT_INDEX, 0, 4 << SLOT_INDEX_BITS)
  } else {
    for (let at = SLOTS; at < slotsEnd; at += SLOT_ENTRY) {
      store<u32>(SLOT_INDEX + (usize(load<u32>(at, CELL)) << 2), 0)
    }
  }
  slotsEnd = SLOTS
}

/** Removes the slots from `mark` on, latest first, so that each leaves the index as it found it. */
export function forgetSlots(mark: usize): void {
  while (slotsEnd > mark) {
    slotsEnd -= SLOT_ENTRY
    store<u32>(SLOT_INDEX + (usize(load<u32>(slotsEnd, CELL)) << 2), 0)
  }
}

function cellOf(owner: usize, key: usize): u32 {
  let cell = hashWord(owner, key) & MASK
  while (true) {
    const entry: usize = load<u32>(SLOT_INDEX + (usize(cell) << 2))
    if (entry == 0) return cell
    if (load<u32>(entry) == u32(owner) && equalWords(entry + KEY, key)) return cell
    cell = (cell + 1) & MASK
  }
}

function insert(cell: u32, owner: usize, key: usize): usize {
  const slot = slotsEnd
  slotsEnd += SLOT_ENTRY
  clearBytes(slot, SLOT_ENTRY)
  store<u32>(slot, u32(owner))
  store<u32>(slot, cell, CELL)
  store<u64>(slot, load<u64>(owner, EPOCH), SLOT_EPOCH)
  copyWord(slot + KEY, key)
  store<u32>(SLOT_INDEX + (usize(cell) << 2), u32(slot))
  return slot
}

/** Returns the entry of the slot whose key is the word at `key`, or 0 if the block has not touched it yet. */
export function findSlot(owner: usize, key: usize): usize {
  return load<u32>(SLOT_INDEX + (usize(cellOf(owner, key)) << 2))
}

/** Returns the entry of the slot whose key is the word at `key`, or 0 after asking the host for its value. */
export function requireSlot(owner: usize, key: usize): usize {
  const cell = cellOf(owner, key)
  const slot: usize = load<u32>(SLOT_INDEX + (usize(cell) << 2))
  if (slot != 0) {
    const epoch = load<u64>(owner, EPOCH)
    if (load<u64>(slot, SLOT_EPOCH) != epoch) {
      store<u64>(slot, epoch, SLOT_EPOCH)
      setWord(slot + VALUE, 0)
      setWord(slot + ORIGINAL, 0)
    }
    return slot
  }
  if (slotsEnd + SLOT_ENTRY > SLOTS_END) {
    setExhausted(true)
    // Any entry will do: the run ends here
    return SLOTS
  }
  // The storage of an absent account, or one emptied in this block, is known to be zero
  if (load<u64>(owner, EPOCH) != 0 || (load<u64>(owner, ORIGINAL_FLAGS) & EXISTS) == 0) {
    return insert(cell, owner, key)
  }
  copyAddress(NEED, owner)
  writeBytes(NEED + 32, key)
  copyWord(NEED + 64, key)
  store<u32>(NEED, u32(owner), 96)
  pauseFor(NEED_STORAGE)
  return 0
}

/** Adds the slot that the host answered with; `length` is 0 (zero) or 32, big-endian. */
export function insertSlot(value: usize, length: i32): bool {
  if (length != 0 && length != 32) return false
  const owner: usize = load<u32>(NEED, 96)
  const slot = insert(cellOf(owner, NEED + 64), owner, NEED + 64)
  if (length == 32) {
    store<u64>(slot, bswap(load<u64>(value, 24)), VALUE)
    store<u64>(slot, bswap(load<u64>(value, 16)), VALUE + 8)
    store<u64>(slot, bswap(load<u64>(value, 8)), VALUE + 16)
    store<u64>(slot, bswap(load<u64>(value)), VALUE + 24)
    copyWord(slot + ORIGINAL, slot + VALUE)
    copyWord(slot + BLOCK_ORIGINAL, slot + VALUE)
  }
  return true
}

export function setValue(slot: usize, value: usize): void {
  keepWord(slot + VALUE)
  copyWord(slot + VALUE, value)
}

@inline
export function isWarmSlot(slot: usize): bool {
  return load<u64>(slot, SLOT_WARM) == serial
}

@inline
export function warmSlot(slot: usize): void {
  store<u64>(slot, serial, SLOT_ACCESSED)
  if (load<u64>(slot, SLOT_WARM) == serial) return
  keepCell(slot + SLOT_WARM)
  store<u64>(slot, serial, SLOT_WARM)
}
