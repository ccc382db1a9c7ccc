import type { ConsensusRpcContext } from '../../../../../host/api/rpc/consensus/context.ts'
import { SubscriptionSlots } from '../../../../../host/api/rpc/consensus/subscription-slots.ts'
import { BlockListeners } from '../../../../../host/chain/consensus/head-feed.ts'
import { FakePool } from '../../../../support/chain/fake-chain.ts'

/** Returns the parts of the context that a toy chain lacks: no receipts, no own pool, no peers. */
export function toyParts() {
  const heads = new BlockListeners((error) => {
    throw error
  })
  return {
    executed: {
      earliest: 0,
      latest: 0,
      receipts: () => [],
      receipt: () => undefined,
      transaction: () => undefined,
      locate: () => undefined,
      logHeights: () => [],
    },
    heads,
    pool: new FakePool(),
    slots: new SubscriptionSlots({ clients: 100, perClient: 5 }),
    blockTimeMs: 400,
    index: undefined,
    searchLimits: { results: 10_000, scan: 100_000 },
    eventLogWindowMs: 30_000,
    timeoutBroadcastTxCommitMs: 10_000,
    lagThreshold: 300,
  } satisfies Partial<ConsensusRpcContext>
}
