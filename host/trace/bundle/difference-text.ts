import { opcodeName } from '../../engine/opcode.ts'
import type { Difference, FirstDifference } from './bundle-replay.ts'
import type { StepPlace } from './step-digest.ts'

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
