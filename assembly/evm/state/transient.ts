import { MEMORIES_END, TRANSIENT_INDEX, TRANSIENT_INDEX_BITS } from '../../layout'
import { copyWord, equalWords, setWord } from '../../u256/word'
import { memoryLimit, setMemoryLimit, transientFloor } from '../machine/memory'
import { setExhausted } from '../machine/registers'
import { hashWord } from './hash-index'
import { keepWord } from './journal'

/**
 * Transient storage of one transaction (EIP-1153): owner (u32), key and value. An entry has 68 bytes, since 120
 * million gas make more than a million of them. The latest lies at `memoryLimit`; they grow down, towards the EVM
 * memories.
 */
const KEY: usize = 4
const VALUE: usize = 36
const ENTRY: usize = 68
const MASK: u32 = (1 << TRANSIENT_INDEX_BITS) - 1

export function clearTransients(): void {
  if (MEMORIES_END - memoryLimit > 8192 * ENTRY) {
    memory.fill(TRANSIENT_INDEX, 0, 4 << TRANSIENT_INDEX_BITS)
  } else {
    // Latest first: probing for an entry passes only older ones
    for (let at = memoryLimit; at < MEMORIES_END; at += ENTRY) {
      store<u32>(TRANSIENT_INDEX + (usize(cellOf(load<u32>(at), at + KEY)) << 2), 0)
    }
  }
  setMemoryLimit(MEMORIES_END)
}

function cellOf(owner: usize, key: usize): u32 {
  let cell = hashWord(owner, key) & MASK
  while (true) {
    const entry: usize = load<u32>(TRANSIENT_INDEX + (usize(cell) << 2))
    if (entry == 0) return cell
    if (load<u32>(entry) == u32(owner) && equalWords(entry + KEY, key)) return cell
    cell = (cell + 1) & MASK
  }
}

export function loadTransient(out: usize, owner: usize, key: usize): void {
  const entry: usize = load<u32>(TRANSIENT_INDEX + (usize(cellOf(owner, key)) << 2))
  if (entry == 0) setWord(out, 0)
  else copyWord(out, entry + VALUE)
}

export function storeTransient(owner: usize, key: usize, value: usize): void {
  const cell = cellOf(owner, key)
  let entry: usize = load<u32>(TRANSIENT_INDEX + (usize(cell) << 2))
  if (entry == 0) {
    if (memoryLimit - ENTRY < transientFloor()) return setExhausted(true)
    entry = memoryLimit - ENTRY
    setMemoryLimit(entry)
    store<u32>(entry, u32(owner))
    copyWord(entry + KEY, key)
    setWord(entry + VALUE, 0)
    store<u32>(TRANSIENT_INDEX + (usize(cell) << 2), u32(entry))
  }
  keepWord(entry + VALUE)
  copyWord(entry + VALUE, value)
}
