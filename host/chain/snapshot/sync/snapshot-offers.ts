import { LockstepError } from '../../../base/error.ts'
import type { RpcServer } from '../../consensus/follow/rpc-server.ts'
import { decodeMetadata, type SnapshotMetadata } from '../metadata.ts'

/** Paths of the consensus RPC that serve snapshots, specific to this project. */
export const SNAPSHOTS_ROUTE = 'lockstep_snapshots'
export const CHUNK_ROUTE = 'lockstep_snapshot_chunk'

/** Latest snapshots that a node lists at most. */
export const MAX_LISTED = 10

/** Size limit of a list in bytes; that of a snapshot of some 300 GB is 8 MB. */
const MAX_LIST_BYTES = 64 * 1024 * 1024

/** A snapshot with the servers that have it: exports of the same height are byte-identical. */
export interface ServedSnapshot {
  readonly metadata: SnapshotMetadata
  readonly servers: RpcServer[]
}

/**
 * Returns the snapshots that a server lists.
 * @throws NODE_UNREACHABLE, NOT_FOUND, PEER_INVALID
 */
export async function fetchSnapshotList(server: RpcServer): Promise<readonly SnapshotMetadata[]> {
  const body = await server.get(SNAPSHOTS_ROUTE, MAX_LIST_BYTES)
  let list: unknown
  try {
    list = (JSON.parse(Buffer.from(body).toString()) as { snapshots?: unknown }).snapshots
  } catch {
    throw server.invalid(`${SNAPSHOTS_ROUTE} is not JSON`)
  }
  if (!Array.isArray(list) || list.length > MAX_LISTED) {
    throw server.invalid(`${SNAPSHOTS_ROUTE} is not a list of at most ${MAX_LISTED} snapshots`)
  }
  return list.map((document) => {
    try {
      return decodeMetadata(JSON.stringify(document), SNAPSHOTS_ROUTE)
    } catch (thrown) {
      throw thrown instanceof LockstepError ? server.invalid(thrown.message) : thrown
    }
  })
}

/** Adds a server's list to the offers. */
export function addOffers(
  offers: Map<string, ServedSnapshot>,
  server: RpcServer,
  listed: readonly SnapshotMetadata[],
): void {
  for (const metadata of listed) {
    const known = offers.get(metadata.hash)
    if (known === undefined) offers.set(metadata.hash, { metadata, servers: [server] })
    else if (!known.servers.includes(server)) known.servers.push(server)
  }
}
