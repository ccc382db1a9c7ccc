import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { startTimer, stopTimer } from '../../../../base/timer.ts'
import type { Debugger } from '../debugger.ts'

/** A key that is held down moves through many steps: the one where it rests is said. */
const REST_MS = 200

/** Says where the run stands, for those who do not see it. */
export function Announcer({ debug }: { readonly debug: Debugger }) {
  const said = useSignal('')
  const step = debug.run.step.value
  const position = debug.position.value
  const where = position === undefined ? '' : `, line ${position.line} of ${position.path}`
  const failed = step?.fault === undefined ? '' : `, ${step.fault.error}`
  const text =
    step === undefined ? '' : `Step ${step.index}, ${step.name}, pc ${step.pc}${where}${failed}`
  useEffect(() => {
    const timer = startTimer(() => {
      said.value = text
    }, REST_MS)
    return () => stopTimer(timer)
  }, [text, said])
  return (
    <p class="visually-hidden" role="status" aria-label="Where the run stands">
      {said.value}
    </p>
  )
}
