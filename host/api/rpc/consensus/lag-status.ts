import { type ConsensusEngine, lagOf } from '../../../chain/consensus/application.ts'
import { LAG_TOO_HIGH, type RpcError } from './response.ts'

/** Unlike the rest of the consensus RPC this route answers in JSON numbers. */
export interface LagStatus {
  readonly current_height: number
  readonly max_peer_height: number
  /** Null while no peer tells its height: a node without peers does not know how far it is behind. */
  readonly lag: number | null
}

/** How far a node is, and how far it may be behind. */
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

export function lagFailure(context: LagContext): RpcError | undefined {
  const lag = lagStatus(context)
  if (lag.lag === null || lag.lag <= context.lagThreshold) return undefined
  return { code: LAG_TOO_HIGH, message: 'Lag is too high', data: JSON.stringify(lag) }
}
