import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { safeText } from '../../decode/format/safe-text.ts'
import type { LocalValue } from '../../decode/solc/local-value.ts'
import type { StepVariables } from '../../sources/step-variables.ts'
import type { Debugger } from '../../state/debug/debugger.ts'
import { LongText } from '../../text/long-text.tsx'
import { SourceHint } from '../source/source-hint.tsx'

/** The parameters, results and locals of the current function, by name and type. */
export function VariablesPane({ debug }: { readonly debug: Debugger }) {
  const found = useSignal<StepVariables | undefined>(undefined)
  const sources = debug.sources.value
  const step = debug.run.step.value
  useEffect(() => {
    if (sources === undefined || step === undefined) return undefined
    let isWanted = true
    sources.variablesAt(step).then(
      (variables) => {
        if (isWanted) found.value = variables
      },
      (thrown) => debug.run.fail(thrown),
    )
    return () => {
      isWanted = false
    }
  }, [sources, step, debug, found])
  if (sources === undefined) return <SourceHint />
  const variables = found.value
  if (variables === undefined) return <p role="status">Reading…</p>
  if (variables.kind === 'unknown') return <p class="muted">{variables.why}</p>
  const { functionName, values, isOptimized } = variables
  return (
    <div class="variables">
      <p class="muted">
        <code>{safeText(functionName)}</code>
        {isOptimized && ': the optimizer may move values while it computes a statement.'}
      </p>
      {values.length === 0 ? (
        <p class="muted">It has no variables here.</p>
      ) : (
        <ValueList values={values} label={`Variables of ${safeText(functionName)}`} />
      )}
    </div>
  )
}

function ValueList({ values, label }: { values: readonly LocalValue[]; label: string }) {
  return (
    <ul aria-label={label}>
      {values.map((value, place) => (
        <li key={`${place} ${value.name}`}>
          <ValueItem value={value} />
        </li>
      ))}
    </ul>
  )
}

function ValueItem({ value: { name, type, text, parts } }: { readonly value: LocalValue }) {
  const head = (
    <>
      <code>{name}</code> <span class="muted mono">{type}</span>{' '}
    </>
  )
  if (parts.length === 0) {
    return (
      <>
        {head}
        <LongText text={text} most={80} name={`the value of ${name}`} />
      </>
    )
  }
  return (
    <details>
      <summary>
        {head}
        {text}
      </summary>
      <ValueList values={parts} label={`Parts of ${name}`} />
    </details>
  )
}
