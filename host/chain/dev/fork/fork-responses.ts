import { LockstepError } from '../../../base/error.ts'
import { formatData, formatQuantity } from '../../../base/hex.ts'
import { describedBlock } from '../../../client/remote-node/block-answer.ts'
import {
  networkRules,
  publicNetwork,
  reportedRules,
} from '../../../client/remote-node/block-rules.ts'
import type { NodeClient } from '../../../client/remote-node/node-client.ts'
import { type NodeKind, nodeKind } from '../../../client/remote-node/node-kind.ts'
import { nodeCallError } from '../../../client/remote-node/rpc-answer.ts'
import { OWN_REVISIONS, type Revision } from '../../../evm/chain-types/revision.ts'
import type { BlobSchedule } from '../../../evm/execute/blob-gas.ts'

/** Responses of another node about the fork block, all JSON except the chain id. */
export interface ForkResponses {
  readonly chainId: bigint
  readonly kind: NodeKind
  /** Response of eth_getBlockByNumber with transactions. */
  readonly block: unknown
  /** Responses of eth_getTransactionReceipt, in block order. */
  readonly receipts: unknown
  /** True on a public Ethereum network, whose forks are known. */
  readonly isPublic: boolean
  /** Revision of the block; the latest one if the chain is unknown and does not report its rules. */
  readonly revision: Revision
  readonly blobs: BlobSchedule | undefined
}

/** Identifies a block and its chain. */
export interface ForkIdentity {
  readonly chainId: bigint
  readonly number: number
  readonly hash: Uint8Array
  /** Response of eth_getBlockByNumber. */
  readonly block: unknown
}

/**
 * Fetches the identity of the fork block: that of `number`, or the latest.
 * @param known chain id, if it need not be asked for
 * @throws NOT_FOUND if the node has no such block yet, PEER_INVALID, and request errors
 */
export async function fetchForkIdentity(
  client: NodeClient,
  number: number | undefined,
  known?: bigint,
): Promise<ForkIdentity> {
  const chainId = known ?? (await client.read('eth_chainId', [], (id) => id.quantity(256)))
  const method = 'eth_getBlockByNumber'
  const asked = number ?? (await client.read('eth_blockNumber', [], (newest) => newest.integer()))
  const block = await client.ask(method, [formatQuantity(asked), true])
  if (block === null || block === undefined) {
    const newest = await client.read('eth_blockNumber', [], (height) => height.integer())
    throw new LockstepError(
      'NOT_FOUND',
      `${client.name} has no block ${asked}: its latest is ${newest}`,
      {
        hint: 'give an earlier block with --dev.fork-block, or omit it for the latest',
      },
    )
  }
  const { header, hash } = client.decode(method, block, describedBlock)
  if (header.number !== BigInt(asked)) {
    throw client.invalid(method, `block ${header.number} came for block ${asked}`)
  }
  return { chainId, number: asked, hash, block }
}

/**
 * Fetches the other responses that a fork starts with.
 * @throws request errors
 */
export async function fetchForkResponses(
  client: NodeClient,
  { chainId, block }: ForkIdentity,
): Promise<ForkResponses> {
  const kind = await nodeKind(client)
  const { header, transactions } = client.decode('eth_getBlockByNumber', block, describedBlock)
  const question = { client, kind, chainId, header, revision: undefined }
  const network = await publicNetwork(question)
  const newest = OWN_REVISIONS.at(-1) as Revision
  const rules =
    network === undefined
      ? ((await reportedRules(question)) ?? { revision: newest, blobs: undefined })
      : networkRules(network, header)
  const hashes = transactions.map((one) => formatData(one.at('hash').data(32)))
  return {
    chainId,
    kind,
    block,
    receipts: await askReceipts(client, formatQuantity(header.number), hashes),
    isPublic: network !== undefined,
    revision: rules.revision,
    blobs: rules.blobs,
  }
}

async function askReceipts(
  client: NodeClient,
  number: string,
  hashes: readonly string[],
): Promise<unknown> {
  if (hashes.length === 0) return []
  const all = await client.askOptional('eth_getBlockReceipts', [number])
  if (Array.isArray(all)) return all
  const method = 'eth_getTransactionReceipt'
  const answers = await client.askAll(hashes.map((hash) => ({ method, params: [hash] })))
  return answers.map((answer) => {
    if ('error' in answer) throw nodeCallError(client.name, method, answer.error)
    return answer.result
  })
}

/** Encodes responses as text for the cache. */
export function encodeForkResponses({ blobs, chainId, ...rest }: ForkResponses): string {
  const schedule = blobs && {
    target: String(blobs.target),
    max: String(blobs.max),
    updateFraction: String(blobs.updateFraction),
  }
  return JSON.stringify({ ...rest, chainId: String(chainId), blobs: schedule })
}

/** Decodes responses of `encodeForkResponses` without validation, since rows of the cache have checksums. */
export function decodeForkResponses(text: string): ForkResponses {
  const { chainId, blobs, ...rest } = JSON.parse(text)
  return {
    ...rest,
    chainId: BigInt(chainId),
    blobs: blobs && {
      target: BigInt(blobs.target),
      max: BigInt(blobs.max),
      updateFraction: BigInt(blobs.updateFraction),
    },
  }
}
