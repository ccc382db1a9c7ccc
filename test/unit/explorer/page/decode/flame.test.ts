import { expect, test } from 'vitest'
import { type Flame, flameByCall } from '../../../../../host/explorer/page/decode/flame/flame.ts'
import { callNodes } from './call-nodes.ts'

/** Expects the boxes side by side within their parent, and the total of a box to be its own part plus its children. */
function checkBoxes(box: Flame): void {
  let at = box.start
  for (const child of box.children) {
    expect(child.depth).toBe(box.depth + 1)
    expect(child.start).toBeCloseTo(at, 9)
    at += child.width
    checkBoxes(child)
  }
  expect(at).toBeLessThanOrEqual(box.start + box.width + 1e-9)
  const below = box.children.reduce((sum, { total }) => sum + total, 0n)
  expect(box.self + below).toBe(box.total)
}

test('the width of a call in the flame graph is its gas within its caller', () => {
  const nodes = callNodes({
    gasUsed: 1000n,
    below: [{ gasUsed: 250n, below: [{ gasUsed: 50n }] }, { gasUsed: 500n }],
  })
  const root = flameByCall(nodes) as Flame
  checkBoxes(root)
  expect(root).toMatchObject({ call: 0, total: 1000n, self: 250n, start: 0, width: 1, depth: 0 })
  const [first, second] = root.children
  expect(first).toMatchObject({ call: 1, total: 250n, self: 200n, start: 0, width: 0.25 })
  expect(second).toMatchObject({ call: 3, total: 500n, self: 500n, start: 0.25, width: 0.5 })
  expect(flameByCall([])).toBeUndefined()
})
