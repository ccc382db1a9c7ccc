import {
  BURN as BURN_OPERATION,
  LOG as LOG_OPERATION,
  MOVE as MOVE_OPERATION,
  READ_ACCOUNT,
  READ_ROW,
  WRITE_ROW,
} from '../generated/host-call'
import { copyBytes } from '../u256/bytes'
import { addWords, isLess, isZero, readBytes, subtractWords, writeBytes } from '../u256/word'
import { charge, isRunning, overflow, setMissing, writeId } from './call'
import {
  ACCOUNT_READ,
  LOG,
  LOG_BYTE,
  LOG_TOPIC,
  MOVE,
  NEW_ACCOUNT,
  ROW_AGAIN,
  ROW_CHANGE,
  ROW_NEW,
  ROW_READ,
} from './generated/gas'
import {
  EFFECTS,
  EFFECTS_END,
  MAX_READS,
  READ_INDEX,
  READ_INDEX_BITS,
  READ_SIZE,
  READS,
  RESULT_OFFSET,
} from './layout'

/**
 * The state as the call sees it. Each value is requested from the host once. A read begins with the operation that
 * the engine performs for it (evm/frame/host-operation.ts), 64 bytes, and its result, 72. Then follow, for this run
 * of the call, the current row or balance, 32 bytes, and the run that touched it. Changes go to EFFECTS, each an
 * operation preceded by its size (u32, padding 4). They apply when the call succeeds.
 */
const KIND: usize = 0
const ADDRESS: usize = 8
const KEY: usize = 32
const OPERATION_SIZE: usize = 64
const RESULT: usize = RESULT_OFFSET
const CURRENT: usize = 144
const TOUCHED: usize = 176

// The result of reading an account.
const NONCE: usize = RESULT
const BALANCE: usize = RESULT + 8
const CODE_HASH: usize = RESULT + 40

const MASK: u32 = (1 << READ_INDEX_BITS) - 1

const NO_KEY: usize = memory.data(32, 8)
const ZEROS: usize = memory.data(32, 8)
const LOOKED_FOR: usize = memory.data(32, 8)
const WORD_1: usize = memory.data(32, 8)
const WORD_2: usize = memory.data(32, 8)
/** A record that stands in for one not known yet. */
const UNKNOWN: usize = memory.data(192, 8)

/** Keccak-256 of the empty string. */
const EMPTY_HASH: usize = memory.data<u8>([
  0xc5, 0xd2, 0x46, 0x01, 0x86, 0xf7, 0x23, 0x3c, 0x92, 0x7e, 0x7d, 0xb2, 0xdc, 0xc7, 0x03, 0xc0,
  0xe5, 0x00, 0xb6, 0x53, 0xca, 0x82, 0x27, 0x3b, 0x7b, 0xfa, 0xd8, 0x04, 0x5d, 0x85, 0xa4, 0x70,
])

let reads: u32 = 0
let answered: u32 = 0
let run: u32 = 0
export let effectsEnd: usize = EFFECTS

/** Forgets all reads, for another call. */
export function forgetReads(): void {
  if (reads > 0) memory.fill(READ_INDEX, 0, 4 << READ_INDEX_BITS)
  reads = 0
  answered = 0
}

/** Begins another run of the same call. */
export function beginRun(): void {
  run++
  effectsEnd = EFFECTS
}

/** Returns the number of reads that the host has not answered yet. */
export function missingReads(): u32 {
  return reads - answered
}

/** Returns the first of them. */
export function missingRead(): usize {
  return readAt(answered)
}

/** Marks the first of them as answered, after the host has written its result. */
export function takeAnswer(): void {
  if (answered < reads) answered++
}

@inline
function readAt(index: u32): usize {
  return READS + usize(index) * READ_SIZE
}

function hash(kind: u32, address: usize, key: usize): u32 {
  let mixed = (load<u64>(address) ^ u64(kind)) * 0x9e3779b97f4a7c15
  mixed = (mixed ^ (mixed >> 29) ^ load<u64>(address, 8)) * 0xbf58476d1ce4e5b9
  mixed = (mixed ^ (mixed >> 32) ^ u64(load<u32>(address, 16))) * 0x94d049bb133111eb
  for (let i: usize = 0; i < 32; i += 8) {
    mixed = (mixed ^ (mixed >> 29) ^ load<u64>(key + i)) * 0x9e3779b97f4a7c15
  }
  return u32(mixed >> 40)
}

function isSame(read: usize, kind: u32, address: usize, key: usize): bool {
  if (load<u32>(read, KIND) != kind) return false
  if (memory.compare(read + ADDRESS, address, 20) != 0) return false
  return memory.compare(read + KEY, key, 32) == 0
}

function findCell(kind: u32, address: usize, key: usize): u32 {
  let cell = hash(kind, address, key) & MASK
  while (true) {
    const read: usize = load<u32>(READ_INDEX + (usize(cell) << 2))
    if (read == 0 || isSame(read, kind, address, key)) return cell
    cell = (cell + 1) & MASK
  }
}

@inline
function readIn(cell: u32): usize {
  return load<u32>(READ_INDEX + (usize(cell) << 2))
}

/** Returns a new read; UNKNOWN if there is no room for it. */
function addRead(cell: u32, kind: u32, address: usize, key: usize): usize {
  if (reads == MAX_READS) {
    overflow()
    return UNKNOWN
  }
  const read = readAt(reads)
  reads++
  memory.fill(read, 0, READ_SIZE)
  store<u32>(read, kind, KIND)
  copyBytes(read + ADDRESS, address, 20)
  copyBytes(read + KEY, key, 32)
  store<u32>(READ_INDEX + (usize(cell) << 2), u32(read))
  return read
}

/** Returns the read of a row or account, and charges for it; UNKNOWN if there is no room or gas for it. */
function touch(kind: u32, address: usize, key: usize): usize {
  if (!isRunning()) return UNKNOWN
  const cell = findCell(kind, address, key)
  let read = readIn(cell)
  const isFirst = read == 0 || load<u32>(read, TOUCHED) != run
  const first = kind == READ_ROW ? ROW_READ : ACCOUNT_READ
  if (!charge(isFirst ? first : ROW_AGAIN)) return UNKNOWN
  if (read == 0) read = addRead(cell, kind, address, key)
  if (read == UNKNOWN) return UNKNOWN
  if (isFirst) {
    store<u32>(read, run, TOUCHED)
    copyBytes(read + CURRENT, read + (kind == READ_ROW ? RESULT : BALANCE), 32)
  }
  return read
}

@inline
function isAnswered(read: usize): bool {
  return read != UNKNOWN && read < readAt(answered)
}

function rowOf(id: u32, key: usize): usize {
  writeId(LOOKED_FOR, id)
  return touch(READ_ROW, LOOKED_FOR, key)
}

/** Returns true if a precompile had a row under a key when the call began. It costs no gas. */
export function hasRow(id: u32, key: usize): bool {
  if (!isRunning()) return false
  writeId(LOOKED_FOR, id)
  const cell = findCell(READ_ROW, LOOKED_FOR, key)
  let read = readIn(cell)
  if (read == 0) read = addRead(cell, READ_ROW, LOOKED_FOR, key)
  if (!isAnswered(read)) {
    setMissing()
    return false
  }
  return !isZero(read + RESULT)
}

/** Requests a row together with other wanted ones, before it is read. */
export function wantRow(id: u32, key: usize): void {
  rowOf(id, key)
}

/**
 * Returns the address of a precompile's row under a key, both 32 bytes; zeros if it is absent. Valid until the row is
 * written.
 */
export function readRow(id: u32, key: usize): usize {
  const read = rowOf(id, key)
  if (!isAnswered(read)) {
    setMissing()
    return ZEROS
  }
  return read + CURRENT
}

/** Writes a row, 32 bytes; zeros delete it. */
export function writeRow(id: u32, key: usize, value: usize): void {
  const read = rowOf(id, key)
  if (!isAnswered(read)) return setMissing()
  const current = read + CURRENT
  if (memory.compare(current, value, 32) == 0) return
  if (!charge(isZero(current) ? ROW_NEW : ROW_CHANGE)) return
  copyBytes(current, value, 32)
}

function accountOf(address: usize): usize {
  return touch(READ_ACCOUNT, address, NO_KEY)
}

/** Requests an account together with other wanted ones. */
export function wantAccount(address: usize): void {
  accountOf(address)
}

/** Writes the balance of an account, in wei, to the word at `out`. */
export function readBalance(out: usize, address: usize): void {
  const account = accountOf(address)
  if (!isAnswered(account)) setMissing()
  readBytes(out, account + CURRENT)
}

/** Returns true if nonce, balance and code are empty. */
function isEmpty(account: usize): bool {
  if (load<u64>(account, NONCE) != 0 || !isZero(account + CURRENT)) return false
  const hash = account + CODE_HASH
  return isZero(hash) || memory.compare(hash, EMPTY_HASH, 32) == 0
}

/** Moves wei, a word. Returns false if the account has less. */
export function moveWei(from: usize, to: usize, amount: usize): bool {
  if (isZero(amount)) return true
  const payer = accountOf(from)
  const payee = accountOf(to)
  if (!isAnswered(payer) || !isAnswered(payee)) {
    setMissing()
    return true
  }
  readBytes(WORD_1, payer + CURRENT)
  if (isLess(WORD_1, amount)) return false
  if (!charge(isEmpty(payee) ? MOVE + NEW_ACCOUNT : MOVE)) return true
  subtractWords(WORD_1, WORD_1, amount)
  writeBytes(payer + CURRENT, WORD_1)
  readBytes(WORD_2, payee + CURRENT)
  addWords(WORD_2, WORD_2, amount)
  writeBytes(payee + CURRENT, WORD_2)
  const operation = addEffect(MOVE_OPERATION, 96)
  if (operation == 0) return true
  copyBytes(operation + 8, from, 20)
  copyBytes(operation + 32, to, 20)
  writeBytes(operation + 64, amount)
  return true
}

/** Burns wei, a word, of an account whose balance must suffice. */
export function burnWei(from: usize, amount: usize): void {
  if (isZero(amount)) return
  const payer = accountOf(from)
  if (!isAnswered(payer)) return setMissing()
  if (!charge(MOVE)) return
  readBytes(WORD_1, payer + CURRENT)
  subtractWords(WORD_1, WORD_1, amount)
  writeBytes(payer + CURRENT, WORD_1)
  const operation = addEffect(BURN_OPERATION, 96)
  if (operation == 0) return
  copyBytes(operation + 8, from, 20)
  writeBytes(operation + 64, amount)
}

/** Emits a log of a precompile. The topics are 32 bytes each, at `topicsAt`. */
export function emitLog(id: u32, topics: u32, topicsAt: usize, data: usize, size: u32): void {
  if (!charge(LOG + LOG_TOPIC * u64(topics) + LOG_BYTE * u64(size))) return
  const operation = addEffect(LOG_OPERATION, 32 + 32 * usize(topics) + usize(size))
  if (operation == 0) return
  store<u32>(operation, topics, 4)
  writeId(operation + 8, id)
  store<u32>(operation, size, 28)
  copyBytes(operation + 32, topicsAt, 32 * usize(topics))
  copyBytes(operation + 32 + 32 * usize(topics), data, size)
}

/** Returns space for another operation of `size` bytes, or 0 if there is none. */
function addEffect(kind: u32, size: usize): usize {
  const next = effectsEnd + 8 + ((size + 7) & ~7)
  if (next > EFFECTS_END) {
    overflow()
    return 0
  }
  const operation = effectsEnd + 8
  store<u32>(effectsEnd, u32(size))
  memory.fill(operation, 0, next - operation)
  store<u32>(operation, kind)
  effectsEnd = next
  return operation
}

/** Adds the changed rows to the effects, in the order in which the call first touched them. */
export function addChangedRows(): void {
  for (let i: u32 = 0; i < reads && isRunning(); i++) {
    const read = readAt(i)
    if (load<u32>(read, KIND) != READ_ROW || load<u32>(read, TOUCHED) != run) continue
    if (memory.compare(read + CURRENT, read + RESULT, 32) == 0) continue
    const operation = addEffect(WRITE_ROW, 96)
    if (operation == 0) return
    copyBytes(operation + 8, read + ADDRESS, 20)
    copyBytes(operation + 32, read + KEY, 32)
    copyBytes(operation + OPERATION_SIZE, read + CURRENT, 32)
  }
}
