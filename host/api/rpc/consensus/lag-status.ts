import { type ConsensusEngine, lagOf } from '../../../chain/consensus/application.ts'
import { type ConsensusRpcError, LAG_TOO_HIGH } from './response.ts'

/** Unlike the rest of the consensus RPC, this route uses JSON numbers. */
export interface LagStatus {
  readonly current_height: number
  readonly max_peer_height: number
  /** Null until a peer reports its height: without peers the lag is unknown. */
  readonly lag: number | null
}

/** The state that determines the lag, and its limit. */
export interface LagContext {
  readonly engine: Pick<ConsensusEngine, 'height' | 'sync'>
  readonly lagThreshold: number
}

export function lagStatus(context: LagContext): LagStatus {
  const { height, sync } = context.engine
  return {
    current_height: height,
    max_peer_height: sync.maxPeerHeight,
    lag: lagOf(height, sync) ?? null,
  }
}

export function lagFailure(context: LagContext): ConsensusRpcError | undefined {
  const lag = lagStatus(context)
  if (lag.lag === null || lag.lag <= context.lagThreshold) return undefined
  return { code: LAG_TOO_HIGH, message: 'Lag is too high', data: JSON.stringify(lag) }
}
