import { INVALID, JUMPDEST } from '../../generated/opcode'
import { keccak256 } from '../../hash/keccak'
import { CODE_INDEX, CODE_INDEX_BITS, CODES, CODES_END, NEED } from '../../layout'
import { copyWord } from '../../u256/word'
import { setExhausted } from '../machine/registers'
import { isDefined, opcodeLength } from '../opcode'
import { revision } from '../revision'
import { clearRegions } from './region'
import { fuse } from './superinstruction'

/**
 * Code by its hash. A record is the hash, the length, the address of the executable form (0 until its first run), the
 * previous record and the age, followed by the padded code. Records outlive blocks: the hash identifies the code, so
 * only a change of revision makes a record stale.
 *
 * The executable form is a copy of the same length whose bytes the loop dispatches on. An opcode that the revision
 * does not assign becomes INVALID, a sequence of superinstruction.ts its fused opcode. The copy is padded, so that a
 * PUSH at the end reads zeros and running off the end meets STOP. A bitmap of the valid jump destinations follows.
 */
export const LENGTH: usize = 32
const EXECUTABLE: usize = 36
const PREVIOUS: usize = 40
/** 1 for code that the block itself deployed; it belongs in the block's diff. */
const IS_NEW: usize = 44
export const BYTES: usize = 48
/** A PUSH32 in the last byte reads 32 more. */
const PADDING: u32 = 33

const MASK: u32 = (1 << CODE_INDEX_BITS) - 1

/** Record of the empty code. Its first bytes are the hash of the empty string. */
export const EMPTY_CODE: usize = CODES

let end: usize = CODES
let count: u32 = 0
let newest: usize = 0

/** Returns the first byte that no code uses. */
export function codesEnd(): usize {
  return end
}

@inline
function padded(length: u32): usize {
  return (usize(length) + PADDING + 7) & ~7
}

export function clearCodes(): void {
  memory.fill(CODE_INDEX, 0, 4 << CODE_INDEX_BITS)
  end = CODES
  count = 0
  newest = 0
  clearRegions()
  addCode(0, 0, false)
}

/**
 * Starts a block: code of earlier blocks is no longer new. Drops all code when half of the region or of the index is
 * full.
 */
export function ageCodes(): void {
  const isCrowded = end - CODES > (CODES_END - CODES) / 2 || count > MASK >> 1
  if (end == CODES || isCrowded) return clearCodes()
  for (let at = newest; at != 0; at = load<u32>(at, PREVIOUS)) store<u32>(at, 0, IS_NEW)
}

function cellOf(hash: usize): u32 {
  let cell = load<u32>(hash, 4) & MASK
  while (true) {
    const record: usize = load<u32>(CODE_INDEX + (usize(cell) << 2))
    if (record == 0) return cell
    if (
      load<u64>(record) == load<u64>(hash) &&
      load<u64>(record, 8) == load<u64>(hash, 8) &&
      load<u64>(record, 16) == load<u64>(hash, 16) &&
      load<u64>(record, 24) == load<u64>(hash, 24)
    ) {
      return cell
    }
    cell = (cell + 1) & MASK
  }
}

/** Returns the record of a code hash, or 0. */
export function findCode(hash: usize): usize {
  return load<u32>(CODE_INDEX + (usize(cellOf(hash)) << 2))
}

function insertRecord(hash: usize, bytes: usize, length: u32, isNew: bool): usize {
  const size = BYTES + padded(length)
  if (end + size > CODES_END || count >= MASK) {
    setExhausted(true)
    return EMPTY_CODE
  }
  const cell = cellOf(hash)
  const record = end
  end += size
  count++
  copyWord(record, hash)
  store<u32>(record, length, LENGTH)
  store<u32>(record, 0, EXECUTABLE)
  store<u32>(record, u32(newest), PREVIOUS)
  store<u32>(record, isNew ? 1 : 0, IS_NEW)
  memory.copy(record + BYTES, bytes, length)
  memory.fill(record + BYTES + length, 0, padded(length) - length)
  store<u32>(CODE_INDEX + (usize(cell) << 2), u32(record))
  newest = record
  return record
}

/** Returns the record of `length` bytes of code. Adds it if it is absent. */
export function addCode(bytes: usize, length: u32, isNew: bool): usize {
  keccak256(bytes, length, HASH)
  const record = findCode(HASH)
  if (record == 0) return insertRecord(HASH, bytes, length, isNew)
  if (isNew) store<u32>(record, 1, IS_NEW)
  return record
}

const HASH: usize = memory.data(32)

/** Adds the code that the host answered with, under the requested hash. */
export function insertCode(bytes: usize, length: u32): bool {
  insertRecord(NEED, bytes, length, false)
  return true
}

/** Returns true for a record that the block deployed, or deployed again. */
export function isNewCode(record: usize): bool {
  return load<u32>(record, IS_NEW) != 0
}

/** Returns true for a record that the block deployed, and clears its mark. */
export function takeNewCode(record: usize): bool {
  if (!isNewCode(record)) return false
  store<u32>(record, 0, IS_NEW)
  return true
}

/** Returns the size of the executable form of `length` bytes of code. */
@inline
function executableSize(length: u32): usize {
  return padded(length) + ((usize(length) + 8) >> 3)
}

/** Returns the address of the jump destination bitmap of an executable form. */
@inline
export function bitmapOf(executable: usize, length: u32): usize {
  return executable + padded(length)
}

/** Writes the executable form of padded code. */
export function makeExecutable(out: usize, code: usize, length: u32): void {
  const bitmap = bitmapOf(out, length)
  memory.copy(out, code, padded(length))
  memory.fill(bitmap, 0, (usize(length) + 8) >> 3)
  for (let at: u32 = 0; at < length; ) {
    const opcode = load<u8>(code + at)
    if (opcode == JUMPDEST) {
      const cell = bitmap + (at >> 3)
      store<u8>(cell, load<u8>(cell) | u8(u32(1) << (at & 7)))
    } else if (!isDefined(opcode, revision)) {
      store<u8>(out + at, u8(INVALID))
    }
    at += opcodeLength(code + at, revision)
  }
  fuse(out, code, length, bitmap)
}

/** Returns the executable form of a record, and makes it on the first run. */
export function executableOf(record: usize): usize {
  const known: usize = load<u32>(record, EXECUTABLE)
  if (known != 0) return known
  const length = load<u32>(record, LENGTH)
  const size = (executableSize(length) + 7) & ~7
  if (end + size > CODES_END) {
    setExhausted(true)
    return record + BYTES
  }
  const executable = end
  end += size
  makeExecutable(executable, record + BYTES, length)
  store<u32>(record, u32(executable), EXECUTABLE)
  return executable
}

/** Copies `length` bytes of code and pads them to run as initcode. */
export function padCode(out: usize, bytes: usize, length: u32): usize {
  memory.copy(out, bytes, length)
  memory.fill(out + length, 0, padded(length) - length)
  return padded(length)
}

/** Returns true for a delegation designator: 0xef0100 and an address (EIP-7702). */
export function isDelegation(record: usize): bool {
  return load<u32>(record, LENGTH) == 23 && (load<u32>(record, BYTES) & 0xffffff) == 0x0001ef
}

/** Returns the address of the 20 bytes in a designator. */
@inline
export function delegate(record: usize): usize {
  return record + BYTES + 3
}
