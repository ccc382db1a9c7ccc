import { useSignal } from '@preact/signals'
import type { TargetedSubmitEvent } from 'preact'
import { useEffect } from 'preact/hooks'
import { LockstepError } from '../../../../base/error.ts'
import { toPlainError } from '../../../../base/plain-error.ts'
import { safeText } from '../../decode/format/safe-text.ts'
import { parseWatch } from '../../decode/watch/watch-expression.ts'
import { evaluateWatch, type WatchScope } from '../../decode/watch/watch-value.ts'
import type { Debugger } from '../../state/debug/debugger.ts'
import { watchedExpressions, withoutWatched, withWatched } from '../../state/debug/watch-list.ts'
import { LongText } from '../../text/long-text.tsx'

/** Expressions with their values at the current step. */
export function WatchPane({ debug }: { readonly debug: Debugger }) {
  const { location } = debug.run
  const problem = useSignal('')
  const scope = useSignal<WatchScope | undefined>(undefined)
  const step = debug.run.step.value
  const sources = debug.sources.value
  const text = location.view.value.watch
  const expressions = watchedExpressions(text)
  useEffect(() => {
    if (step === undefined || expressions.length === 0) return undefined
    let isWanted = true
    debug.scopeAt(step).then(
      (known) => {
        if (isWanted) scope.value = known
      },
      (thrown) => debug.run.fail(thrown),
    )
    return () => {
      isWanted = false
    }
  }, [debug, sources, step, expressions.length > 0, scope])
  const add = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const field = form.elements.namedItem('expression') as HTMLInputElement
    try {
      location.set({ watch: withWatched(text, field.value) })
      problem.value = ''
      form.reset()
    } catch (thrown) {
      problem.value = toPlainError(thrown).message
    }
    field.focus()
  }
  const known = scope.value
  return (
    <div class="variables">
      <ul aria-label="Watched expressions">
        {expressions.map((expression) => (
          <li key={expression}>
            <code>{safeText(expression)}</code>{' '}
            {known === undefined ? '…' : <WatchedValue expression={expression} scope={known} />}{' '}
            <button
              type="button"
              class="button"
              aria-label={`Stop watching ${safeText(expression)}`}
              onClick={() => location.set({ watch: withoutWatched(text, expression) })}
            >
              remove
            </button>
          </li>
        ))}
      </ul>
      <form class="breakpoint-form" onSubmit={add}>
        <input
          type="text"
          name="expression"
          aria-label="Expression to watch"
          placeholder="balances[msg.sender] > 5"
          autocomplete="off"
          spellcheck={false}
          aria-invalid={problem.value !== ''}
          aria-describedby="watch-problem"
        />
        <button type="submit" class="button">
          Watch
        </button>
      </form>
      <p id="watch-problem" class="problem" role="alert">
        {safeText(problem.value)}
      </p>
    </div>
  )
}

function WatchedValue({ expression, scope }: { expression: string; scope: WatchScope }) {
  try {
    const { text } = evaluateWatch(parseWatch(expression), scope)
    return <LongText text={text} most={80} name="the value" />
  } catch (thrown) {
    if (!(thrown instanceof LockstepError)) throw thrown
    return <span class="muted">{safeText(thrown.message)}</span>
  }
}
