/**
 * Copies or clears a few bytes by loads and stores. `memory.copy` and `memory.fill` leave the module, which costs
 * more than moving so little.
 */

/** Longest run, in bytes, for which a loop is faster. */
const SHORT: usize = 128

@inline
export function copyAddress(out: usize, address: usize): void {
  const head = load<u64>(address)
  const middle = load<u64>(address, 8)
  const tail = load<u32>(address, 16)
  store<u64>(out, head)
  store<u64>(out, middle, 8)
  store<u32>(out, tail, 16)
}

/** Copies `size` bytes that do not overlap `out`. */
export function copyBytes(out: usize, from: usize, size: usize): void {
  if (size > SHORT) {
    memory.copy(out, from, size)
    return
  }
  let at: usize = 0
  for (; at + 8 <= size; at += 8) store<u64>(out + at, load<u64>(from + at))
  for (; at < size; at++) store<u8>(out + at, load<u8>(from + at))
}

/** Clears `size` bytes, a multiple of 8. */
export function clearBytes(out: usize, size: usize): void {
  if (size > SHORT) {
    memory.fill(out, 0, size)
    return
  }
  for (const end = out + size; out < end; out += 8) store<u64>(out, 0)
}
