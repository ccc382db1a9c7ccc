import type { ByRevision, Revision } from './revision.ts'

/** Gas of a call by the length of its input: `base`, and `each` for every `bytes` of it. */
export interface LinearGas {
  readonly base: number | ByRevision
  readonly each?: {
    readonly amount: number | ByRevision
    readonly bytes: number
    /** True if a partial unit of `bytes` counts as a whole. */
    readonly roundsUp?: boolean
  }
}

/** Names an exported function of assembly/precompile/. */
export interface Implementation {
  readonly file: string
  readonly function: string
  /** True if it takes the revision too. */
  readonly byRevision?: boolean
}

export interface Precompile {
  readonly address: number
  /** EIP-7910's name. */
  readonly name: string
  readonly since: Revision
  /** A function takes (input, length). */
  readonly gas: LinearGas | Implementation
  /** A function takes (input, length, out). The host runs the others in pairing.wasm. */
  readonly runs: Implementation | 'host'
}

const PER_WORD = { bytes: 32, roundsUp: true } as const

/** The precompiles of all revisions by ascending address. */
export const PRECOMPILES: readonly Precompile[] = [
  {
    address: 0x01,
    name: 'ECREC',
    since: 'Frontier',
    gas: { base: 3_000 },
    runs: { file: 'ecrecover', function: 'ecrecover' },
  },
  {
    address: 0x02,
    name: 'SHA256',
    since: 'Frontier',
    gas: { base: 60, each: { amount: 12, ...PER_WORD } },
    runs: { file: 'digest', function: 'sha256Precompile' },
  },
  {
    address: 0x03,
    name: 'RIPEMD160',
    since: 'Frontier',
    gas: { base: 600, each: { amount: 120, ...PER_WORD } },
    runs: { file: 'digest', function: 'ripemd160Precompile' },
  },
  {
    address: 0x04,
    name: 'ID',
    since: 'Frontier',
    gas: { base: 15, each: { amount: 3, ...PER_WORD } },
    runs: { file: 'identity', function: 'identity' },
  },
  {
    // EIP-198, EIP-2565, EIP-7823, EIP-7883
    address: 0x05,
    name: 'MODEXP',
    since: 'Byzantium',
    gas: { file: 'modexp', function: 'modexpGas', byRevision: true },
    runs: { file: 'modexp', function: 'modexp', byRevision: true },
  },
  {
    // EIP-196, EIP-1108
    address: 0x06,
    name: 'BN254_ADD',
    since: 'Byzantium',
    gas: {
      base: [
        ['Frontier', 500],
        ['Istanbul', 150],
      ],
    },
    runs: { file: 'bn254', function: 'bn254Add' },
  },
  {
    // EIP-196, EIP-1108
    address: 0x07,
    name: 'BN254_MUL',
    since: 'Byzantium',
    gas: {
      base: [
        ['Frontier', 40_000],
        ['Istanbul', 6_000],
      ],
    },
    runs: { file: 'bn254', function: 'bn254Mul' },
  },
  {
    // EIP-197, EIP-1108
    address: 0x08,
    name: 'BN254_PAIRING',
    since: 'Byzantium',
    gas: {
      base: [
        ['Frontier', 100_000],
        ['Istanbul', 45_000],
      ],
      each: {
        amount: [
          ['Frontier', 80_000],
          ['Istanbul', 34_000],
        ],
        bytes: 192,
      },
    },
    runs: { file: 'bn254', function: 'bn254Pairing' },
  },
  {
    // EIP-152
    address: 0x09,
    name: 'BLAKE2F',
    since: 'Istanbul',
    gas: { file: 'blake2', function: 'blake2fGas' },
    runs: { file: 'blake2', function: 'blake2f' },
  },
  {
    // EIP-4844
    address: 0x0a,
    name: 'KZG_POINT_EVALUATION',
    since: 'Cancun',
    gas: { base: 50_000 },
    runs: 'host',
  },
  // EIP-2537
  { address: 0x0b, name: 'BLS12_G1ADD', since: 'Prague', gas: { base: 375 }, runs: 'host' },
  {
    address: 0x0c,
    name: 'BLS12_G1MSM',
    since: 'Prague',
    gas: { file: 'bls12-381', function: 'g1MsmGas' },
    runs: 'host',
  },
  { address: 0x0d, name: 'BLS12_G2ADD', since: 'Prague', gas: { base: 600 }, runs: 'host' },
  {
    address: 0x0e,
    name: 'BLS12_G2MSM',
    since: 'Prague',
    gas: { file: 'bls12-381', function: 'g2MsmGas' },
    runs: 'host',
  },
  {
    address: 0x0f,
    name: 'BLS12_PAIRING_CHECK',
    since: 'Prague',
    gas: { base: 37_700, each: { amount: 32_600, bytes: 384 } },
    runs: 'host',
  },
  {
    address: 0x10,
    name: 'BLS12_MAP_FP_TO_G1',
    since: 'Prague',
    gas: { base: 5_500 },
    runs: 'host',
  },
  {
    address: 0x11,
    name: 'BLS12_MAP_FP2_TO_G2',
    since: 'Prague',
    gas: { base: 23_800 },
    runs: 'host',
  },
  {
    // EIP-7951
    address: 0x100,
    name: 'P256VERIFY',
    since: 'Osaka',
    gas: { base: 6_900 },
    runs: { file: 'p256', function: 'p256Verify' },
  },
]

/**
 * geth's messages for the failure of a precompile (core/vm/contracts.go, gnark-crypto, go-eth-kzg). The number of
 * each is its index. The engine finds the named reasons itself; the host finds those of pairing.wasm.
 */
export const PRECOMPILE_FAILURES: readonly { readonly name?: string; readonly text: string }[] = [
  { name: 'none', text: 'precompile failed' },
  { name: 'invalidLength', text: 'invalid input length' },
  { name: 'invalidFinalFlag', text: 'invalid final flag' },
  { name: 'pairingSize', text: 'bad elliptic curve pairing size' },
  { name: 'notOnCurve', text: 'point is not on curve' },
  { name: 'notInSubgroup', text: 'point is not in correct subgroup' },
  { name: 'notInField', text: 'invalid fp.Element encoding' },
  { text: 'invalid field element top bytes' },
  { text: 'invalid point: not on curve' },
  { text: 'g1 point is not on correct subgroup' },
  { text: 'g2 point is not on correct subgroup' },
  { text: 'mismatched versioned hash' },
  { text: "error verifying kzg proof: can't verify opening proof" },
  {
    name: 'operandTooLong',
    text: 'one or more of base/exponent/modulus length exceeded 1024 bytes',
  },
  {
    text: 'error verifying kzg proof: scalar is not canonical when interpreted as a big integer in big-endian',
  },
  { text: 'error verifying kzg proof: short buffer' },
  { text: 'error verifying kzg proof: invalid point encoding' },
  { text: 'error verifying kzg proof: invalid infinity point encoding' },
  { text: 'error verifying kzg proof: invalid fp.Element encoding' },
  { text: "error verifying kzg proof: invalid compressed coordinate: square root doesn't exist" },
  { text: 'error verifying kzg proof: invalid point: subgroup check failed' },
]
