/** Writes bytes at a cursor. */
let at: usize = 0

export function cursor(): usize {
  return at
}

export function setCursor(to: usize): void {
  at = to
}

@inline
export function byte(value: u32): void {
  store<u8>(at, u8(value))
  at++
}

export function unsigned(value: u32): void {
  for (; value > 127; value >>= 7) byte((value & 127) | 128)
  byte(value)
}

export function signed(value: i64): void {
  while (value < -64 || value > 63) {
    byte(u32(value & 127) | 128)
    value >>= 7
  }
  byte(u32(value & 127))
}

/** Writes a number in five bytes, so that it can be written before it is known. */
export function writeSize(to: usize, value: u32): void {
  for (let i: usize = 0; i < 4; i++) {
    store<u8>(to + i, u8((value & 127) | 128))
    value >>= 7
  }
  store<u8>(to + 4, u8(value))
}

export function bytes(from: usize, size: usize): void {
  memory.copy(at, from, size)
  at += size
}
