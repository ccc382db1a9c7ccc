import type { TracerLimits } from '../../../evm/trace/tracer.ts'
import type { SubscriptionLimits } from '../subscription/subscription-limits.ts'

/** The most that a caller may cost the node. Section [evm] of app.toml fills it (`host/base/config/schema.ts`). */
export interface RpcLimits extends SubscriptionLimits {
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
  /** Blocks that one trace_filter runs again; 0 is any number. */
  readonly traceFilterBlocks: number
  /** Bytes that the tracer of one transaction may write or keep. */
  readonly trace: TracerLimits
  /** True where tracers that are sent as source are run. */
  readonly traceScripts: boolean
  readonly overrideAccounts: number
  /** Slots of one account in a state override. */
  readonly overrideSlots: number
  /** Logs in the answer to a range of several blocks; 0 is any number. */
  readonly logs: number
  /** Blocks that one log query searches; 0 is any number. */
  readonly logBlocks: number
}
