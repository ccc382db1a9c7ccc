// Written by tools/generate-tables.ts from tools/tables/precompile.ts; do not edit.

import type { Revision } from '../revision.ts'

// Ids of the precompiles: their addresses as numbers.
export const ECREC = 0x01
export const SHA256 = 0x02
export const RIPEMD160 = 0x03
export const ID = 0x04
export const MODEXP = 0x05
export const BN254_ADD = 0x06
export const BN254_MUL = 0x07
export const BN254_PAIRING = 0x08
export const BLAKE2F = 0x09
export const KZG_POINT_EVALUATION = 0x0a
export const BLS12_G1ADD = 0x0b
export const BLS12_G1MSM = 0x0c
export const BLS12_G2ADD = 0x0d
export const BLS12_G2MSM = 0x0e
export const BLS12_PAIRING_CHECK = 0x0f
export const BLS12_MAP_FP_TO_G1 = 0x10
export const BLS12_MAP_FP2_TO_G2 = 0x11
export const P256VERIFY = 0x100

/** By ascending address; the names are those of EIP-7910. */
export const PRECOMPILE_ROWS: readonly (readonly [id: number, name: string, since: Revision])[] = [
  [ECREC, 'ECREC', 'Frontier'],
  [SHA256, 'SHA256', 'Frontier'],
  [RIPEMD160, 'RIPEMD160', 'Frontier'],
  [ID, 'ID', 'Frontier'],
  [MODEXP, 'MODEXP', 'Byzantium'],
  [BN254_ADD, 'BN254_ADD', 'Byzantium'],
  [BN254_MUL, 'BN254_MUL', 'Byzantium'],
  [BN254_PAIRING, 'BN254_PAIRING', 'Byzantium'],
  [BLAKE2F, 'BLAKE2F', 'Istanbul'],
  [KZG_POINT_EVALUATION, 'KZG_POINT_EVALUATION', 'Cancun'],
  [BLS12_G1ADD, 'BLS12_G1ADD', 'Prague'],
  [BLS12_G1MSM, 'BLS12_G1MSM', 'Prague'],
  [BLS12_G2ADD, 'BLS12_G2ADD', 'Prague'],
  [BLS12_G2MSM, 'BLS12_G2MSM', 'Prague'],
  [BLS12_PAIRING_CHECK, 'BLS12_PAIRING_CHECK', 'Prague'],
  [BLS12_MAP_FP_TO_G1, 'BLS12_MAP_FP_TO_G1', 'Prague'],
  [BLS12_MAP_FP2_TO_G2, 'BLS12_MAP_FP2_TO_G2', 'Prague'],
  [P256VERIFY, 'P256VERIFY', 'Osaka'],
]

/** Precompiles that pairing.wasm runs instead of the engine. */
export const HOST_PRECOMPILES: ReadonlySet<number> = new Set([
  KZG_POINT_EVALUATION,
  BLS12_G1ADD,
  BLS12_G1MSM,
  BLS12_G2ADD,
  BLS12_G2MSM,
  BLS12_PAIRING_CHECK,
  BLS12_MAP_FP_TO_G1,
  BLS12_MAP_FP2_TO_G2,
])
