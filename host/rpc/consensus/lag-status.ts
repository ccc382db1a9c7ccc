import type { ConsensusEngine } from '../../consensus/application.ts'
import { LAG_TOO_HIGH, type RpcError } from './response.ts'

/** Unlike the rest of the consensus RPC this route answers in JSON numbers. */
export interface LagStatus {
  readonly current_height: number
  readonly max_peer_height: number
  readonly lag: number
}

/** How far a node is, and how far it may be behind. */
export interface LagContext {
  readonly engine: Pick<ConsensusEngine, 'height' | 'sync'>
  readonly lagThreshold: number
}

export function lagStatus(context: LagContext): LagStatus {
  const current = context.engine.height
  const peer = context.engine.sync.maxPeerHeight
  return { current_height: current, max_peer_height: peer, lag: Math.max(0, peer - current) }
}

export function lagFailure(context: LagContext): RpcError | undefined {
  const lag = lagStatus(context)
  if (lag.lag <= context.lagThreshold) return undefined
  return { code: LAG_TOO_HIGH, message: 'Lag is too high', data: JSON.stringify(lag) }
}
