import type { PolicyQuestion } from './decision.ts'
import type { Scalar } from './scalar.ts'

/** What a field of a rule is in an action. */
export type Reading =
  | {
      readonly kind: 'values'
      /** One, or those of each item of a list. */
      readonly values: readonly Scalar[]
      /** Why something else may hide behind them: a condition that they do not meet is not refuted by them. */
      readonly doubt?: string
    }
  /** The action has no such value, and can have none. */
  | { readonly kind: 'absent'; readonly problem: string }
  /** It may have one, which cannot be told. */
  | { readonly kind: 'unknown'; readonly problem: string }

export function value(scalar: Scalar): Reading {
  return { kind: 'values', values: [scalar] }
}

export function absent(problem: string): Reading {
  return { kind: 'absent', problem }
}

export function unknown(problem: string): Reading {
  return { kind: 'unknown', problem }
}

/** The question, and what several conditions read of it. */
export interface Context {
  readonly question: PolicyQuestion
  /** What was decoded, by that which decodes it. */
  readonly decoded: Map<object, unknown>
}

/**
 * A field of other actions than this: it has none. What is signed as a bare hash, and a key that leaves, may become
 * any action, so nothing is known of it.
 */
export function ofOtherAction({ question: { action } }: Context, what: string): Reading {
  const { method } = action
  if (method === 'secp256k1_sign' || method === 'exportPrivateKey') {
    return unknown(`${method} may become anything, ${what} among it`)
  }
  return absent(`${method} has no ${what}`)
}

/** What many conditions need of one thing that was decoded: made once a question. */
export function once<Made>({ decoded }: Context, of: object, make: () => Made): Made {
  if (!decoded.has(of)) decoded.set(of, make())
  return decoded.get(of) as Made
}
