import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CallNode, InternalCall } from '../../../../../host/explorer/browser/step/stepper.ts'
import { nestedCalls } from '../../../../../host/explorer/page/decode/flame/nested-calls.ts'
import { runSeed } from '../../../../support/random.ts'

const seed = runSeed()

const frame = (index: number, firstStep: number, endStep: number) =>
  ({ index, firstStep, endStep, gasUsed: BigInt(endStep - firstStep) }) as CallNode
const inner = (index: number, firstStep: number, endStep: number) =>
  ({ index, firstStep, endStep, gasUsed: endStep - firstStep }) as InternalCall

test('functions and frames are listed below what called them, in the order of entry', () => {
  // f calls a contract, whose function g calls h; then f calls h itself, and a precompile.
  const frames = [frame(0, 0, 100), frame(1, 20, 50), frame(2, 80, 80)]
  const internal = [inner(0, 5, 90), inner(1, 22, 48), inner(2, 30, 40), inner(3, 60, 70)]
  const rows = nestedCalls(frames, internal).map((row) => [
    row.level,
    row.kind === 'frame' ? `frame ${row.frame.index}` : `function ${row.inner.index}`,
    row.gasUsed,
  ])
  expect(rows).toEqual([
    [0, 'frame 0', 100n],
    [1, 'function 0', 85n],
    [2, 'frame 1', 30n],
    [3, 'function 1', 26n],
    [4, 'function 2', 10n],
    [2, 'function 3', 10n],
    [2, 'frame 2', 0n],
  ])
})

test('a run without steps has its frame alone', () => {
  expect(nestedCalls([frame(0, 0, 0)], [])).toMatchObject([{ level: 0, kind: 'frame' }])
  expect(nestedCalls([], [])).toEqual([])
})

test(`any nesting gives each its level (seed ${seed})`, () => {
  interface Node {
    readonly isFrame: boolean
    readonly children: readonly Node[]
  }
  const { node } = fc.letrec<{ node: Node }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      fc.record({ isFrame: fc.boolean(), children: fc.constant<readonly Node[]>([]) }),
      fc.record({ isFrame: fc.boolean(), children: fc.array(tie('node'), { maxLength: 3 }) }),
    ),
  }))
  fc.assert(
    fc.property(node, (root) => {
      const frames: CallNode[] = []
      const internal: InternalCall[] = []
      const levels: number[] = []
      let step = 0
      const walk = ({ isFrame, children }: Node, level: number) => {
        const firstStep = step++
        levels.push(level)
        const at = isFrame ? frames.length : internal.length
        const entry = { index: at, firstStep, endStep: 0, gasUsed: isFrame ? 1n : 1 }
        if (isFrame) frames.push(entry as unknown as CallNode)
        else internal.push(entry as InternalCall)
        for (const child of children) walk(child, level + 1)
        entry.endStep = ++step
      }
      walk({ ...root, isFrame: true }, 0)
      const rows = nestedCalls(frames, internal)
      expect(rows.map(({ level }) => level)).toEqual(levels)
      expect(rows.map(({ firstStep }) => firstStep)).toEqual(
        rows.map(({ firstStep }) => firstStep).toSorted((a, b) => a - b),
      )
    }),
    { seed, numRuns: 200 },
  )
})
