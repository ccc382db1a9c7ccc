import type { Hex } from '../../../base/hex.ts'
import { opcodeName } from '../../engine/opcode.ts'

/** A position in a run. */
export interface StepPlace {
  /** Starts at 0. */
  readonly step: number
  readonly pc: number
  readonly opcode: number
  readonly depth: number
  readonly gas: number
}

/** The first difference between a run and its recording. */
export type Difference =
  /** The step differs; its current values. */
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

/** A difference and its transaction's hash; undefined in a system call. */
export type FirstDifference = Difference & { readonly transaction: Hex | undefined }

function describePlace({ step, pc, opcode, depth, gas }: StepPlace): string {
  return `step ${step} (pc ${pc}, ${opcodeName(opcode)}, depth ${depth}, gas ${gas})`
}

function describeKind(difference: Difference): string {
  switch (difference.kind) {
    case 'step':
      return `${describePlace(difference.at)} differs from the recorded step`
    case 'steps':
      return `ends after ${difference.now} steps instead of the recorded ${difference.recorded}`
    case 'receipt': {
      const { field, now = 'nothing', recorded = 'nothing' } = difference
      return `${field} of the receipt is ${now}, but ${recorded} was recorded`
    }
    case 'read': {
      const place =
        difference.at === undefined ? 'before its first step' : describePlace(difference.at)
      return `${difference.what} (first read: ${place})`
    }
    case 'refused':
      return `is rejected on replay: ${difference.reason}`
  }
}

/** Returns one sentence about the first difference between a run and its recording. */
export function describeDifference(difference: FirstDifference): string {
  const { transaction } = difference
  const who = transaction === undefined ? 'a system call' : `transaction ${transaction}`
  return `${who}: ${describeKind(difference)}`
}
