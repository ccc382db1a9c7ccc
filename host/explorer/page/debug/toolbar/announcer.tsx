import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { startTimer, stopTimer } from '../../../../base/timer.ts'
import type { Debugger } from '../../state/debug/debugger.ts'

/** While a key is held, only the last step is announced. */
const REST_MS = 200

/** Announces the current step to screen readers. */
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
    <p class="visually-hidden" role="status" aria-label="Current step">
      {said.value}
    </p>
  )
}
