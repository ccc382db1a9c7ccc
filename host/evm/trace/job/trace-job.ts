import type { BlockEnv, TransactionInput } from '../../engine/message.ts'
import type { ReplayPlan } from '../../execute/replay/replay-plan.ts'
import type { AccountOverride } from '../../execute/simulate/overlay-view.ts'
import type { AccessScope, ChainTraces } from '../bundle/bundle.ts'
import type { TracerConfig, TracerLimits } from '../tracer.ts'
import type { RewardTrace } from '../tracers/parity-trace.ts'
import type { BegunProfile } from './profile.ts'

/** A call that never enters a block. */
export interface TracedCall {
  readonly input: TransactionInput
  readonly env: BlockEnv
  /** True if the call has a price of gas or of blob gas, so that funds and fees are checked. */
  readonly priced: boolean
  readonly stateOverrides: readonly AccountOverride[]
}

/** One list of the items that a tracer finds in a plan's transactions. */
export interface ListTarget {
  /** Plan indices of the transactions to trace; all if absent. */
  readonly watched?: readonly number[]
  /** Items appended after those of the transactions. */
  readonly tail: readonly RewardTrace[]
  /**
   * Pagination: skips `after` items and takes `count`. The result is then {traces, found}, the list and the number of
   * items found.
   */
  readonly part?: { readonly after: number; readonly count: number }
}

/** Parts of a bundle that are not recorded by execution. */
export interface AccessRequest {
  readonly scope: AccessScope
  readonly engineHash: string
  /** Consensus encodings of the receipts of the plan's transactions. */
  readonly receipts: readonly Uint8Array[]
  readonly chain: ChainTraces
}

/** One of several consecutive calls, with its tracer configuration. */
export interface ListedCall extends TracedCall {
  readonly config: TracerConfig
}

/** What to trace. */
export type TraceTarget =
  /** The last transaction of the plan. */
  | { readonly kind: 'transaction'; readonly profile?: BegunProfile }
  /** Each transaction of the plan. */
  | { readonly kind: 'block' }
  /** Each transaction of the plan, as a list of what the tracer gives. */
  | { readonly kind: 'replays' }
  /** The items of the tracer's lists in one. */
  | { readonly kind: 'list'; readonly list: ListTarget }
  /** Calls on the given state, each upon the one before it, as a list. */
  | { readonly kind: 'calls'; readonly calls: readonly ListedCall[] }
  /** Calls in several blocks after the plan's transactions, each upon the one before it, as a list for each block. */
  | {
      readonly kind: 'bundles'
      readonly bundles: readonly (readonly TracedCall[])[]
      readonly stateOverrides: readonly AccountOverride[]
    }
  /** The plan's transactions from one on, as lines of JSON (`traced-lines.ts`). */
  | { readonly kind: 'lines'; readonly from: number }
  /** A call after the plan's transactions; without a plan, on the given state itself. */
  | { readonly kind: 'call'; readonly call: TracedCall }
  /** No tracer: all that the plan reads, as a bundle that replays without a chain. */
  | { readonly kind: 'stateAccess'; readonly access: AccessRequest }

/** A tracer with its configuration and limits. */
export interface TracerChoice {
  /** Name in the tracer table, or source of a script. */
  readonly tracer: string
  readonly config: TracerConfig
  readonly limits: TracerLimits
}

/** One trace as plain data, which can be sent to another thread. */
export interface TraceJob extends TracerChoice {
  readonly target: TraceTarget
  readonly plan: ReplayPlan | undefined
}
