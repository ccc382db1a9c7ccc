import type { Hex } from '../../../base/hex.ts'
import { opcodeName } from '../../engine/opcode.ts'

/** A place in a run. */
export interface StepPlace {
  /** Counts from 0. */
  readonly step: number
  readonly pc: number
  readonly opcode: number
  readonly depth: number
  readonly gas: number
}

/** The first difference between a run and the recorded one. */
export type Difference =
  /** A step, as it is now. */
  | { readonly kind: 'step'; readonly at: StepPlace }
  /** The run ended early. */
  | { readonly kind: 'steps'; readonly recorded: number; readonly now: number }
  /** Undefined stands for a part that is not there. */
  | {
      readonly kind: 'receipt'
      readonly field: string
      readonly recorded: string | undefined
      readonly now: string | undefined
    }
  /** The run makes a read that was not recorded; `at` is undefined before the first step. */
  | { readonly kind: 'read'; readonly what: string; readonly at: StepPlace | undefined }
  /** The transaction does not run any more. */
  | { readonly kind: 'refused'; readonly reason: string }

/** A difference with its transaction's hash; undefined in a call by the protocol. */
export type FirstDifference = Difference & { readonly transaction: Hex | undefined }

function describePlace({ step, pc, opcode, depth, gas }: StepPlace): string {
  return `step ${step} (pc ${pc}, ${opcodeName(opcode)}, depth ${depth}, gas ${gas})`
}

function describeKind(difference: Difference): string {
  switch (difference.kind) {
    case 'step':
      return `${describePlace(difference.at)} is another than the one recorded`
    case 'steps':
      return `ends after ${difference.now} steps, recorded were ${difference.recorded}`
    case 'receipt': {
      const { field, now = 'nothing', recorded = 'nothing' } = difference
      return `${field} of the receipt is ${now}, recorded was ${recorded}`
    }
    case 'read': {
      const place =
        difference.at === undefined ? 'before its first step' : describePlace(difference.at)
      return `${difference.what}, which is read at ${place}`
    }
    case 'refused':
      return `is refused now: ${difference.reason}`
  }
}

/** One sentence about where a run and its record part. */
export function describeDifference(difference: FirstDifference): string {
  const { transaction } = difference
  const who = transaction === undefined ? 'a call by the protocol' : `transaction ${transaction}`
  return `${who}: ${describeKind(difference)}`
}
