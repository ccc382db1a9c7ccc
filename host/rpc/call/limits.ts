import type { TracerLimits } from '../../trace/tracer.ts'

/** What a caller may cost the node. The configuration fills it; section [evm] of app.toml. */
export interface RpcLimits {
  /** Values in a request: members, elements and opened brackets. */
  readonly requestValues: number
  /** Requests in a batch. */
  readonly batchRequests: number
  /** Characters of an answer that is not streamed, a batch's in all. */
  readonly responseBytes: number
  /** Time a method may take before -32002. */
  readonly methodTimeoutMs: number
  readonly simulationTimeoutMs: number
  /** Gas that a call gets where it names none, and at most; 0 for the limit of its block. */
  readonly simulationGas: bigint
  readonly traceTimeoutMs: number
  /** Age in blocks of the oldest block that is traced; -1 is any. */
  readonly traceLookbackBlocks: number
  /** What the tracer of one transaction may write or keep. */
  readonly trace: TracerLimits
  /** Whether tracers sent as source are run. */
  readonly traceScripts: boolean
  readonly overrideAccounts: number
  /** Slots of one account in a state override. */
  readonly overrideSlots: number
  /** Logs in the answer to a range of several blocks; 0 is any number. */
  readonly logs: number
  /** Blocks that one log query searches; 0 is any number. */
  readonly logBlocks: number
  readonly filters: number
  /** A filter that nobody asks for this long is removed. */
  readonly filterIdleMs: number
  readonly headSubscriptions: number
  readonly logSubscriptions: number
  /** Subscriptions of one connection. */
  readonly connectionSubscriptions: number
}

export const DEFAULT_LIMITS: RpcLimits = {
  requestValues: 40_000,
  batchRequests: 1000,
  responseBytes: 25_000_000,
  methodTimeoutMs: 30_000,
  simulationTimeoutMs: 60_000,
  simulationGas: 50_000_000n,
  traceTimeoutMs: 30_000,
  traceLookbackBlocks: 10_000,
  trace: { structLogBytes: Number.POSITIVE_INFINITY, keptBytes: 128 * 1024 * 1024 },
  traceScripts: true,
  overrideAccounts: 100,
  overrideSlots: 1000,
  logs: 10_000,
  logBlocks: 0,
  filters: 10_000,
  filterIdleMs: 120_000,
  headSubscriptions: 10_000,
  logSubscriptions: 1000,
  connectionSubscriptions: 1000,
}
