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
  /** The call names a gas price, so its sender's funds and the base fee count. */
  readonly priced: boolean
  readonly stateOverrides: readonly AccountOverride[]
}

/** One list of the items that a tracer finds in the transactions of a plan. */
export interface ListTarget {
  /** Places in the plan of the transactions that are watched; all of them when absent. */
  readonly watched?: readonly number[]
  /** Items that stand behind those of the transactions. */
  readonly tail: readonly RewardTrace[]
  /**
   * Items that are left out at the beginning, and the number that is taken. The result is then
   * {traces, found}: the list, and the number of items found.
   */
  readonly part?: { readonly after: number; readonly count: number }
}

/** The parts of a bundle that its recording does not give. */
export interface AccessRequest {
  readonly scope: AccessScope
  readonly engineHash: string
  /** Consensus encodings of the receipts of the plan's transactions. */
  readonly receipts: readonly Uint8Array[]
  readonly chain: ChainTraces
}

/** A call of several that run one after another, and what is asked about it. */
export interface ListedCall extends TracedCall {
  readonly config: TracerConfig
}

/** The messages that a trace is about. */
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
  /** The plan's transactions from one on, as lines of JSON (`traced-lines.ts`). */
  | { readonly kind: 'lines'; readonly from: number }
  /** A call after the plan's transactions; without a plan, on the given state itself. */
  | { readonly kind: 'call'; readonly call: TracedCall }
  /** No tracer: all that the plan reads, as a bundle that replays without a chain. */
  | { readonly kind: 'stateAccess'; readonly access: AccessRequest }

/** A tracer with its options and limits. */
export interface TracerChoice {
  /** A name from the table of tracers, or the source of a script. */
  readonly tracer: string
  readonly config: TracerConfig
  readonly limits: TracerLimits
}

/** One trace as plain data: it can be sent to another thread. */
export interface TraceJob extends TracerChoice {
  readonly target: TraceTarget
  readonly plan: ReplayPlan | undefined
}
