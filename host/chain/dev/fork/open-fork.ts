import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError } from '../../../base/error.ts'
import { formatData, formatQuantity } from '../../../base/hex.ts'
import { NodeClient, type NodeClientOptions } from '../../../client/remote-node/node-client.ts'
import type { BlockName } from '../../../client/remote-node/remote-state.ts'
import type { BlockHasher } from '../../../evm/chain-types/ethereum-block.ts'
import type { Revision } from '../../../evm/chain-types/revision.ts'
import type { SignatureRecovery } from '../../../evm/chain-types/signature-recovery.ts'
import type { EthereumNetwork } from '../../../evm/execute/ethereum/forks.ts'
import { NETWORKS } from '../../../evm/execute/ethereum/networks.ts'
import { ForkCache } from './fork-cache.ts'
import { type ForkPoint, forkPoint } from './fork-point.ts'
import {
  decodeForkResponses,
  encodeForkResponses,
  type ForkIdentity,
  type ForkResponses,
  fetchForkIdentity,
  fetchForkResponses,
} from './fork-responses.ts'
import { constantNetwork } from './fork-rules.ts'
import { UpstreamState } from './upstream-state.ts'

export interface ForkOptions {
  readonly url: string
  /** Number of the block; undefined for the latest. */
  readonly block: number | undefined
  /** Chain id; undefined for the one that the node reports. */
  readonly chainId?: bigint | undefined
  /** Revision of the blocks after it; undefined for that of its chain. */
  readonly revision?: Revision | undefined
  /** Parent folder of all caches. */
  readonly cacheDir: string
  readonly recovery: SignatureRecovery
  readonly hasher: BlockHasher
  readonly client?: NodeClientOptions
}

/** Another chain at one of its blocks, from which a local chain continues. */
export interface OpenedFork {
  readonly client: NodeClient
  readonly chainId: bigint
  readonly number: number
  readonly hash: Uint8Array
  readonly point: ForkPoint
  /** The state after the block. */
  readonly state: UpstreamState
  /** The chain's forks as far as they are known. */
  readonly network: EthereumNetwork
  /** True if the other node did not answer and all data is from the cache. */
  readonly isOffline: boolean
  readonly close: () => Promise<void>
}

/**
 * Opens a fork. Asks the other node for the block's identity; if it does not answer, a cached block with an explicit
 * number is used.
 * @throws INVALID_ARGUMENT, NOT_FOUND, PEER_INVALID, NODE_UNREACHABLE, REQUEST_TIMEOUT, STORE_DENIED, STORE_FULL
 */
export async function openFork(options: ForkOptions): Promise<OpenedFork> {
  const { url, block, cacheDir, recovery, hasher } = options
  const client = new NodeClient(url, options.client)
  let identity: ForkIdentity | undefined
  let dir: string
  try {
    identity = await fetchForkIdentity(client, block, options.chainId)
    dir = folderOf(cacheDir, identity)
  } catch (thrown) {
    dir = cachedFolder(options, thrown)
  }
  const cache = ForkCache.open(dir)
  try {
    const answers = await answersOf(cache, client, identity)
    if (identity !== undefined && options.chainId === undefined)
      rememberChain(options, identity.chainId)
    const point = await forkPoint({ client, recovery, hasher, revision: answers.revision }, answers)
    const { number, hash } = point.executed.block.header
    return {
      client,
      chainId: answers.chainId,
      number,
      hash,
      point,
      state: new UpstreamState({
        client,
        height: number,
        block: await blockName(cache, client, number, hash),
        cache,
        keccak256: (bytes) => recovery.keccak256(bytes),
      }),
      network: networkOf(answers, options.revision),
      isOffline: identity === undefined,
      close: () => cache.close(),
    }
  } catch (thrown) {
    await cache.close()
    throw thrown
  }
}

function networkOf(
  { chainId, isPublic, revision, blobs }: ForkResponses,
  asked: Revision | undefined,
): EthereumNetwork {
  if (asked !== undefined) return constantNetwork(chainId, asked, blobs)
  const known = isPublic ? NETWORKS.find((network) => network.chainId === chainId) : undefined
  return known ?? constantNetwork(chainId, revision, blobs)
}

/** Returns the responses about the block from the cache, or fetches and caches them. */
async function answersOf(
  cache: ForkCache,
  client: NodeClient,
  identity: ForkIdentity | undefined,
): Promise<ForkResponses> {
  const kept = cache.text('answers')
  if (kept !== undefined) return decodeForkResponses(kept)
  if (identity === undefined) {
    throw new LockstepError(
      'NODE_UNREACHABLE',
      `${client.name}: no answer, and the block is not cached`,
    )
  }
  const answers = await fetchForkResponses(client, identity)
  cache.addText('answers', encodeForkResponses(answers))
  return answers
}

/**
 * Returns how state requests identify the block: by its hash if the node supports that (EIP-1898), which is
 * unambiguous, else by its number.
 */
async function blockName(
  cache: ForkCache,
  client: NodeClient,
  number: number,
  hash: Uint8Array,
): Promise<`0x${string}` | BlockName> {
  const named: BlockName = { blockHash: formatData(hash) }
  const kept = cache.text('asked-by')
  if (kept !== undefined) return kept === 'hash' ? named : formatQuantity(number)
  const address = `0x${'0'.repeat(40)}`
  const answer = await client.askOptional('eth_getBalance', [address, named])
  const isTaken = typeof answer === 'string' && /^0x[0-9a-f]+$/i.test(answer)
  cache.addText('asked-by', isTaken ? 'hash' : 'number')
  return isTaken ? named : formatQuantity(number)
}

/** Chains may share an id, and a chain may have two blocks of a number: the hash distinguishes them. */
function folderOf(cacheDir: string, { chainId, number, hash }: ForkIdentity): string {
  return join(cacheDir, String(chainId), `${number}-${formatData(hash).slice(2, 18)}`)
}

/** Returns the path of the file with a node's chain id. Its name hides the URL, which may contain a key. */
function chainFile({ cacheDir, url }: Pick<ForkOptions, 'cacheDir' | 'url'>): string {
  return join(cacheDir, 'nodes', createHash('sha256').update(url).digest('hex').slice(0, 32))
}

function rememberChain(options: Pick<ForkOptions, 'cacheDir' | 'url'>, chainId: bigint): void {
  const path = chainFile(options)
  mkdirSync(join(options.cacheDir, 'nodes'), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, `${chainId}\n`, { mode: 0o600 })
  renameSync(draft, path)
}

/**
 * Returns the folder of a cached fork block whose node does not answer now.
 * @throws `failure` if there is none
 */
function cachedFolder({ cacheDir, url, block, chainId }: ForkOptions, failure: unknown): string {
  const isSilent =
    failure instanceof LockstepError &&
    (failure.code === 'NODE_UNREACHABLE' || failure.code === 'REQUEST_TIMEOUT')
  if (!isSilent || block === undefined) throw failure
  try {
    const id = chainId ?? readFileSync(chainFile({ cacheDir, url }), 'utf8').trim()
    const chain = join(cacheDir, String(id))
    const folders = readdirSync(chain)
      .filter((name) => name.startsWith(`${block}-`))
      .map((name) => join(chain, name))
      .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
    const [newest] = folders
    if (newest !== undefined) return newest
  } catch {
    // Nothing of this node is cached.
  }
  throw failure
}
