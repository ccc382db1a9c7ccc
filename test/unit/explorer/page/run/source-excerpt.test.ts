import type { VNode } from 'preact'
import { expect, test } from 'vitest'
import { SourceExcerpt } from '../../../../../host/explorer/page/run/summary/source-excerpt.tsx'
import type { RunSources } from '../../../../../host/explorer/page/sources/run-sources.ts'

interface Props {
  readonly children?: unknown
  readonly class?: string
  readonly 'aria-current'?: string
}

/** Returns the elements of a kind in the output of a component. */
function elementsOf(kind: string, node: unknown): VNode<Props>[] {
  if (Array.isArray(node)) return node.flatMap((child) => elementsOf(kind, child))
  if (node === null || typeof node !== 'object' || !('props' in node)) return []
  const element = node as VNode<Props>
  return [...(element.type === kind ? [element] : []), ...elementsOf(kind, element.props.children)]
}

test('an excerpt marks the line in question, and no other', () => {
  const lines = [4, 5, 6].map((line) => ({ line, text: `line ${line}` }))
  const sources = { excerpt: () => lines } as unknown as RunSources
  const position = { path: 'Purse.sol', line: 5, functionName: 'Purse.put' } as never
  const marks = elementsOf('li', SourceExcerpt({ sources, position })).map(({ props }) => [
    props.class,
    props['aria-current'],
  ])
  expect(marks).toEqual([
    ['', undefined],
    ['is-marked', 'location'],
    ['', undefined],
  ])
})
