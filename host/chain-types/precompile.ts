import { bigintToBytes } from '../base/bytes.ts'
import { atLeast, type Revision } from './revision.ts'

/** A precompiled contract of the protocol. */
export interface Precompile {
  /** EIP-7910's name. */
  readonly name: string
  readonly address: Uint8Array
}

/** Name and first revision by address; assembly/precompile/precompile.ts holds the same list. */
const PRECOMPILES: ReadonlyMap<number, readonly [name: string, since: Revision]> = new Map([
  [0x01, ['ECREC', 'Frontier']],
  [0x02, ['SHA256', 'Frontier']],
  [0x03, ['RIPEMD160', 'Frontier']],
  [0x04, ['ID', 'Frontier']],
  [0x05, ['MODEXP', 'Byzantium']],
  [0x06, ['BN254_ADD', 'Byzantium']],
  [0x07, ['BN254_MUL', 'Byzantium']],
  [0x08, ['BN254_PAIRING', 'Byzantium']],
  [0x09, ['BLAKE2F', 'Istanbul']],
  [0x0a, ['KZG_POINT_EVALUATION', 'Cancun']],
  [0x0b, ['BLS12_G1ADD', 'Prague']],
  [0x0c, ['BLS12_G1MSM', 'Prague']],
  [0x0d, ['BLS12_G2ADD', 'Prague']],
  [0x0e, ['BLS12_G2MSM', 'Prague']],
  [0x0f, ['BLS12_PAIRING_CHECK', 'Prague']],
  [0x10, ['BLS12_MAP_FP_TO_G1', 'Prague']],
  [0x11, ['BLS12_MAP_FP2_TO_G2', 'Prague']],
  [0x100, ['P256VERIFY', 'Osaka']],
])

/** The precompiles of a revision, by ascending address. */
export function activePrecompiles(revision: Revision): Precompile[] {
  return [...PRECOMPILES]
    .filter(([, [, since]]) => atLeast(revision, since))
    .map(([low, [name]]) => ({ name, address: bigintToBytes(BigInt(low), 20) }))
}

/** True when the revision has a precompile of the protocol at the 20 bytes of `address`. */
export function isPrecompile(address: Uint8Array, revision: Revision): boolean {
  for (let i = 0; i < 18; i++) if (address[i] !== 0) return false
  const low = ((address[18] as number) << 8) | (address[19] as number)
  const since = PRECOMPILES.get(low)?.[1]
  return since !== undefined && atLeast(revision, since)
}
