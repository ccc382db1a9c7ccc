import { expect, test } from 'vitest'
import { type Flame, flameByCall } from '../../../../../host/explorer/page/decode/flame/flame.ts'
import { at, callNodes, fault } from './call-nodes.ts'

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

test('calls of one function by the same caller share a box of the flame graph', () => {
  const poke = (byte: string, gasUsed: bigint, below: readonly object[] = []) => ({
    ...{ to: at(0x10), input: `0x${byte.repeat(4)}` as const, gasUsed, endStep: 1, below },
  })
  const many = Array.from({ length: 10_000 }, () => poke('aa', 10n))
  const nodes = callNodes({ gasUsed: 200_000n, endStep: 1, below: [...many, poke('bb', 500n)] })
  const root = flameByCall(nodes) as Flame
  checkBoxes(root)
  expect(root.children).toMatchObject([
    { call: 1, count: 10_000, total: 100_000n, width: 0.5 },
    { call: 10_001, count: 1, total: 500n },
  ])
})

test('merged calls have the boxes of all their calls, and failed ones are marked', () => {
  const inner = (gasUsed: bigint) => ({ to: at(0x20), gasUsed, endStep: 1 })
  const outer = (gasUsed: bigint, below: readonly object[]) => ({
    ...{ to: at(0x10), gasUsed, endStep: 1, below },
  })
  const failed = { ...inner(30n), fault: fault('execution reverted') }
  const nodes = callNodes({
    gasUsed: 1_000n,
    endStep: 1,
    below: [outer(100n, [inner(20n)]), outer(200n, [failed, inner(50n)])],
  })
  const [box] = (flameByCall(nodes) as Flame).children
  expect(box).toMatchObject({ count: 2, total: 300n, self: 200n, isFailed: false })
  expect(box?.children).toMatchObject([{ count: 3, total: 100n, isFailed: true }])
})

test('calls of a precompile with other data, and creations by the same code, share a box', () => {
  const hash = (byte: string) => ({ to: at(2), input: `0x${byte.repeat(8)}` as const })
  const create = (byte: number) => ({ type: 'CREATE2', to: at(byte), input: '0x6001' }) as const
  const nodes = callNodes({ below: [hash('aa'), create(5), hash('bb'), create(6)] })
  const { children } = flameByCall(nodes) as Flame
  expect(children.map(({ count }) => count)).toEqual([2, 2])
})

test('the gas before the first step has a box beside that of the execution', () => {
  const root = flameByCall(callNodes({ gasUsed: 9_000n }), 27_000n) as Flame
  checkBoxes(root)
  expect(root).toMatchObject({ key: 'transaction', call: undefined, total: 36_000n, self: 0n })
  expect(root.children).toMatchObject([
    { key: 'intrinsic', total: 27_000n, width: 0.75 },
    { key: '0', call: 0, total: 9_000n },
  ])
})
