import type { OpenPart, PolicyQuestion } from './decision.ts'
import type { Scalar } from './scalar.ts'

/** What a field of a rule is in an action. */
export type Reading =
  | {
      readonly kind: 'values'
      /** One, or those of each item of a list. */
      readonly values: readonly Scalar[]
      /** Why something else may hide behind them: a condition that they do not meet is not refuted by them. */
      readonly doubt?: string
      /** They come from a run of the transaction. */
      readonly isTried?: true
    }
  /** The action has no such value, and can have none. */
  | { readonly kind: 'absent'; readonly problem: string }
  /** It may have one, which cannot be told. */
  | { readonly kind: 'unknown'; readonly problem: string; readonly isTried?: true }
  /** It will have one, which is not known yet. */
  | { readonly kind: 'open'; readonly problem: string; readonly parts: readonly OpenPart[] }

export function value(scalar: Scalar): Reading {
  return { kind: 'values', values: [scalar] }
}

export function absent(problem: string): Reading {
  return { kind: 'absent', problem }
}

export function unknown(problem: string): Reading {
  return { kind: 'unknown', problem }
}

/** What a run of the transaction gave. */
export function tried(reading: Reading): Reading {
  return reading.kind === 'values' || reading.kind === 'unknown'
    ? { ...reading, isTried: true }
    : reading
}

/** A reading of what depends on parts that the request may leave open; undefined if all of them are known. */
export function openReading(
  { question: { open } }: Context,
  ...parts: readonly OpenPart[]
): Reading | undefined {
  const missing = parts.filter((part) => open?.parts.has(part))
  if (open === undefined || missing.length === 0) return undefined
  const problem = `the request leaves it open (${missing.join(', ')})`
  if (open.isLast) return unknown(`${problem}, and no run of the transaction tells it`)
  return { kind: 'open', problem, parts: missing }
}

/** The question, and what several conditions read of it. */
export interface Context {
  readonly question: PolicyQuestion
  /** What was decoded, by that which decodes it. */
  readonly decoded: Map<object, unknown>
  /** Characters that comparisons may still look at. */
  readonly work: { left: number }
}

/** What all comparisons of a question may look at: a hundred conditions on 300 kB of calldata. */
export const MOST_COMPARED: number = 1 << 26

/** A reading whose comparison would take more than a question may; it is not compared. */
export function affordable({ work }: Context, reading: Reading, cost: number): Reading {
  work.left -= cost
  if (work.left >= 0) return reading
  return unknown('the rules compare more than the signer does for one request: write fewer')
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
