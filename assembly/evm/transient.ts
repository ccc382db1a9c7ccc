import { TRANSIENT_INDEX, TRANSIENT_INDEX_BITS, TRANSIENTS, TRANSIENTS_END } from '../layout'
import { copyWord, equalWords, setWord } from '../u256/word'
import { hashWord } from './hash-index'
import { keepWord } from './journal'
import { setExhausted } from './machine'

/** Transient storage of one transaction (EIP-1153): owner, key and value, 72 bytes an entry. */
const KEY: usize = 8
const VALUE: usize = 40
const ENTRY: usize = 72
const MASK: u32 = (1 << TRANSIENT_INDEX_BITS) - 1

let end: usize = TRANSIENTS

export function clearTransients(): void {
  if (end - TRANSIENTS > 8192 * ENTRY) {
    memory.fill(TRANSIENT_INDEX, 0, 4 << TRANSIENT_INDEX_BITS)
  } else {
    for (let at = TRANSIENTS; at < end; at += ENTRY) {
      store<u32>(TRANSIENT_INDEX + (usize(cellOf(load<u32>(at), at + KEY)) << 2), 0)
    }
  }
  end = TRANSIENTS
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
    if (end + ENTRY > TRANSIENTS_END) return setExhausted(true)
    entry = end
    end += ENTRY
    store<u64>(entry, owner)
    copyWord(entry + KEY, key)
    setWord(entry + VALUE, 0)
    store<u32>(TRANSIENT_INDEX + (usize(cell) << 2), u32(entry))
  }
  keepWord(entry + VALUE)
  copyWord(entry + VALUE, value)
}
