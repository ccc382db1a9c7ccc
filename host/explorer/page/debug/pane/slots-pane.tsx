import type { SlotValue } from '../../../browser/step/stepper.ts'
import { shortSlot } from '../../state/debug/breakpoint.ts'
import type { Debugger } from '../../state/debug/debugger.ts'
import { formatWord } from '../../state/debug/word.ts'
import { slotAccess } from './memory-access.ts'
import type { NamedWord } from './named-word.ts'
import { useSlotMeanings } from './use-slot-meanings.ts'
import { WordGrid } from './word-grid.tsx'

interface Props {
  readonly debug: Debugger
  readonly kind: 'storage' | 'transient'
}

/** Slots that the transaction has touched, of the account whose storage is used. */
export function SlotsPane({ debug, kind }: Props) {
  const step = debug.run.step.value
  const meanings = useSlotMeanings(debug.run, step, kind)
  if (step === undefined) return null
  const access = slotAccess(step.name, step.stack)
  const changed = new Set(step.changed[kind])
  const words = step[kind].map(({ slot, value, original }: SlotValue): NamedWord => {
    const meaning = meanings.get(slot)
    const isNew = kind === 'storage' && value !== original
    return {
      key: `${step.address}${slot}`,
      place: `slot ${shortSlot(slot)}`,
      name: meaning?.name,
      value: BigInt(value),
      meaning: meaning?.value,
      aside: isNew ? `was ${formatWord(BigInt(original), 'hex')}` : undefined,
      isChanged: changed.has(slot),
      isTouched: access?.kind === kind && access.slot === BigInt(slot),
      written: { kind: kind === 'storage' ? 'slot' : 'transient', address: step.address, slot },
    }
  })
  return (
    <WordGrid
      debug={debug}
      id={kind}
      label={kind === 'storage' ? 'Storage' : 'Transient storage'}
      words={words}
      none={`No ${kind === 'storage' ? 'slot' : 'transient slot'} of ${step.address} has been touched yet.`}
    />
  )
}
