import { describe, expect, it } from 'vitest'
import { Frames } from '../../../../../../host/explorer/page/state/debug/frames.ts'
import {
  type Direction,
  type Move,
  moveTarget,
} from '../../../../../../host/explorer/page/state/debug/move.ts'
import { makeRandom, runSeed } from '../../../../../support/random.ts'
import { type MadeFrame, makeRun } from './made-run.ts'

// Steps:        0        1       2       3          4       5      6       7        8
const RUN: MadeFrame = ['PUSH', 'CALL', ['PUSH', 'CALL', ['ADD', 'STOP'], 'STOP'], 'POP', 'STOP']

function framesOf(run: MadeFrame): Frames {
  const { nodes, rows } = makeRun(run)
  return new Frames(nodes, rows.length)
}

describe('the frame of a step', () => {
  it('is the innermost frame around it', () => {
    const frames = framesOf(RUN)
    const found = Array.from({ length: 9 }, (_, step) => frames.at(step)?.index)
    expect(found).toEqual([0, 0, 1, 1, 2, 2, 1, 0, 0])
  })

  it('is never a frame without steps, such as that of a precompile', () => {
    const frames = framesOf(['CALL', [], 'CALL', [], [], 'STOP'])
    expect([0, 1, 2].map((step) => frames.at(step)?.index)).toEqual([0, 0, 0])
  })

  it('is undefined in a transaction that runs no code', () => {
    expect(framesOf([]).at(0)).toBeUndefined()
  })

  it('is within the open frames, the innermost first', () => {
    expect(
      framesOf(RUN)
        .stackAt(4)
        .map((node) => node.index),
    ).toEqual([2, 1, 0])
  })
})

describe('a move', () => {
  const frames = framesOf(RUN)
  const cases: readonly [Move, Direction, from: number, to: number | undefined][] = [
    ['into', 'forward', 1, 2],
    ['into', 'back', 2, 1],
    ['into', 'back', 0, undefined],
    ['into', 'forward', 8, undefined],
    ['over', 'forward', 0, 1],
    ['over', 'forward', 1, 7],
    ['over', 'forward', 3, 6],
    ['over', 'forward', 5, 6],
    ['over', 'forward', 6, 7],
    ['over', 'forward', 8, undefined],
    ['over', 'back', 7, 1],
    ['over', 'back', 6, 3],
    ['over', 'back', 2, 1],
    ['over', 'back', 4, 3],
    ['over', 'back', 0, undefined],
    ['out', 'forward', 4, 6],
    ['out', 'forward', 2, 7],
    ['out', 'forward', 0, undefined],
    ['out', 'back', 5, 3],
    ['out', 'back', 6, 1],
    ['out', 'back', 8, undefined],
  ]
  it.each(cases)('%s, %s, from step %i ends at %s', (move, direction, from, to) => {
    expect(moveTarget(frames, from, move, direction)).toBe(to)
  })

  it('over a call of a precompile is one step', () => {
    const precompiles = framesOf(['CALL', [], 'STOP'])
    expect(moveTarget(precompiles, 0, 'over', 'forward')).toBe(1)
    expect(moveTarget(precompiles, 1, 'over', 'back')).toBe(0)
  })

  const seed = runSeed()
  it(`over a call never enters its frame, and its reverse undoes it within the frame (LOCKSTEP_SEED=${seed})`, () => {
    const random = makeRandom(seed)
    for (let round = 0; round < 50; round++) {
      const { nodes, rows } = makeRun(randomFrame(random, 0))
      const made = new Frames(nodes, rows.length)
      for (let step = 0; step < rows.length; step++) {
        const depth = rows[step]?.depth ?? 0
        const next = moveTarget(made, step, 'over', 'forward')
        // Finds the step of the definition by a linear search.
        const walked = rows.findIndex((row) => row.index > step && row.depth <= depth)
        expect(next).toBe(walked === -1 ? undefined : walked)
        if (next !== undefined && rows[next]?.depth === depth) {
          expect(moveTarget(made, next, 'over', 'back')).toBe(step)
        }
      }
    }
  })
})

/** Returns a frame that ends with its own opcode. Each frame below it is entered by an opcode. */
function randomFrame(random: () => number, depth: number): MadeFrame {
  const frame: (string | MadeFrame)[] = []
  const length = 1 + Math.floor(random() * 5)
  for (let i = 0; i < length; i++) {
    frame.push('CALL')
    if (depth < 4 && random() < 0.4)
      frame.push(random() < 0.2 ? [] : randomFrame(random, depth + 1))
  }
  frame.push('STOP')
  return frame
}
