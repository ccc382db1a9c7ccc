// Written by tools/generate-curves.ts; do not edit.

/** The lattice of the endomorphism, (A1, B1) and (A2, -A1), in u32 words, little-endian. */
export const A1: usize = memory.data<u32>([
  0x94d213e3, 0x89d32568, 0x0, 0x0, 0x0,
])

export const B1: usize = memory.data<u32>([
  0x1221250b, 0xbe4e154, 0xeeb859fd, 0x6f4d8248, 0x0,
])

export const A2: usize = memory.data<u32>([
  0x7d4f1128, 0x8211bbeb, 0xeeb859fc, 0x6f4d8248, 0x0,
])

/** A1 and B1 over the order, times 2^256, rounded down: coordinates of (1, 0) in that basis. */
export const FLOOR_1: usize = memory.data<u32>([
  0xc7e0b3d7, 0xd91d232e, 0x2, 0x0, 0x0,
])

export const FLOOR_2: usize = memory.data<u32>([
  0xff6565, 0x5398fd03, 0xa773d2d2, 0x4ccef014, 0x2,
])
