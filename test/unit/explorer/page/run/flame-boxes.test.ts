import { describe, expect, test } from 'vitest'
import { type Flame, flameByCall } from '../../../../../host/explorer/page/decode/flame/flame.ts'
import {
  boxBeside,
  flameBoxes,
  wayTo,
} from '../../../../../host/explorer/page/run/gas/flame-boxes.ts'
import { callNodes } from '../decode/call-nodes.ts'

const gas = (gasUsed: bigint, below: object[] = []) => ({ gasUsed, below })
const root = flameByCall(
  callNodes(gas(1_000n, [gas(500n, [gas(250n)]), gas(400n, [gas(100n), gas(1n)])])),
) as Flame
const boxes = (key: string) =>
  flameBoxes(root, key).map(({ flame, left, width, row }) => [flame.key, left, width, row])

describe('the boxes of a flame graph', () => {
  test('are as wide as their share of the whole, and omitted if too narrow to see', () => {
    const shown = boxes('').map(([key, left, width, row]) => [
      key,
      Number(left).toFixed(3),
      Number(width).toFixed(3),
      row,
    ])
    expect(shown).toEqual([
      ['0', '0.000', '1.000', 0],
      ['1', '0.000', '0.500', 1],
      ['3', '0.500', '0.400', 1],
      ['2', '0.000', '0.250', 2],
      ['4', '0.500', '0.100', 2],
    ])
  })

  test('of a zoomed call fill the width, above its callers', () => {
    const shown = boxes('3').map(([key, left, width]) => [
      key,
      Number(left).toFixed(3),
      Number(width).toFixed(3),
    ])
    expect(shown).toEqual([
      ['0', '0.000', '1.000'],
      ['3', '0.000', '1.000'],
      ['4', '0.000', '0.250'],
      ['5', '0.250', '0.002'],
    ])
  })

  test('are those of the whole if no box has the key', () => {
    expect(wayTo(root, 'nothing')).toEqual([root])
    expect(boxes('nothing')).toEqual(boxes(''))
  })

  test.each([
    ['1', 'ArrowRight', '3'],
    ['3', 'ArrowLeft', '1'],
    ['3', 'ArrowRight', undefined],
    ['3', 'ArrowUp', '0'],
    ['3', 'ArrowDown', '4'],
    ['0', 'ArrowUp', undefined],
    ['0', 'Enter', undefined],
  ])('are navigated from %s with %s to %s', (from, key, to) => {
    const all = flameBoxes(root, '')
    const at = all.findIndex(({ flame }) => flame.key === from)
    expect(all[boxBeside(all, at, key) ?? -1]?.flame.key).toBe(to)
  })
})
