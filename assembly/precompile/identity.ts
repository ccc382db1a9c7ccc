/** ID (0x04): the input unchanged. */
export function identity(input: usize, length: u32, out: usize): i32 {
  memory.copy(out, input, length)
  return length
}
