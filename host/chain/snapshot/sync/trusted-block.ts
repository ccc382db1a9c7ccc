import { LockstepError } from '../../../base/error.ts'
import { hexDigits } from '../../../base/hex.ts'
import type { RpcServer, ServerStatus } from '../../consensus/follow/rpc-server.ts'

/** Distance in blocks from the latest block to the default trusted block. */
const TRUST_DELTA = 10_000

/** A block with a trusted hash. */
export interface TrustedBlock {
  readonly height: number
  /** Upper-case hex. */
  readonly hash: string
}

/**
 * Returns the block on which all servers agree at 10,000 below the latest height, or at the latest height of a
 * shorter chain. Their agreement is the only basis of trust.
 * @throws NODE_UNREACHABLE if a server does not answer, UNTRUSTED if they disagree, INVALID_ARGUMENT if one is of
 * another chain
 */
export async function trustedBlock(
  servers: readonly RpcServer[],
  chainId: string,
): Promise<TrustedBlock> {
  const statuses = await Promise.all(servers.map((server) => statusOf(server, chainId)))
  const latest = Math.min(...statuses.map(({ latestHeight }) => latestHeight))
  const earliest = Math.max(...statuses.map(({ earliestHeight }) => earliestHeight))
  const height = Math.max(latest > TRUST_DELTA ? latest - TRUST_DELTA : latest, earliest)
  const hashes = await Promise.all(
    servers.map(async (server) => {
      const { commit } = await server.signedHeader(height)
      return hexDigits(commit.blockId.hash).toUpperCase()
    }),
  )
  const [hash = ''] = hashes
  const other = hashes.findIndex((each) => each !== hash)
  if (other < 0) return { height, hash }
  throw new LockstepError(
    'UNTRUSTED',
    `${servers[0]?.name} has block ${hash} at height ${height}, ${servers[other]?.name} has ${hashes[other]}`,
  )
}

async function statusOf(server: RpcServer, chainId: string): Promise<ServerStatus> {
  const status = await server.status()
  if (status.chainId === chainId) return status
  throw new LockstepError(
    'INVALID_ARGUMENT',
    `${server.name} is of chain ${status.chainId}, but this home is of ${chainId}`,
    { hint: 'give the consensus RPC of nodes of this chain' },
  )
}
