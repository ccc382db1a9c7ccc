import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readModule } from '../../host/node/wasm.ts'
import { compilingEngine, engineInBlock } from '../support/engine/engine-fixture.ts'
import { EVERY_JUMP } from '../support/engine/every-jump.ts'
import { bySet } from '../support/run/by-set.ts'
import { compareCode, generateCode, HOST_ADDRESS } from './code-program.ts'
import { differ } from './differ.ts'
import { runEthereumjs } from './ethereumjs.ts'
import { runLockstep } from './lockstep.ts'
import { minimize } from './minimize.ts'
import { assembleProgram } from './program.ts'
import { RegionExits } from './region-exits.ts'
import { compareResults, type ScenarioResult } from './result.ts'
import { generateScenario } from './scenario.ts'
import { formatScenario, parseScenario } from './scenario-file.ts'

const engine = await engineInBlock()
const compiled = await compilingEngine()
const FIRST_SEED = 20_000
const SCENARIOS = bySet(60, 400)
const PROGRAMS = bySet(40, 400)

type Module = WebAssembly.Module
const load = async (name: string) =>
  new WebAssembly.Module(await readModule(name as Parameters<typeof readModule>[0]))

describe('the engine and EthereumJS', () => {
  test(`agree on ${SCENARIOS} generated scenarios from seed ${FIRST_SEED}`, async () => {
    const found: string[] = []
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SCENARIOS; seed++) {
      const { difference } = await differ(engine, generateScenario(seed), compiled)
      if (difference !== undefined) found.push(`seed ${seed}: ${difference.text}`)
    }
    expect(found).toEqual([])
  }, 120_000)

  const folder = new URL('./cases/', import.meta.url)
  test.each(readdirSync(folder))(
    'agree on the scenario %s, in which they once differed',
    async (name) => {
      const scenario = parseScenario(readFileSync(new URL(name, folder), 'utf8'))
      expect((await differ(engine, scenario, compiled)).difference).toBeUndefined()
    },
  )
})

describe('generated code', () => {
  test('gives the same results interpreted and compiled', async () => {
    const hostAddresses = { first: HOST_ADDRESS, last: HOST_ADDRESS }
    const interpreting = await engineInBlock({}, { hostAddresses })
    const modules = await Promise.all(['engine', 'compile', 'pairing'].map(load))
    const [module, compiler, pairing] = modules as [Module, Module, Module]
    const exits = new RegionExits()
    const compiledCode = { compiler, ...EVERY_JUMP }
    const compiling = await exits.open(module, { hostAddresses, pairing, fuel: 100, compiledCode })
    for (let seed = FIRST_SEED; seed < FIRST_SEED + PROGRAMS; seed++) {
      expect(compareCode(interpreting, compiling, generateCode(seed)), `seed ${seed}`).toBe(
        undefined,
      )
    }
    expect(exits.counts['region ended before an opcode']).toBeGreaterThan(PROGRAMS)
    expect(exits.counts['fault: out of gas']).toBeGreaterThan(0)
  }, 120_000)
})

describe('generated scenarios', () => {
  test('depend only on their seed', () => {
    expect(formatScenario(generateScenario(7))).toBe(formatScenario(generateScenario(7)))
    expect(formatScenario(generateScenario(7))).not.toBe(formatScenario(generateScenario(8)))
  })

  test('give the same result after they are written to a file and read back', async () => {
    const scenario = generateScenario(11)
    const read = parseScenario(formatScenario(scenario))
    expect(runLockstep(engine, read, 'traced')).toEqual(runLockstep(engine, scenario, 'traced'))
  })

  test('are minimized to the instruction that causes the difference', async () => {
    const scenario = generateScenario(12)
    const wanted = (hex: string) => hex.includes('5a')
    const smallest = await minimize(scenario, async ({ accounts }) =>
      accounts.some(({ program }) => wanted(Buffer.from(assembleProgram(program)).toString('hex'))),
    )
    const programs = smallest.accounts.flatMap((account) => account.program)
    expect([programs.length, smallest.transactions.length]).toEqual([1, 0])
  })
})

describe('the comparison of two engines', () => {
  const scenario = generateScenario(13)
  const last = scenario.transactions.length - 1

  function change(result: ScenarioResult, fields: object): ScenarioResult {
    const changed = { ...(result.transactions[last] as object), ...fields }
    return { ...result, transactions: result.transactions.with(last, changed as never) }
  }

  test.each([
    ['gasUsed', { gasUsed: 1n }],
    ['output', { output: 'ab' }],
    ['success', { success: 'neither' }],
    ['logs', { logs: ['ab'] }],
  ])('detects a difference in %s', async (field, fields) => {
    const result = await runEthereumjs(scenario)
    expect(compareResults(change(result, fields), result)?.field).toBe(field)
  })

  test('detects a missing step and a step with a higher cost', async () => {
    const result = await runEthereumjs(scenario)
    const steps = result.transactions[last]?.steps ?? []
    const [first, ...rest] = steps
    expect(compareResults(change(result, { steps: rest }), result)?.kind).toBe('step')
    const dear = [{ ...first, cost: 1_000_000n }, ...rest]
    expect(compareResults(change(result, { steps: dear }), result)?.field).toBe('cost')
  })

  test('detects a difference in the final state', async () => {
    const result = await runEthereumjs(scenario)
    const state = result.state.slice(1)
    expect(compareResults({ ...result, state }, result)?.kind).toBe('state')
  })
})
