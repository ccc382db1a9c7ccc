import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type {
  CallNode,
  InternalCall,
} from '../../../../../../host/explorer/browser/step/stepper.ts'
import type { Flame } from '../../../../../../host/explorer/page/decode/flame/flame.ts'
import { flameByFunction } from '../../../../../../host/explorer/page/decode/flame/flame-by-function.ts'
import { ContractSet } from '../../../../../../host/explorer/page/decode/solc/contract-set.ts'
import { readDropped } from '../../../../../../host/explorer/page/decode/solc/read-dropped.ts'
import { Frames } from '../../../../../../host/explorer/page/state/debug/frames.ts'
import type { Direction, Move } from '../../../../../../host/explorer/page/state/debug/move.ts'
import type { SourceIndex } from '../../../../../../host/explorer/page/state/debug/source-index.ts'
import { SourceMoves } from '../../../../../../host/explorer/page/state/debug/source-moves.ts'
import { sourceIndexOf } from '../../../../../../host/explorer/page/state/run-source-index.ts'
import { compileAll, type SolcContract } from '../../solc-output.ts'
import {
  calldata,
  createdBy,
  creationOf,
  type FailedRun,
  failedRun,
} from '../../sources/failing-run.ts'

const SOURCE = `
contract Other {
  function twice(uint256 x) external pure returns (uint256) { // twice
    return x * 2; // double
  }
}
contract Steps {
  Other other = new Other();
  uint256 total;
  function run(uint256 n) external { // run
    uint256 a = first(n); // a
    uint256 b = other.twice(a); // b
    total = a + b; // sum
    require(total == 0, "done"); // end
  }
  function first(uint256 n) internal returns (uint256) { // first
    uint256 r = second(n) + 1; // r
    total += r; // add
    return r; // return
  }
  function second(uint256 n) internal returns (uint256) { // second
    if (n == 0) return total; // zero
    return second(n - 1); // again
  }
}`
const NAMES = SOURCE.split('\n').map((text) => / \/\/ (\w+)$/.exec(text)?.[1] ?? text.trim())
const SETTINGS = [
  ['not optimized', { optimizer: { enabled: false } }],
  ['optimized', { optimizer: { enabled: true, runs: 200 } }],
  ['through Yul', { viaIR: true, optimizer: { enabled: false } }],
  ['through Yul, optimized', { viaIR: true, optimizer: { enabled: true, runs: 200 } }],
] as const

interface SteppedRun extends FailedRun {
  readonly frames: Frames
  readonly index: SourceIndex
}

async function runOf(settings: object): Promise<SteppedRun> {
  const { input, output } = compileAll(
    { 'a.sol': SOURCE },
    {
      outputSelection: { '*': { '*': ['*'], '': ['ast'] } },
      ...settings,
    },
  )
  const steps = output.contracts['a.sol']?.Steps as SolcContract
  const contracts = new ContractSet([readDropped('b.json', JSON.stringify({ input, output }))])
  const failing = { to: createdBy(0), input: calldata(steps, 'run', [1n]) }
  const run = await failedRun(contracts, [creationOf(steps, createdBy(0))], failing)
  const { steps: count } = await run.stepper.summary()
  return { ...run, frames: new Frames(run.calls, count), index: sourceIndexOf(run) }
}

/** Returns the lines of repeated moves by the names in their comments, from a step to where the moves end. */
async function walk(run: SteppedRun, start: number, move: Move, direction: Direction) {
  const { stepper, frames, index } = run
  const internal = await index.internalCalls()
  const moves = new SourceMoves(
    { ...index, stepper, frames, internal },
    new AbortController().signal,
  )
  const found: { at: number; name: string }[] = []
  for (let at: number | undefined = start; at !== undefined && found.length < 60; ) {
    at = await moves.target(at, move, direction)
    if (at === undefined) break
    const [row] = await stepper.rows(at, 1)
    const line = Number((row && index.lineOf(row))?.split(':').at(-1))
    found.push({ at, name: NAMES[line - 1] ?? '?' })
  }
  return found
}
const names = (found: readonly { readonly name: string }[]) => found.map(({ name }) => name)

/** Returns the names of the functions that are open at a step, innermost first. */
async function stackOf({ frames, index, calls }: SteppedRun, at: number): Promise<string[]> {
  const internal = await index.internalCalls()
  return frames.stackAt(at).flatMap((frame) =>
    internal.stackAt(Math.min(at, frame.endStep - 1), frame.index).map(({ call, pc }) => {
      const inner = calls[call]
      return (inner && index.positionIn(inner, pc)?.functionName) ?? '?'
    }),
  )
}

const OVER = 'run a b sum end'
const INTO =
  'run a first r second zero again second zero second again second r add return first a b twice double twice b sum end'

describe.each(SETTINGS)('a walk by source lines, %s', (kind, settings) => {
  let run: SteppedRun
  beforeAll(async () => {
    run = await runOf(settings)
  })
  afterAll(() => run.stepper.close())

  test.each(['over', 'into'] as const)(
    'backwards visits the same steps, %s functions',
    async (move) => {
      const ahead = await walk(run, 0, move, 'forward')
      const last = ahead.at(-1)?.at as number
      const back = await walk(run, last, move, 'back')
      expect(back).toEqual(ahead.toReversed().slice(1))
    },
  )

  test('over stays in the function and in those that called it', async () => {
    const inside = (await walk(run, 0, 'into', 'forward')).find(({ name }) => name === 'double')
    const { at } = inside as { readonly at: number }
    const left = new Set(names(await walk(run, at, 'over', 'forward')))
    expect([...left]).toEqual(expect.arrayContaining(['b', 'sum']))
    for (const name of ['second', 'zero', 'first', 'add']) {
      // The optimizer shares the ends of functions.
      if (!/(^|, )optimized/.test(kind)) expect(left).not.toContain(name)
    }
  })

  test('out of an internal function leads to its caller, in both directions', async () => {
    const steps = await walk(run, 0, 'into', 'forward')
    const zeros = steps.filter(({ name }) => name === 'zero')
    const { at } = zeros.at(-1) as { readonly at: number }
    const depth = (await stackOf(run, at)).length
    for (const direction of ['forward', 'back'] as const) {
      const [target] = await walk(run, at, 'out', direction)
      expect(await stackOf(run, target?.at ?? 0)).toHaveLength(depth - 1)
    }
  })
})

describe('code that is not optimized', () => {
  let run: SteppedRun
  beforeAll(async () => {
    run = await runOf(SETTINGS[0][1])
  })
  afterAll(() => run.stepper.close())

  test('is walked a line at a time, over or into functions', async () => {
    expect(names(await walk(run, 0, 'over', 'forward')).join(' ')).toBe(OVER)
    expect(names(await walk(run, 0, 'into', 'forward')).join(' ')).toBe(INTO)
  })

  test('is left for the line that called it', async () => {
    const steps = await walk(run, 0, 'into', 'forward')
    const { at } = steps.findLast(({ name }) => name === 'zero') as { readonly at: number }
    expect(names(await walk(run, at, 'out', 'forward'))).toEqual(['again', 'r', 'a'])
    expect(names(await walk(run, at, 'out', 'back'))).toEqual(['again', 'r', 'a'])
  })

  test('has a stack of functions at each step, across frames', async () => {
    const steps = await walk(run, 0, 'into', 'forward')
    const atLine = (name: string) => steps.findLast((one) => one.name === name)?.at as number
    expect(await stackOf(run, atLine('zero'))).toEqual([
      ...['Steps.second', 'Steps.second', 'Steps.first', 'Steps.run'],
    ])
    expect(await stackOf(run, atLine('double'))).toEqual(['Other.twice', 'Steps.run'])
    expect(await stackOf(run, atLine('end'))).toEqual(['Steps.run'])
  })

  test('has functions with the gas of everything below them', async () => {
    const { all } = await run.index.internalCalls()
    const rows = await run.stepper.rows(0, run.frames.steps)
    expect(all).toHaveLength(5)
    for (const { firstStep, endStep, gasUsed, call } of all) {
      const [first, after] = [rows[firstStep], rows[endStep]]
      // The last function of a frame ends with it.
      if (after?.call !== call) continue
      expect(gasUsed).toBe((first?.gas ?? 0) - after.gas)
    }
    expect(all.map(({ gasUsed }) => gasUsed).every((gas) => gas > 0)).toBe(true)
  })

  test('has a flame graph of functions within calls', async () => {
    const { all } = await run.index.internalCalls()
    const nameOf = ({ call, pc }: InternalCall) =>
      run.index.positionIn(run.calls[call] as CallNode, pc)?.functionName ?? '?'
    const root = flameByFunction(run.calls, all, nameOf) as Flame
    const shown = (flame: Flame): unknown => [
      flame.key.startsWith('function ')
        ? nameOf(all[Number(flame.key.slice(9))] as InternalCall)
        : 'call',
      ...flame.children.map(shown),
    ]
    expect(shown(root)).toEqual([
      'call',
      ['Steps.run', ['Steps.first', ['Steps.second', ['Steps.second']]], ['call', ['Other.twice']]],
    ])
    const check = (flame: Flame): void => {
      const below = flame.children.reduce((sum, { total }) => sum + total, 0n)
      expect(flame.self + below).toBe(flame.total)
      flame.children.forEach(check)
    }
    check(root)
    expect(root.total).toBe(run.calls[0]?.gasUsed)
  })

  test('has no functions without marks', async () => {
    expect(await run.stepper.internalCalls(new Map())).toEqual([])
  })
})
