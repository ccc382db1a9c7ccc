import { expect, test } from 'vitest'
import type { CodeGas } from '../../../../host/browser/stepper.ts'
import { type Flame, flameByCall } from '../../../../host/explorer/decode/flame/flame.ts'
import { flameBySource } from '../../../../host/explorer/decode/flame/flame-by-source.ts'
import { callNodes } from './call-nodes.ts'

/** Each box within its parent, side by side, and the parts of a box that are its own with its children all of it. */
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

test('calls are as wide as their gas, within the call above', () => {
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

test('gas of code is put together by contract, function and line, the most first', () => {
  const used = (codeHash: string, pc: number, gas: number): CodeGas => {
    return { codeHash: codeHash as '0x', pc, gas, count: 1, call: 0 }
  }
  const root = flameBySource(
    [
      used('0x01', 1, 10),
      used('0x01', 2, 60),
      used('0x01', 3, 20),
      used('0x02', 1, 101),
      used('0x01', 1, 5),
      used('0x01', 9, 5),
    ],
    (codeHash, pc) => {
      if (codeHash === '0x02') {
        return { contract: '0x02', functionName: undefined, path: undefined, line: undefined }
      }
      if (pc === 9)
        return { contract: 'A', functionName: undefined, path: undefined, line: undefined }
      const functionName = pc === 3 ? 'A.g' : 'A.f'
      return { contract: 'A', functionName, path: 'A.sol', line: pc === 1 ? 7 : 8 }
    },
  )
  checkBoxes(root)
  const shown = (box: typeof root): unknown =>
    box.children.length === 0
      ? `${box.name} ${box.total}`
      : [`${box.name} ${box.total}`, ...box.children.map(shown)]
  expect(shown(root)).toEqual([
    'all code 201',
    ['0x02 101', 'code outside of functions 101'],
    [
      'A 100',
      ['A.f 75', 'A.sol:8 60', 'A.sol:7 15'],
      ['A.g 20', 'A.sol:8 20'],
      'code outside of functions 5',
    ],
  ])
  expect(root.children[1]?.children[0]?.children[0]?.place).toEqual({
    contract: 'A',
    functionName: 'A.f',
    path: 'A.sol',
    line: 8,
  })
})
