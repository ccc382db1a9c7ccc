import { fitsLimb, setWord } from './word'

/** value << shift, zero from 256 on (EIP-145). */
export function shiftLeft(out: usize, shift: usize, value: usize): void {
  const count = load<u64>(shift)
  if (!fitsLimb(shift) || count > 255) return setWord(out, 0)
  const bits = count & 63
  const limbs = u32(count >> 6)
  // Two shifts of at most 63, since a shift by 64 is a shift by 0
  const back = 63 - bits
  let a0 = load<u64>(value)
  let a1 = load<u64>(value, 8)
  let a2 = load<u64>(value, 16)
  let a3 = load<u64>(value, 24)
  if (limbs == 1) {
    a3 = a2
    a2 = a1
    a1 = a0
    a0 = 0
  } else if (limbs == 2) {
    a3 = a1
    a2 = a0
    a1 = 0
    a0 = 0
  } else if (limbs == 3) {
    a3 = a0
    a2 = 0
    a1 = 0
    a0 = 0
  }
  store<u64>(out, a0 << bits)
  store<u64>(out, (a1 << bits) | ((a0 >> 1) >> back), 8)
  store<u64>(out, (a2 << bits) | ((a1 >> 1) >> back), 16)
  store<u64>(out, (a3 << bits) | ((a2 >> 1) >> back), 24)
}

@inline
function shiftDown(out: usize, count: u64, value: usize, fill: u64): void {
  const bits = count & 63
  const limbs = u32(count >> 6)
  const back = 63 - bits
  let a0 = load<u64>(value)
  let a1 = load<u64>(value, 8)
  let a2 = load<u64>(value, 16)
  let a3 = load<u64>(value, 24)
  if (limbs == 1) {
    a0 = a1
    a1 = a2
    a2 = a3
    a3 = fill
  } else if (limbs == 2) {
    a0 = a2
    a1 = a3
    a2 = fill
    a3 = fill
  } else if (limbs == 3) {
    a0 = a3
    a1 = fill
    a2 = fill
    a3 = fill
  }
  store<u64>(out, (a0 >> bits) | ((a1 << 1) << back))
  store<u64>(out, (a1 >> bits) | ((a2 << 1) << back), 8)
  store<u64>(out, (a2 >> bits) | ((a3 << 1) << back), 16)
  store<u64>(out, (a3 >> bits) | ((fill << 1) << back), 24)
}

/** value >> count, for a count below 256. */
export function shiftRightBits(out: usize, count: u64, value: usize): void {
  shiftDown(out, count, value, 0)
}

/** value >> shift, zero from 256 on (EIP-145). */
export function shiftRight(out: usize, shift: usize, value: usize): void {
  const count = load<u64>(shift)
  if (!fitsLimb(shift) || count > 255) return setWord(out, 0)
  shiftDown(out, count, value, 0)
}

/** value >> shift, keeping the sign (EIP-145). */
export function shiftRightSigned(out: usize, shift: usize, value: usize): void {
  const count = load<u64>(shift)
  const fill = u64(load<i64>(value, 24) >> 63)
  if (!fitsLimb(shift) || count > 255) {
    store<u64>(out, fill)
    store<u64>(out, fill, 8)
    store<u64>(out, fill, 16)
    store<u64>(out, fill, 24)
    return
  }
  shiftDown(out, count, value, fill)
}

/** Extends the sign of the `index`-th byte of the word, counted from the least significant, in place. */
@inline
export function extendSign(word: usize, index: usize): void {
  const byte = load<u64>(index)
  if (!fitsLimb(index) || byte > 30) return
  const limb = usize(byte & ~7)
  const up = 56 - ((byte & 7) << 3)
  const top = (load<i64>(word + limb) << up) >> up
  const fill = u64(top >> 63)
  store<i64>(word + limb, top)
  if (limb < 8) store<u64>(word, fill, 8)
  if (limb < 16) store<u64>(word, fill, 16)
  if (limb < 24) store<u64>(word, fill, 24)
}

/** The `index`-th byte of `value`, counted from the most significant; zero from 32 on. */
export function byteAt(out: usize, index: usize, value: usize): void {
  const i = load<u64>(index)
  if (!fitsLimb(index) || i > 31) return setWord(out, 0)
  setWord(out, u64(load<u8>(value + usize(31 - i))))
}
