/**
 * The precompiled contracts: which addresses are one, what a call costs, what it returns.
 *
 * A revision is the index in host/chain-types/revision.ts. Those that `isHostPrecompile` names run in the
 * host; their gas is charged here all the same.
 */
import { BYZANTIUM, CANCUN, ISTANBUL, OSAKA, PRAGUE } from '../evm/revision'
import { blake2f, blake2fGas } from './blake2'
import { blsGas } from './bls12-381'
import { bn254Add, bn254Gas, bn254Mul, bn254Pairing } from './bn254'
import { ripemd160Precompile, sha256Precompile, wordGas } from './digest'
import { ECRECOVER_GAS, ecrecover } from './ecrecover'
import {
  BLAKE2F,
  BLS12_MAP_FP2_TO_G2,
  BN254_ADD,
  BN254_MUL,
  BN254_PAIRING,
  ECRECOVER,
  IDENTITY,
  MODEXP,
  P256_VERIFY,
  POINT_EVALUATION,
  RIPEMD160,
  SHA256,
} from './id'
import { modexp, modexpGas } from './modexp'
import { P256_VERIFY_GAS, p256Verify } from './p256'
import { POINT_EVALUATION_GAS } from './point-evaluation'

/** The id of the precompile at the 20 bytes at `address`, or 0 when there is none in this revision. */
export function precompileId(address: usize, revision: i32): i32 {
  if ((load<u64>(address) | load<u64>(address, 8) | load<u16>(address, 16)) != 0) return 0
  const id = bswap<u16>(load<u16>(address, 18)) as i32
  if (id == P256_VERIFY) return revision >= OSAKA ? id : 0
  return id != 0 && id <= highestId(revision) ? id : 0
}

function highestId(revision: i32): i32 {
  if (revision >= PRAGUE) return BLS12_MAP_FP2_TO_G2
  if (revision >= CANCUN) return POINT_EVALUATION
  if (revision >= ISTANBUL) return BLAKE2F
  if (revision >= BYZANTIUM) return BN254_PAIRING
  return IDENTITY
}

/** Gas of a call, known before it runs; u64.MAX_VALUE when it is more than any block allows. */
export function precompileGas(id: i32, input: usize, length: u32, revision: i32): u64 {
  switch (id) {
    case ECRECOVER:
      return ECRECOVER_GAS
    case SHA256:
      return wordGas(length, 60, 12)
    case RIPEMD160:
      return wordGas(length, 600, 120)
    case IDENTITY:
      return wordGas(length, 15, 3)
    case MODEXP:
      return modexpGas(input, length, revision)
    case BN254_ADD:
    case BN254_MUL:
    case BN254_PAIRING:
      return bn254Gas(id, length, revision)
    case BLAKE2F:
      return blake2fGas(input, length)
    case POINT_EVALUATION:
      return POINT_EVALUATION_GAS
    case P256_VERIFY:
      return P256_VERIFY_GAS
    default:
      return blsGas(id, length)
  }
}

/** True when the host computes this precompile. */
export function isHostPrecompile(id: i32): bool {
  return id >= POINT_EVALUATION && id <= BLS12_MAP_FP2_TO_G2
}

/**
 * Runs a precompile and returns the length of what it wrote to `out`, or -1 when the call fails and
 * takes all its gas. `out` must not overlap the input; it holds at least 64 bytes, for IDENTITY as
 * many as the input and for MODEXP as many as the modulus (at most MODEXP_MAX_OPERAND).
 * Precompiles of the host fail here.
 */
export function runPrecompile(id: i32, input: usize, length: u32, revision: i32, out: usize): i32 {
  switch (id) {
    case ECRECOVER:
      return ecrecover(input, length, out)
    case SHA256:
      return sha256Precompile(input, length, out)
    case RIPEMD160:
      return ripemd160Precompile(input, length, out)
    case IDENTITY:
      memory.copy(out, input, length)
      return length
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
    case P256_VERIFY:
      return p256Verify(input, length, out)
    default:
      return -1
  }
}
