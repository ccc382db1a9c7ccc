import type { OpenPart, PolicyQuestion } from './decision.ts'
import type { PolicyScalar } from './scalar.ts'

/** The value of a rule's field in an action. */
export type Reading =
  | {
      readonly kind: 'values'
      /** One value, or one per item of a list. */
      readonly values: readonly PolicyScalar[]
      /** Why the values may hide something. A condition that they do not meet is then not refuted. */
      readonly doubt?: string
      /** The values come from a run of the transaction. */
      readonly isTried?: true
    }
  /** The action has no such value, and can have none. */
  | { readonly kind: 'absent'; readonly problem: string }
  /** It may have one, which cannot be determined. */
  | { readonly kind: 'unknown'; readonly problem: string; readonly isTried?: true }
  /** It will have one, which is not known yet. */
  | { readonly kind: 'open'; readonly problem: string; readonly parts: readonly OpenPart[] }

export function value(scalar: PolicyScalar): Reading {
  return { kind: 'values', values: [scalar] }
}

export function absent(problem: string): Reading {
  return { kind: 'absent', problem }
}

export function unknown(problem: string): Reading {
  return { kind: 'unknown', problem }
}

/** Marks a reading as the result of a run of the transaction. */
export function fromSimulation(reading: Reading): Reading {
  return reading.kind === 'values' || reading.kind === 'unknown'
    ? { ...reading, isTried: true }
    : reading
}

/** Returns a reading if the request leaves one of the parts open; undefined if all are known. */
export function openReading(
  { question: { open } }: Context,
  ...parts: readonly OpenPart[]
): Reading | undefined {
  const missing = parts.filter((part) => open?.parts.has(part))
  if (open === undefined || missing.length === 0) return undefined
  const problem = `the request leaves it open (${missing.join(', ')})`
  if (open.isLast) return unknown(`${problem}, and no run of the transaction gives it`)
  return { kind: 'open', problem, parts: missing }
}

/** The question, and values shared by its conditions. */
export interface Context {
  readonly question: PolicyQuestion
  /** Decoded values by the object that decodes them. */
  readonly decoded: Map<object, unknown>
  /** Characters that comparisons may still read. */
  readonly work: { left: number }
}

/** Characters that all comparisons of a question may read: a hundred conditions on 300 kB of calldata. */
export const MOST_COMPARED: number = 1 << 26

/** Returns `reading`, or an unknown reading if comparing it would exceed the budget of the question. */
export function affordable({ work }: Context, reading: Reading, cost: number): Reading {
  work.left -= cost
  if (work.left >= 0) return reading
  return unknown('the rules compare more data than the signer allows for one request: write fewer')
}

/**
 * Returns the reading of a field that the action does not have. A signature of a bare hash and an exported key can
 * serve for any action, so their fields are unknown instead of absent.
 */
export function ofOtherAction({ question: { action } }: Context, what: string): Reading {
  const { method } = action
  if (method === 'secp256k1_sign' || method === 'exportPrivateKey') {
    return unknown(`${method} can serve for any action, including ${what}`)
  }
  return absent(`${method} has no ${what}`)
}

/** Returns a decoded value that is computed once per question. */
export function once<Made>({ decoded }: Context, of: object, make: () => Made): Made {
  if (!decoded.has(of)) decoded.set(of, make())
  return decoded.get(of) as Made
}
