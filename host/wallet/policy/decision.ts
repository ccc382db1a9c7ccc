import type { ApiPolicy } from '../protocol/policy-shapes.ts'
import type { SigningAction } from './signing-action.ts'

/** Result of one condition. */
export interface ConditionFinding {
  readonly field: string
  readonly operator: string
  readonly expected: string | readonly string[]
  /** Shortened if long. Undefined if the action has no such value or it could not be decoded; `problem` says why. */
  readonly actual: string | undefined
  readonly problem?: string
  readonly holds: boolean
  /** The condition may hold once these parts are known: the request leaves them open. */
  readonly open?: readonly OpenPart[]
  /** The value comes from a run of the transaction. */
  readonly isTried?: true
}

/** Parts that a request may leave open: known only after the transaction is filled or simulated. */
export type OpenPart = 'nonce' | 'gas' | 'fees' | 'simulation'

/** Parts that are not known yet. */
export interface OpenParts {
  readonly parts: ReadonlySet<OpenPart>
  /** True if they will stay unknown: conditions on them are unreadable. */
  readonly isLast: boolean
}

export interface RuleFinding {
  readonly policy: string
  readonly rule: string
  readonly action: 'ALLOW' | 'DENY'
  readonly matches: boolean
  readonly conditions: readonly ConditionFinding[]
}

/** Whether an action may be signed, and why. */
export interface Decision {
  readonly allowed: boolean
  /** Unknown parts that the decision depends on. If present, the action is neither allowed nor denied yet. */
  readonly dependsOn?: readonly OpenPart[]
  /** One sentence: the rule that decided and the value it saw, or that no rule allows the action. */
  readonly reason: string
  readonly rules: readonly RuleFinding[]
  /** What to charge per window when the action is signed. */
  readonly charges: readonly WindowCharge[]
}

/** An amount that counts against a window of a rule, per signing wallet. */
export interface WindowCharge {
  /** Rule, asset and chain: `<rule id>/<asset>/eip155:<chain id>`. */
  readonly window: string
  /** More than zero, in the smallest unit of the asset. */
  readonly amount: bigint
}

/** Reads the sums of windows, within the database transaction that charges them. */
export interface WindowReads {
  /** Returns the sum charged in the last `period` seconds, without charges for the same nonce on the same chain. */
  spent(window: string, period: number): bigint
}

/**
 * Result of a simulation on the current state. It comes from a process that the signer does not trust, and the
 * transaction may meet another state.
 */
export interface SimulatedOutflow {
  readonly succeeds: boolean
  /** Net outflow of the wallet by `native` or lower-case token address. Only positive amounts. */
  readonly out: ReadonlyMap<string, bigint>
}

export interface PolicyQuestion {
  readonly policies: readonly ApiPolicy[]
  readonly action: SigningAction
  /** 20 bytes. */
  readonly wallet: Uint8Array
  readonly windows: WindowReads
  /** Absent if none was made. */
  readonly simulation?: SimulatedOutflow
  /** Absent if everything is known. */
  readonly open?: OpenParts
  /** True if the gas limit comes from a run of the transaction. */
  readonly isGasTried?: boolean
  /** In seconds. */
  readonly now: number
}

/** Evaluates an action against the union of the rules. Never throws: what cannot be read is not allowed. */
export type EvaluatePolicy = (question: PolicyQuestion) => Decision
