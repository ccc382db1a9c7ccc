/**
 * The compiler of hot EVM code, a module without imports. It writes a WebAssembly module for the region of code that
 * begins at a jump destination. compile/README.md describes the design.
 */

import { instances } from './compile/instance'
import { BITMAP, CODE, CODE_SIZE, OUTPUT } from './compile/layout'
import { writeModule } from './compile/module'
import { compileRegion } from './compile/region'
import { setRevision } from './compile/treatment'

// The compiler's buffers must not overlap its static data.
if (__heap_base > CODE) unreachable()

/** Where the host writes the code, and the bitmap of its jump destinations. */
export const codeAt: usize = CODE
export const codeSize: usize = CODE_SIZE
export const bitmapAt: usize = BITMAP
/** Where the compiled module is. */
export const outputAt: usize = OUTPUT

/**
 * Compiles the region at the jump destination `pc` of `length` bytes of code, with at most `most` instances of blocks,
 * or `few` if it does not loop. Returns the size of the module, or 0 if the code cannot be compiled, or has no loop
 * and fewer than `least` opcodes.
 */
export function compile(pc: u32, length: u32, revision: i32, most: i32, few: i32, least: u32): u32 {
  if (usize(length) > CODE_SIZE - 64 || pc >= length) return 0
  memory.fill(CODE + length, 0, 64)
  setRevision(revision)
  const size = compileRegion(pc, length, most, few, least)
  return size == 0 ? 0 : writeModule(size)
}

/** Returns how many instances of blocks the compiled region has. */
export function instanceCount(): i32 {
  return instances
}
