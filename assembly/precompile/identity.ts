/** ID (0x04): the input as it is. */
export function identity(input: usize, length: u32, out: usize): i32 {
  memory.copy(out, input, length)
  return length
}
