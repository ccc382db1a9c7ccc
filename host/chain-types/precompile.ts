import { atLeast, type Revision } from './revision.ts'

/** Highest of the precompiles numbered from 1, by the revision that added it. */
const HIGHEST: readonly (readonly [since: Revision, highest: number])[] = [
  ['Prague', 0x11],
  ['Cancun', 0x0a],
  ['Istanbul', 0x09],
  ['Byzantium', 0x08],
  ['Frontier', 0x04],
]

/** P256VERIFY (EIP-7951). */
const P256_VERIFY = 0x100

/** Whether the revision has a precompile of the protocol at the 20 bytes of `address`. */
export function isPrecompile(address: Uint8Array, revision: Revision): boolean {
  for (let i = 0; i < 18; i++) if (address[i] !== 0) return false
  const low = ((address[18] as number) << 8) | (address[19] as number)
  if (low === P256_VERIFY) return atLeast(revision, 'Osaka')
  const highest = HIGHEST.find(([since]) => atLeast(revision, since))?.[1] ?? 0
  return low >= 1 && low <= highest
}
