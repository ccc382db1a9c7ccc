import { formatData, formatQuantity } from '../../../base/hex.ts'
import { rewardsOf } from '../../../evm/execute/ethereum/rewards.ts'
import { knownHeader } from '../../../evm/execute/history.ts'
import type { RewardTrace } from '../../../evm/trace/tracers/parity-trace.ts'
import type { RpcContext } from '../call/context.ts'

/** Returns the rewards of a block as elements of its traces. Only an imported chain has rewards, before the merge. */
export function rewardTraces(
  { history, imported }: RpcContext,
  height: number,
): readonly RewardTrace[] {
  if (imported === undefined) return []
  const header = knownHeader(history, height)
  const { revision } = imported.rules.envOf(header)
  const ommers = history.block(height)?.ethereum?.ommers ?? []
  const rewards = rewardsOf(imported.rules.ethereumHeader(header), ommers, revision)
  return rewards.map(({ kind, author, wei }) => ({
    action: { author: formatData(author), rewardType: kind, value: formatQuantity(wei) },
    blockHash: formatData(header.hash),
    blockNumber: height,
    result: null,
    subtraces: 0,
    traceAddress: [],
    transactionHash: null,
    transactionPosition: null,
    type: 'reward',
  }))
}
