// Written by tools/generate-tables.ts from tools/tables/precompile.ts; do not edit.

// Ids of the precompiles: their addresses as numbers.
export const ECREC: i32 = 0x01
export const SHA256: i32 = 0x02
export const RIPEMD160: i32 = 0x03
export const ID: i32 = 0x04
export const MODEXP: i32 = 0x05
export const BN254_ADD: i32 = 0x06
export const BN254_MUL: i32 = 0x07
export const BN254_PAIRING: i32 = 0x08
export const BLAKE2F: i32 = 0x09
export const KZG_POINT_EVALUATION: i32 = 0x0a
export const BLS12_G1ADD: i32 = 0x0b
export const BLS12_G1MSM: i32 = 0x0c
export const BLS12_G2ADD: i32 = 0x0d
export const BLS12_G2MSM: i32 = 0x0e
export const BLS12_PAIRING_CHECK: i32 = 0x0f
export const BLS12_MAP_FP_TO_G1: i32 = 0x10
export const BLS12_MAP_FP2_TO_G2: i32 = 0x11
export const P256VERIFY: i32 = 0x100
