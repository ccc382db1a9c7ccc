import type { ReadonlySignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { ErrorNotice } from '../frame/error-notice.tsx'
import { NoNode } from './no-node.tsx'
import type { NodeQueryState } from './use-node-query.ts'

interface Props<Value> {
  readonly answer: ReadonlySignal<NodeQueryState<Value>>
  readonly children: (value: Value) => ComponentChildren
}

/** A node's result; before that, a progress message or an error. */
export function Answered<Value>({ answer, children }: Props<Value>) {
  const state = answer.value
  switch (state.kind) {
    case 'no-node':
      return <NoNode />
    case 'asking':
      return <p role="status">Asking the node…</p>
    case 'failed':
      return <ErrorNotice error={state.error} />
    case 'answered':
      return <>{children(state.value)}</>
  }
}
