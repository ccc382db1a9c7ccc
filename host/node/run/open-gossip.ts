import type { CometRpc } from '../../consensus/cometbft/comet-rpc.ts'
import { broadcastTo } from '../../consensus/gossip/comet-broadcast.ts'
import { TransactionGossip } from '../../consensus/gossip/transaction-gossip.ts'
import type { Logger } from '../../log/logger.ts'
import type { Closers } from '../closers.ts'
import type { ChainParts } from '../open/open-chain.ts'

/** Puts the pool of a node beside CometBFT's; `handOver` is to be called whenever CometBFT begins. */
export function openGossip(
  { mempool, recovery, application }: Pick<ChainParts, 'mempool' | 'recovery' | 'application'>,
  rpc: CometRpc,
  logger: Logger,
  closers: Closers,
): TransactionGossip {
  const gossip = new TransactionGossip({
    pool: mempool,
    keccak256: (bytes) => recovery.keccak256(bytes),
    broadcast: broadcastTo(rpc),
    height: application.info().lastBlockHeight,
    onRefused: (hash, reason) => {
      logger.warn('CometBFT does not take a transaction: it is dropped', { hash, reason })
    },
    onUnsent: (waiting, reason) => {
      logger.debug('transactions wait for CometBFT', { waiting, reason })
    },
  })
  const stop = application.onBlock(({ block }) => gossip.onBlock(block.header))
  closers.add(() => {
    stop()
    gossip.close()
  })
  return gossip
}
