// Written by tools/generate-tables.ts from tools/tables/precompile.ts; do not edit.

import { ECREC, SHA256, RIPEMD160, ID, MODEXP, BN254_ADD, BN254_MUL, BN254_PAIRING, BLAKE2F, KZG_POINT_EVALUATION, BLS12_G1ADD, BLS12_G1MSM, BLS12_G2ADD, BLS12_G2MSM, BLS12_PAIRING_CHECK, BLS12_MAP_FP_TO_G1, BLS12_MAP_FP2_TO_G2, P256VERIFY } from '../../generated/precompile'
import { FRONTIER, BYZANTIUM, ISTANBUL, CANCUN, PRAGUE, OSAKA } from '../../generated/revision'
import { blake2f, blake2fGas } from '../blake2'
import { g1MsmGas, g2MsmGas } from '../bls12-381'
import { bn254Add, bn254Mul, bn254Pairing } from '../bn254'
import { ripemd160Precompile, sha256Precompile } from '../digest'
import { ecrecover } from '../ecrecover'
import { identity } from '../identity'
import { modexp, modexpGas } from '../modexp'
import { p256Verify } from '../p256'

/** Returns the first revision that has the precompile, or one that never comes for any other id. */
export function precompileSince(id: i32): i32 {
  switch (id) {
    case ECREC:
    case SHA256:
    case RIPEMD160:
    case ID:
      return FRONTIER
    case MODEXP:
    case BN254_ADD:
    case BN254_MUL:
    case BN254_PAIRING:
      return BYZANTIUM
    case BLAKE2F:
      return ISTANBUL
    case KZG_POINT_EVALUATION:
      return CANCUN
    case BLS12_G1ADD:
    case BLS12_G1MSM:
    case BLS12_G2ADD:
    case BLS12_G2MSM:
    case BLS12_PAIRING_CHECK:
    case BLS12_MAP_FP_TO_G1:
    case BLS12_MAP_FP2_TO_G2:
      return PRAGUE
    case P256VERIFY:
      return OSAKA
    default:
      return i32.MAX_VALUE
  }
}

/** Returns the gas of a call before it runs; u64.MAX_VALUE if that is more than any block allows. */
export function precompileGas(id: i32, input: usize, length: u32, revision: i32): u64 {
  switch (id) {
    case ECREC:
      return 3000
    case SHA256:
      return 60 + 12 * ((u64(length) + 31) / 32)
    case RIPEMD160:
      return 600 + 120 * ((u64(length) + 31) / 32)
    case ID:
      return 15 + 3 * ((u64(length) + 31) / 32)
    case MODEXP:
      return modexpGas(input, length, revision)
    case BN254_ADD:
      return revision >= ISTANBUL ? 150 : 500
    case BN254_MUL:
      return revision >= ISTANBUL ? 6000 : 40000
    case BN254_PAIRING:
      return (revision >= ISTANBUL ? 45000 : 100000) + (revision >= ISTANBUL ? 34000 : 80000) * (u64(length) / 192)
    case BLAKE2F:
      return blake2fGas(input, length)
    case KZG_POINT_EVALUATION:
      return 50000
    case BLS12_G1ADD:
      return 375
    case BLS12_G1MSM:
      return g1MsmGas(input, length)
    case BLS12_G2ADD:
      return 600
    case BLS12_G2MSM:
      return g2MsmGas(input, length)
    case BLS12_PAIRING_CHECK:
      return 37700 + 32600 * (u64(length) / 384)
    case BLS12_MAP_FP_TO_G1:
      return 5500
    case BLS12_MAP_FP2_TO_G2:
      return 23800
    case P256VERIFY:
      return 6900
    default:
      return u64.MAX_VALUE
  }
}

/** Returns true if the host runs the precompile, in pairing.wasm; the engine still charges its gas. */
export function isHostPrecompile(id: i32): bool {
  switch (id) {
    case KZG_POINT_EVALUATION:
    case BLS12_G1ADD:
    case BLS12_G1MSM:
    case BLS12_G2ADD:
    case BLS12_G2MSM:
    case BLS12_PAIRING_CHECK:
    case BLS12_MAP_FP_TO_G1:
    case BLS12_MAP_FP2_TO_G2:
      return true
    default:
      return false
  }
}

/**
 * Runs a precompile. Returns the length of its output at `out`, or -1 if the call fails and takes all
 * its gas. `out` must not overlap the input; it holds at least 64 bytes, for ID as many as the input and for
 * MODEXP as many as the modulus (at most MODEXP_MAX_OPERAND). Precompiles of the host fail here.
 */
export function runPrecompile(id: i32, input: usize, length: u32, revision: i32, out: usize): i32 {
  switch (id) {
    case ECREC:
      return ecrecover(input, length, out)
    case SHA256:
      return sha256Precompile(input, length, out)
    case RIPEMD160:
      return ripemd160Precompile(input, length, out)
    case ID:
      return identity(input, length, out)
    case MODEXP:
      return modexp(input, length, revision, out)
    case BN254_ADD:
      return bn254Add(input, length, out)
    case BN254_MUL:
      return bn254Mul(input, length, out)
    case BN254_PAIRING:
      return bn254Pairing(input, length, out)
    case BLAKE2F:
      return blake2f(input, length, out)
    case P256VERIFY:
      return p256Verify(input, length, out)
    default:
      return -1
  }
}
