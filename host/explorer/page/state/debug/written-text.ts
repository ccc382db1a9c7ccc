import type { Written } from '../../../browser/step/stepper.ts'
import { shortSlot } from './breakpoint.ts'
import { formatOffset } from './word.ts'

/** Describes a value whose writer is searched. */
export function describeWritten(what: Written): string {
  switch (what.kind) {
    case 'slot':
      return `slot ${shortSlot(what.slot)} of ${what.address}`
    case 'transient':
      return `transient slot ${shortSlot(what.slot)} of ${what.address}`
    case 'stack':
      return `word ${what.place} of the stack`
    case 'memory':
      return `byte ${formatOffset(what.offset)} of memory`
  }
}
