import type { TracerLimits } from '../../../evm/trace/tracer.ts'
import type { RpcSubscriptionLimits } from '../subscription/subscription-limits.ts'

/** Limits on what a caller may cost the node, from section [evm] of app.toml (`host/base/config/schema.ts`). */
export interface RpcLimits extends RpcSubscriptionLimits {
  /** Maximum values in a request: members, elements and opened brackets. */
  readonly requestValues: number
  /** Maximum requests in a batch. */
  readonly batchRequests: number
  /** Maximum characters of a response that is not streamed; applies to a batch as a whole. */
  readonly responseBytes: number
  /** Milliseconds after which a method fails with -32002. */
  readonly methodTimeoutMs: number
  readonly simulationTimeoutMs: number
  /** Default and maximum gas of a call; 0 is the gas limit of its block. */
  readonly simulationGas: bigint
  readonly traceTimeoutMs: number
  /** Maximum age in blocks of a traced block; -1 is unlimited. */
  readonly traceLookbackBlocks: number
  /** Maximum blocks replayed by one trace_filter; 0 is unlimited. */
  readonly traceFilterBlocks: number
  /** Maximum bytes that the tracer of one transaction may write or retain. */
  readonly trace: TracerLimits
  /** True if tracers sent as source code may run. */
  readonly traceScripts: boolean
  readonly overrideAccounts: number
  /** Maximum slots of one account in a state override. */
  readonly overrideSlots: number
  /** Maximum logs in the response to a range of several blocks; 0 is unlimited. */
  readonly logs: number
  /** Maximum blocks searched by one log query; 0 is unlimited. */
  readonly logBlocks: number
}
