import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type PlainError, toPlainError } from '../../../base/plain-error.ts'
import type { NodeReader } from '../../browser/source/node-reader.ts'
import { useExplorer } from '../state/explorer-context.ts'

/** The state of a request to a node. */
export type NodeQueryState<Value> =
  | { readonly kind: 'no-node' }
  | { readonly kind: 'asking' }
  | { readonly kind: 'failed'; readonly error: PlainError }
  | { readonly kind: 'answered'; readonly value: Value }

/** Queries the node, and again when the node or `inputs` change. */
export function useNodeQuery<Value>(
  ask: (reader: NodeReader) => Promise<Value>,
  inputs: readonly unknown[],
): ReadonlySignal<NodeQueryState<Value>> {
  const node = useExplorer().node.value
  const answer = useSignal<NodeQueryState<Value>>({ kind: 'asking' })
  useEffect(() => {
    if (node === undefined) {
      answer.value = { kind: 'no-node' }
      return
    }
    let isWanted = true
    answer.value = { kind: 'asking' }
    ask(node.reader).then(
      (value) => {
        if (isWanted) answer.value = { kind: 'answered', value }
      },
      (thrown) => {
        if (isWanted) answer.value = { kind: 'failed', error: toPlainError(thrown) }
      },
    )
    return () => {
      isWanted = false
    }
  }, [node, ...inputs])
  return answer
}
