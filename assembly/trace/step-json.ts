import { STEP_NAME_SIZE, STEP_NAMES, STEP_TEXT } from '../layout'

/**
 * A step of geth's structLogs, written as JSON. At STEP_TEXT: start of the text u32, end of its stack u32. The
 * stack's text stays at STACK from step to step, so words that the previous opcode did not touch are not written
 * again. The text before the stack is written to end at STACK.
 */
const START: usize = STEP_TEXT
const STACK_END: usize = STEP_TEXT + 4
/** Offsets in the text at which the words of the stack end, u32 each. */
const ENDS: usize = STEP_TEXT + 64
const HEAD: usize = ENDS + 4 * 1025
export const STACK: usize = HEAD + 512

/** Fields of a step in the trace buffer (trace-buffer.ts, emitStep). */
const SIZE: usize = 4
const OPCODE: usize = 8
const DEPTH: usize = 12
const PC: usize = 16
const GAS: usize = 24
const COST: usize = 32
const REFUND: usize = 40
const HEIGHT: usize = 48
const WORDS: usize = 64

/** 16 bytes each, padded. */
// biome-ignore format: rows of a table
const PARTS: usize = memory.data<u8>([
  0x7b, 0x22, 0x70, 0x63, 0x22, 0x3a, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, // {"pc":
  0x2c, 0x22, 0x67, 0x61, 0x73, 0x43, 0x6f, 0x73, 0x74, 0x22, 0x3a, 0x20, 0x20, 0x20, 0x20, 0x20, // ,"gasCost":
  0x2c, 0x22, 0x64, 0x65, 0x70, 0x74, 0x68, 0x22, 0x3a, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, // ,"depth":
  0x2c, 0x22, 0x73, 0x74, 0x61, 0x63, 0x6b, 0x22, 0x3a, 0x5b, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, // ,"stack":[
  0x2c, 0x22, 0x72, 0x65, 0x66, 0x75, 0x6e, 0x64, 0x22, 0x3a, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, // ,"refund":
])
/** 00 to 99. */
// biome-ignore format: rows of a table
const PAIRS: usize = memory.data<u8>([
  0x30, 0x30, 0x30, 0x31, 0x30, 0x32, 0x30, 0x33, 0x30, 0x34, 0x30, 0x35, 0x30, 0x36, 0x30, 0x37, 0x30, 0x38, 0x30, 0x39,
  0x31, 0x30, 0x31, 0x31, 0x31, 0x32, 0x31, 0x33, 0x31, 0x34, 0x31, 0x35, 0x31, 0x36, 0x31, 0x37, 0x31, 0x38, 0x31, 0x39,
  0x32, 0x30, 0x32, 0x31, 0x32, 0x32, 0x32, 0x33, 0x32, 0x34, 0x32, 0x35, 0x32, 0x36, 0x32, 0x37, 0x32, 0x38, 0x32, 0x39,
  0x33, 0x30, 0x33, 0x31, 0x33, 0x32, 0x33, 0x33, 0x33, 0x34, 0x33, 0x35, 0x33, 0x36, 0x33, 0x37, 0x33, 0x38, 0x33, 0x39,
  0x34, 0x30, 0x34, 0x31, 0x34, 0x32, 0x34, 0x33, 0x34, 0x34, 0x34, 0x35, 0x34, 0x36, 0x34, 0x37, 0x34, 0x38, 0x34, 0x39,
  0x35, 0x30, 0x35, 0x31, 0x35, 0x32, 0x35, 0x33, 0x35, 0x34, 0x35, 0x35, 0x35, 0x36, 0x35, 0x37, 0x35, 0x38, 0x35, 0x39,
  0x36, 0x30, 0x36, 0x31, 0x36, 0x32, 0x36, 0x33, 0x36, 0x34, 0x36, 0x35, 0x36, 0x36, 0x36, 0x37, 0x36, 0x38, 0x36, 0x39,
  0x37, 0x30, 0x37, 0x31, 0x37, 0x32, 0x37, 0x33, 0x37, 0x34, 0x37, 0x35, 0x37, 0x36, 0x37, 0x37, 0x37, 0x38, 0x37, 0x39,
  0x38, 0x30, 0x38, 0x31, 0x38, 0x32, 0x38, 0x33, 0x38, 0x34, 0x38, 0x35, 0x38, 0x36, 0x38, 0x37, 0x38, 0x38, 0x38, 0x39,
  0x39, 0x30, 0x39, 0x31, 0x39, 0x32, 0x39, 0x33, 0x39, 0x34, 0x39, 0x35, 0x39, 0x36, 0x39, 0x37, 0x39, 0x38, 0x39, 0x39,
])
// biome-ignore format: rows of a table
const DIGITS: usize = memory.data<u8>([
  0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66,
])

/** The step whose stack is at STACK: the end of its record, and how many words its opcode leaves. */
let previousEnd: usize = 0
let previousDepth: u32 = 0
let kept: u32 = 0

/** Starts a new trace buffer: no step continues the one written last. */
export function beginText(): void {
  previousEnd = 0
}

@inline
function put(out: usize, part: usize, size: usize): usize {
  v128.store(out, v128.load(PARTS + (part << 4)))
  return out + size
}

/** Returns the number of decimal digits of a number. */
@inline
function digitCount(value: u32): usize {
  return (
    1 +
    usize(value >= 10) +
    usize(value >= 100) +
    usize(value >= 1000) +
    usize(value >= 10000) +
    usize(value >= 100000) +
    usize(value >= 1000000) +
    usize(value >= 10000000) +
    usize(value >= 100000000) +
    usize(value >= 1000000000)
  )
}

/** Writes the digits of a number so that they end at `end`. */
@inline
function putDigits(end: usize, value: u32): void {
  let at = end
  let rest = value
  while (rest >= 100) {
    at -= 2
    store<u16>(at, load<u16>(PAIRS + (usize(rest % 100) << 1)))
    rest /= 100
  }
  if (rest >= 10) store<u16>(at - 2, load<u16>(PAIRS + (usize(rest) << 1)))
  else store<u8>(at - 1, u8(rest) + 0x30)
}

/** Writes a number in decimal and returns the end. */
function putNumber(out: usize, value: u64): usize {
  if (value < 1 << 32) {
    const end = out + digitCount(u32(value))
    putDigits(end, u32(value))
    return end
  }
  // Nine digits at a time, which fit 32 bits
  const end = putNumber(out, value / 1000000000) + 9
  store<u64>(end - 9, 0x3030303030303030)
  store<u8>(end - 1, 0x30)
  putDigits(end, u32(value % 1000000000))
  return end
}

/** The 16 hexadecimal digits of a limb. */
@inline
function digitsOf(limb: u64): v128 {
  const bytes = i64x2.splat(bswap(limb))
  const high = i8x16.shr_u(bytes, 4)
  const low = v128.and(bytes, i8x16.splat(15))
  const nibbles = v128.shuffle<u8>(
    high,
    low,
    0,
    16,
    1,
    17,
    2,
    18,
    3,
    19,
    4,
    20,
    5,
    21,
    6,
    22,
    7,
    23,
  )
  return i8x16.swizzle(v128.load(DIGITS), nibbles)
}

/** Writes a word as a quoted quantity with a trailing comma and returns the end. */
function putWord(out: usize, word: usize): usize {
  store<u32>(out, 0x783022) // "0x
  out += 3
  let limb: usize = 24
  while (limb > 0 && load<u64>(word + limb) == 0) limb -= 8
  const top = load<u64>(word + limb)
  const count: usize = top == 0 ? 1 : 16 - (usize(clz(top)) >> 2)
  v128.store(out, digitsOf(top << ((16 - count) << 2)))
  out += count
  while (limb > 0) {
    limb -= 8
    v128.store(out, digitsOf(load<u64>(word + limb)))
    out += 16
  }
  store<u16>(out, 0x2c22) // ",
  return out + 2
}

/** Writes the words of a step's stack that are not there yet and returns the end of the text. */
function putStack(record: usize, taken: u32): usize {
  const height = load<u32>(record, HEIGHT)
  const isNext = record == previousEnd && load<u32>(record, DEPTH) == previousDepth
  const first = isNext ? min(kept, height) : 0
  let out = STACK
  if (first == 0) {
    out = put(out, 3, 10)
  } else {
    out = load<u32>(ENDS + (usize(first) << 2))
    // End of the stack's text if it ended here
    store<u8>(out - 1, 0x2c)
  }
  for (let i = first; i < height; i++) {
    out = putWord(out, record + WORDS + (usize(i) << 5))
    store<u32>(ENDS + (usize(i + 1) << 2), u32(out))
  }
  previousEnd = record + load<u32>(record, SIZE)
  previousDepth = load<u32>(record, DEPTH)
  kept = height > taken ? height - taken : 0
  // Overwrite the last comma; the words that stay begin before it
  if (height != 0) out--
  store<u8>(out, 0x5d)
  return out + 1
}

/** Writes the text before the stack. */
function putHead(record: usize): void {
  let out = put(HEAD, 0, 6)
  out = putNumber(out, load<u32>(record, PC))
  const name = STEP_NAMES + usize(load<u32>(record, OPCODE)) * STEP_NAME_SIZE
  v128.store(out, v128.load(name, 1))
  v128.store(out, v128.load(name, 17), 16)
  v128.store(out, v128.load(name, 32), 31)
  out += load<u8>(name)
  out = putNumber(out, load<u64>(record, GAS))
  out = putNumber(put(out, 1, 11), load<u64>(record, COST))
  out = putNumber(put(out, 2, 9), load<u32>(record, DEPTH))
  const size = out - HEAD
  // From the end, since the stack must stay intact
  for (let i: usize = 16; i < size + 16; i += 16) v128.store(STACK - i, v128.load(out - i))
  store<u32>(START, u32(STACK - size))
}

/**
 * Writes a step of the trace buffer; `taken` is how many words its opcode takes from the stack. Returns the end. The
 * reader inserts the error, if any, at STACK, and returnData, memory and storage at the end of the stack.
 */
export function putStep(record: usize, hasStack: bool, taken: u32): usize {
  putHead(record)
  let out = STACK
  if (hasStack) out = putStack(record, taken)
  else previousEnd = 0
  store<u32>(STACK_END, u32(out))
  const refund = load<u64>(record, REFUND)
  if (refund != 0) out = putNumber(put(out, 4, 10), refund)
  store<u8>(out, 0x7d)
  return out + 1
}
