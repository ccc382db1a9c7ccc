/** Reads call data as precompiles do: bytes past the end are zeros. */

/** Copies `count` bytes from `offset` of the input, with zeros past its end. */
export function copyPadded(out: usize, count: u32, input: usize, length: u32, offset: u32): void {
  const available: u32 = offset < length ? min(length - offset, count) : 0
  memory.copy(out, input + offset, available)
  memory.fill(out + available, 0, count - available)
}
