import { bigintToBytes } from '../../base/bytes.ts'
import { PRECOMPILE_ROWS } from './generated/precompile.ts'
import { atLeast, type Revision } from './revision.ts'

/** A precompiled contract defined by the Ethereum protocol. */
export interface Precompile {
  /** Name defined by EIP-7910. */
  readonly name: string
  readonly address: Uint8Array
}

const SINCE: ReadonlyMap<number, Revision> = new Map(
  PRECOMPILE_ROWS.map(([id, , since]) => [id, since]),
)

/** Returns the precompiles of a revision, sorted by address. */
export function activePrecompiles(revision: Revision): Precompile[] {
  return PRECOMPILE_ROWS.filter(([, , since]) => atLeast(revision, since)).map(([id, name]) => ({
    name,
    address: bigintToBytes(BigInt(id), 20),
  }))
}

/** True if the revision has a protocol precompile at the 20-byte `address`. */
export function isPrecompile(address: Uint8Array, revision: Revision): boolean {
  for (let i = 0; i < 18; i++) if (address[i] !== 0) return false
  const low = ((address[18] as number) << 8) | (address[19] as number)
  const since = SINCE.get(low)
  return since !== undefined && atLeast(revision, since)
}
