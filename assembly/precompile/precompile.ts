import { precompileSince } from './generated/dispatch'

/** Returns the id of the precompile at the 20 bytes at `address`, or 0 if this revision has none. */
export function precompileId(address: usize, revision: i32): i32 {
  if ((load<u64>(address) | load<u64>(address, 8) | load<u16>(address, 16)) != 0) return 0
  const id = bswap<u16>(load<u16>(address, 18)) as i32
  return revision >= precompileSince(id) ? id : 0
}
