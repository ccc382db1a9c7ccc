import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { Engine } from '../../../../host/evm/engine/engine.ts'
import type { Need } from '../../../../host/evm/engine/need.ts'
import type { TransactOptions } from '../../../../host/evm/engine/options.ts'
import type { Outcome } from '../../../../host/evm/engine/outcome.ts'
import type { StateDiff } from '../../../../host/evm/engine/state-diff.ts'
import { answerFrom, answerFromAsync } from '../../../../host/evm/state/answer.ts'
import type { AsyncStateView } from '../../../../host/evm/state/view.ts'
import { openState } from '../../../fuzz/lockstep.ts'
import { generateScenario, type Scenario, toInput } from '../../../fuzz/scenario.ts'
import { engineInBlock } from '../../../support/engine/engine-fixture.ts'
import { bySet } from '../../../support/run/by-set.ts'

/** The same blocks in every test. Each has a few contracts and up to three transactions. */
const SEEDS = Array.from({ length: bySet(60, 150) }, (_, i) => 40_000 + i)

interface BlockResult {
  readonly outcomes: readonly Outcome[]
  readonly diff: StateDiff
}

function runBlock(engine: Engine, scenario: Scenario, options: TransactOptions = {}): BlockResult {
  const state = openState(scenario)
  engine.beginBlock(scenario.env)
  const outcomes = scenario.transactions.map((transaction) =>
    answerFrom(engine.transact(toInput(transaction), options), state),
  )
  return { outcomes, diff: engine.diff() }
}

const reference = await engineInBlock()
const expectedOf = new Map<number, BlockResult>()

/** Runs blocks in another way. Outcomes, logs and changes must be the same bytes. */
async function expectSame(
  run: (scenario: Scenario) => BlockResult | Promise<BlockResult>,
  seeds: readonly number[] = SEEDS,
) {
  for (const seed of seeds) {
    const scenario = generateScenario(seed)
    const result = await run(scenario)
    const expected = expectedOf.get(seed) ?? runBlock(reference, scenario)
    expectedOf.set(seed, expected)
    if (!isDeepStrictEqual(result, expected)) expect(result, `seed ${seed}`).toEqual(expected)
  }
}

describe('a block has the same outcomes and changes', () => {
  test('on a new engine as on one that has run other blocks', async () => {
    // Instantiating an engine takes as long as thirty blocks.
    const seeds = SEEDS.slice(0, bySet(15, 150))
    await expectSame(async (scenario) => runBlock(await engineInBlock(), scenario), seeds)
  })

  test('in the loop that records every step', async () => {
    const engine = await engineInBlock()
    const trace = { steps: { stack: true, memory: true }, onEvent: () => {} }
    await expectSame((scenario) => runBlock(engine, scenario, { trace }))
  })

  test('in slices of one jump or call', async () => {
    const engine = await engineInBlock({}, { fuel: 1 })
    let yields = 0
    await expectSame((scenario) => {
      const state = openState(scenario)
      const onYield = () => {
        yields++
      }
      engine.beginBlock(scenario.env)
      const outcomes = scenario.transactions.map((transaction) =>
        answerFrom(engine.transact(toInput(transaction)), state, { onYield }),
      )
      return { outcomes, diff: engine.diff() }
    })
    expect(yields).toBeGreaterThan(1000)
  })

  test('over a state that is fetched on demand', async () => {
    const engine = await engineInBlock()
    await expectSame(async (scenario) => {
      const state = openState(scenario)
      const remote: AsyncStateView = {
        account: async (address) => state.account(address),
        storage: async (address, slot) => state.storage(address, slot),
        code: async (codeHash) => state.code(codeHash),
        blockHash: async (number) => state.blockHash(number),
      }
      const outcomes: Outcome[] = []
      engine.beginBlock(scenario.env)
      for (const transaction of scenario.transactions) {
        outcomes.push(await answerFromAsync(engine.transact(toInput(transaction)), remote))
      }
      return { outcomes, diff: engine.diff() }
    })
  })

  test('if a discarded run of each transaction has already loaded its reads', async () => {
    const engine = await engineInBlock()
    await expectSame((scenario) => {
      const state = openState(scenario)
      const asked: string[] = []
      engine.beginBlock(scenario.env)
      const outcomes = scenario.transactions.map((transaction) => {
        const input = toInput(transaction)
        answerFrom(engine.transact(input, { discard: true }), state)
        const run = engine.transact(input)
        let step = run.next(undefined)
        for (; !step.done; step = run.next(undefined)) {
          if (step.value.kind !== 'yield') asked.push(step.value.kind)
        }
        return step.value
      })
      expect(asked).toEqual([])
      return { outcomes, diff: engine.diff() }
    })
  })

  test('after earlier runs were abandoned at any of their reads', async () => {
    const engine = await engineInBlock({}, { fuel: 7 })
    let seed = 0
    await expectSame((scenario) => {
      const state = openState(scenario)
      engine.beginBlock(scenario.env)
      const outcomes = scenario.transactions.map((transaction) => {
        const input = toInput(transaction)
        giveUp(engine, scenario, input, seed++ % 11)
        return answerFrom(engine.transact(input), state)
      })
      return { outcomes, diff: engine.diff() }
    })
  })
})

/** Runs a message up to its `count`th need, if it has as many, and abandons it. */
function giveUp(
  engine: Engine,
  scenario: Scenario,
  input: ReturnType<typeof toInput>,
  count: number,
): void {
  const state = openState(scenario)
  const answer = (need: Need) => {
    if (need.kind === 'account') return state.account(need.address)
    if (need.kind === 'storage') return state.storage(need.address, need.slot)
    if (need.kind === 'code') return state.code(need.codeHash)
    return need.kind === 'blockHash' ? state.blockHash(need.number) : undefined
  }
  const run = engine.transact(input, { discard: true })
  let step = run.next(undefined)
  for (let i = 0; i < count && !step.done; i++) step = run.next(answer(step.value))
  if (!step.done) run.return(undefined as never)
}
