import type { Policy } from '../protocol/policy-shapes.ts'
import type { SigningAction } from './signing-action.ts'

/** One condition as it was judged. */
export interface ConditionFinding {
  readonly field: string
  readonly operator: string
  readonly expected: string | readonly string[]
  /**
   * Its beginning where it is long. Undefined where the action has no such value, or it could not be decoded: `problem`
   * says why.
   */
  readonly actual: string | undefined
  readonly problem?: string
  readonly holds: boolean
  /** It may hold once this is known: the request leaves it open. */
  readonly open?: readonly OpenPart[]
  /** What it read comes from a run of the transaction. */
  readonly isTried?: true
}

/** What a request leaves open, so that it is known only when the transaction has been filled, or run. */
export type OpenPart = 'nonce' | 'gas' | 'fees' | 'simulation'

/** Parts that are not known yet. */
export interface OpenParts {
  readonly parts: ReadonlySet<OpenPart>
  /** True if they will not be known: a condition on them is unreadable. */
  readonly isLast: boolean
}

export interface RuleFinding {
  readonly policy: string
  readonly rule: string
  readonly action: 'ALLOW' | 'DENY'
  readonly matches: boolean
  readonly conditions: readonly ConditionFinding[]
}

/** Why something may be signed or not. */
export interface Decision {
  readonly allowed: boolean
  /** What the decision depends on and is not known yet; it is neither allowed nor denied then. */
  readonly dependsOn?: readonly OpenPart[]
  /** One sentence: which rule decided by which value, or that no rule allows it. */
  readonly reason: string
  readonly rules: readonly RuleFinding[]
  /** What has to be charged when it is signed, by names of windows. */
  readonly charges: readonly WindowCharge[]
}

/** An amount that counts against a window of a rule, for the wallet that signs. */
export interface WindowCharge {
  /** Rule, asset and chain: `<rule id>/<asset>/eip155:<chain id>`. */
  readonly window: string
  /** More than zero, in the smallest unit of the asset. */
  readonly amount: bigint
}

/** What windows have spent, read inside the transaction that will charge them. */
export interface WindowReads {
  /** The sum charged in the last `period` seconds, without what the same nonce of the same chain was charged. */
  spent(window: string, period: number): bigint
}

/**
 * What a run of the transaction on the present state of the chain did. It comes from a process that the signer does
 * not trust, and says nothing of the state that the transaction will meet.
 */
export interface Simulation {
  readonly succeeds: boolean
  /** What left the wallet without coming back, by `native` or the lower-case address of the token; more than zero. */
  readonly out: ReadonlyMap<string, bigint>
}

export interface PolicyQuestion {
  readonly policies: readonly Policy[]
  readonly action: SigningAction
  /** 20 bytes. */
  readonly wallet: Uint8Array
  readonly windows: WindowReads
  /** Where one was made. */
  readonly simulation?: Simulation
  /** Absent if everything is known. */
  readonly open?: OpenParts
  /** True if the gas limit comes from a run of the transaction. */
  readonly isGasTried?: boolean
  /** Seconds. */
  readonly now: number
}

/** Judges an action by the union of the rules. Total: it throws nothing, and what it cannot read is not allowed. */
export type EvaluatePolicy = (question: PolicyQuestion) => Decision
