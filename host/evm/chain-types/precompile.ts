import { bigintToBytes } from '../../base/bytes.ts'
import { PRECOMPILE_ROWS } from './generated/precompile.ts'
import { atLeast, type Revision } from './revision.ts'

/** A precompiled contract of the protocol. */
export interface Precompile {
  /** EIP-7910's name. */
  readonly name: string
  readonly address: Uint8Array
}

const SINCE: ReadonlyMap<number, Revision> = new Map(
  PRECOMPILE_ROWS.map(([id, , since]) => [id, since]),
)

/** The precompiles of a revision, by ascending address. */
export function activePrecompiles(revision: Revision): Precompile[] {
  return PRECOMPILE_ROWS.filter(([, , since]) => atLeast(revision, since)).map(([id, name]) => ({
    name,
    address: bigintToBytes(BigInt(id), 20),
  }))
}

/** True when the revision has a precompile of the protocol at the 20 bytes of `address`. */
export function isPrecompile(address: Uint8Array, revision: Revision): boolean {
  for (let i = 0; i < 18; i++) if (address[i] !== 0) return false
  const low = ((address[18] as number) << 8) | (address[19] as number)
  const since = SINCE.get(low)
  return since !== undefined && atLeast(revision, since)
}
