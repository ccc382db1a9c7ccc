import type { Config } from '../../base/config/schema.ts'
import { FAILURES } from '../../base/failure-table.ts'
import type { Logger } from '../../base/log/logger.ts'
import type { ConsensusBlockStore } from '../../chain/consensus/embedded/block-store.ts'
import { consensusChainOf } from '../../chain/consensus/embedded/chain.ts'
import {
  type Follower,
  type FollowReport,
  startFollower,
} from '../../chain/consensus/follow/follower.ts'
import { ForwardingPool } from '../../chain/consensus/follow/forwarding-pool.ts'
import { RpcServer, serverUrl } from '../../chain/consensus/follow/rpc-server.ts'
import type { HaltPoint } from '../../chain/consensus/halt-point.ts'
import type { UpgradeHalt } from '../../chain/consensus/upgrade-halt.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import type { Disposables } from '../disposables.ts'
import type { ChainParts } from '../open/open-chain.ts'

/** Returns the consensus RPC URLs that a full node follows; empty if none are configured. @throws CONFIG_INVALID */
export function followedServers({ follow, statesync }: Config): readonly URL[] {
  const named = follow.rpcServers.length > 0 ? follow.rpcServers : statesync.rpcServers
  const urls = new Map(named.map(serverUrl).map((url) => [url.href, url]))
  return [...urls.values()]
}

function followLog(logger: Logger): FollowReport {
  return {
    dropped: ({ name }, reason) => {
      logger.error('a server is dropped: it does not serve the blocks of this chain', {
        server: name,
        reason,
      })
    },
    failed: ({ name }, reason) => {
      logger.warn('a server of blocks does not answer', { server: name, reason })
    },
    alone: () => {
      const { text, remedy } = FAILURES.NO_PEERS
      logger.error(text, { remedy })
    },
    recovered: ({ name }) => logger.info('a server of blocks answers again', { server: name }),
    following: ({ name }, height) => logger.info('following', { server: name, height }),
    pruned: (height, earliest) => {
      logger.error(
        'no server has the next block of this home: create a new home by state sync or from a snapshot',
        { height, earliestHeight: earliest },
      )
    },
    caughtUp: (height, blocks, milliseconds) => {
      logger.info('caught up', {
        height,
        blocks,
        blocksPerSecond: Math.round((blocks * 1000) / Math.max(milliseconds, 1)),
      })
    },
  }
}

export interface FollowedChain {
  readonly engine: Follower
  readonly pool: ForwardingPool
}

export interface FollowOptions {
  readonly servers: readonly URL[]
  readonly genesis: Genesis
  readonly chain: ChainParts
  readonly blockStore: ConsensusBlockStore
  readonly logger: Logger
  readonly halt: HaltPoint
  readonly upgrade: UpgradeHalt | undefined
  readonly onHalted: (height: number) => void
  readonly onError: (error: unknown) => void
}

/** Follows the chain of other nodes, and forwards transactions sent to this one. */
export async function followChain(
  { servers, genesis, chain, blockStore, logger, ...ends }: FollowOptions,
  closers: Disposables,
): Promise<FollowedChain> {
  const engine = await startFollower({
    application: chain.application,
    chain: consensusChainOf(genesis),
    blockStore,
    connect: (signal) => servers.map((url) => new RpcServer(url, genesis.maxBlockBytes, signal)),
    report: followLog(logger),
    ...ends,
  })
  closers.add(() => engine.stop())
  const pool = new ForwardingPool({
    pool: chain.mempool,
    broadcast: (raw) => engine.broadcast(raw),
    onRefused: (hash, reason) => logger.warn('a transaction was refused', { hash, reason }),
    onUnsent: (waiting, error) => {
      logger.debug('transactions wait for a server that accepts them', { waiting, error })
    },
  })
  closers.add(() => pool.close())
  return { engine, pool }
}
