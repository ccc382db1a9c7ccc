import type { Readiness } from '../../api/server/readiness.ts'
import { type ConsensusEngine, lagOf } from '../../chain/consensus/application.ts'

/** Returns whether a node keeps up with those it follows; `lagThreshold` is that of /lag_status. */
export function readinessOf(
  { height, sync }: Pick<ConsensusEngine, 'height' | 'sync'>,
  lagThreshold: number,
): Readiness {
  const { maxPeerHeight, isCatchingUp } = sync
  const far = `height ${height} of ${maxPeerHeight}`
  const behind = maxPeerHeight - height
  const waitingFor =
    sync.waitingFor ??
    (isCatchingUp
      ? `blocks that others have long had: ${far}`
      : behind > lagThreshold
        ? `blocks of its peers: ${far}, which is more than ${lagThreshold} behind`
        : undefined)
  const lag = lagOf(height, sync)
  return { ready: waitingFor === undefined, height, maxPeerHeight, lag, waitingFor }
}
