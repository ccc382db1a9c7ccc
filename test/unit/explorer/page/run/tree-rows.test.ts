import { describe, expect, test } from 'vitest'
import { failingCall } from '../../../../../host/explorer/page/decode/words/failure-path.ts'
import {
  keyInTree,
  opensItself,
  reveal,
  toggle,
  treeRows,
} from '../../../../../host/explorer/page/run/calls/tree-rows.ts'
import { callNodes, fault } from '../decode/call-nodes.ts'

/** 0 calls 1 and 3; 1 calls 2. */
const small = callNodes({ below: [{ below: [{}] }, {}] })
const all = () => true
const shown = (rows: ReturnType<typeof treeRows>) =>
  rows.map(({ call, level, isOpen, place, siblings }) => [
    call.index,
    level,
    isOpen,
    place,
    siblings,
  ])

describe('the rows of the call tree', () => {
  test('are calls in order, with their position among their siblings', () => {
    expect(shown(treeRows(small, all, []))).toEqual([
      [0, 1, true, 1, 1],
      [1, 2, true, 1, 2],
      [2, 3, undefined, 1, 1],
      [3, 2, undefined, 2, 2],
    ])
  })

  test('omit the content of a collapsed call', () => {
    expect(shown(treeRows(small, all, [1])).map(([index]) => index)).toEqual([0, 1, 3])
    expect(shown(treeRows(small, () => false, [0])).map(([index]) => index)).toEqual([0, 1, 3])
  })

  test('are empty without calls', () => {
    expect(treeRows([], all, [])).toEqual([])
  })

  test('reach as deep as calls do', () => {
    let frame: Parameters<typeof callNodes>[0] = {}
    for (let depth = 1; depth < 1_025; depth++) frame = { below: [frame] }
    expect(treeRows(callNodes(frame), all, []).at(-1)?.level).toBe(1_025)
  })

  test('of a large tree show the path to the failure and two levels', () => {
    const reverted = { fault: fault('execution reverted') }
    const deep = { ...reverted, below: [{ ...reverted, below: [{ fault: fault('out of gas') }] }] }
    const many = Array.from({ length: 120 }, () => ({ below: [{}] }))
    const calls = callNodes({ ...reverted, below: [...many, deep] })
    const failing = failingCall(calls)
    expect(failing?.fault?.error).toBe('out of gas')
    const rows = treeRows(calls, opensItself(calls, failing), [])
    expect(rows).toHaveLength(1 + 121 + 2)
    expect(rows.at(-1)?.call).toBe(failing)
  })

  test('are expanded to show a selected call', () => {
    const closed = () => false
    const toggled = reveal(small, closed, [], 2)
    expect(toggled).toEqual([0, 1])
    expect(reveal(small, closed, toggled, 2)).toBe(toggled)
    expect(treeRows(small, closed, toggled).map(({ call }) => call.index)).toContain(2)
  })

  test('can be toggled back and forth, with one canonical encoding', () => {
    expect(toggle(toggle([], 7), 3)).toEqual([3, 7])
    expect(toggle([3, 7], 3)).toEqual([7])
  })
})

describe('a key press in the call tree', () => {
  const rows = treeRows(small, all, [])
  test.each([
    [0, 'ArrowDown', { select: 1 }],
    [3, 'ArrowDown', { select: 3 }],
    [0, 'ArrowUp', { select: 0 }],
    [0, 'End', { select: 3 }],
    [3, 'Home', { select: 0 }],
    [1, 'ArrowLeft', { toggle: 1 }],
    [2, 'ArrowLeft', { select: 1 }],
    [0, 'ArrowRight', { select: 1 }],
    [2, 'ArrowRight', undefined],
    [1, ' ', { toggle: 1 }],
    [2, ' ', undefined],
    [1, 'n', undefined],
  ])('at row %i: %s', (at, key, expected) => {
    expect(keyInTree(rows, at, key)).toEqual(expected)
  })

  test('expands a collapsed call', () => {
    expect(keyInTree(treeRows(small, all, [1]), 1, 'ArrowRight')).toEqual({ toggle: 1 })
  })
})
