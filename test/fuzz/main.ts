/**
 * Runs generated transactions through the engine, with its code interpreted and compiled, and EthereumJS, and random
 * and mutated code through the engine both ways, and compares the results: node test/fuzz/main.ts [--seconds N]
 * [--seed S] The last line is a summary as JSON, with the ends of compiled regions and what followed, by kind, and those
 * that were never reached. It exits with 1 if there was a difference.
 */
import { parseArgs } from 'node:util'
import type { EngineSettings } from '../../host/evm/engine/options.ts'
import { readModule } from '../../host/node/wasm.ts'
import { engineInBlock } from '../support/engine/engine-fixture.ts'
import { EVERY_JUMP } from '../support/engine/every-jump.ts'
import { compareCode, generateCode, HOST_ADDRESS } from './code-program.ts'
import { differ, type Verdict } from './differ.ts'
import { minimize } from './minimize.ts'
import { RegionExits } from './region-exits.ts'
import { generateScenario, type Scenario } from './scenario.ts'
import { formatScenario } from './scenario-file.ts'

const MOST_DIFFERENCES = 10
/** Programs of plain code for each scenario, which EthereumJS runs too. */
const PROGRAMS = 8

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string' } },
})
const seconds = Number(values.seconds)
const first = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
if (!(seconds > 0) || !Number.isSafeInteger(first)) {
  console.error('usage: --seconds takes a number above 0, --seed an integer')
  process.exit(64)
}
console.log(`seeds from ${first}`)

const load = async (name: Parameters<typeof readModule>[0]) =>
  new WebAssembly.Module(await readModule(name))
const module = await load('engine')
const pairing = await load('pairing')
const compiler = await load('compile')
const exits = new RegionExits()

/** Opens an engine that compiles the code behind every jump. */
const openCompiling = (settings: EngineSettings = {}) =>
  exits.open(module, { pairing, ...settings, compiledCode: { compiler, ...EVERY_JUMP } })

const hostAddresses = { first: HOST_ADDRESS, last: HOST_ADDRESS }

/** Opens the engines of scenarios, and those of programs: interpreting, and compiling in whole and in short slices. */
async function openEngines() {
  return {
    engine: await engineInBlock(),
    compiled: await openCompiling(),
    interpreting: await engineInBlock({}, { hostAddresses }),
    whole: await openCompiling({ hostAddresses }),
    sliced: await openCompiling({ hostAddresses, fuel: 7 }),
  }
}

let engines = await openEngines()
let compiledBefore = 0
const started = performance.now()
const elapsed = () => (performance.now() - started) / 1000
const deviations: Record<string, number> = {}
let scenarios = 0
let transactions = 0
let steps = 0
let programs = 0
let differences = 0

const textOf = (thrown: unknown) =>
  thrown instanceof Error ? String(thrown.stack) : String(thrown)

const regions = () =>
  Object.values(engines).reduce((sum, one) => sum + (one.compiledCode?.compiled ?? 0), 0)

async function reopen(): Promise<void> {
  compiledBefore += regions()
  engines = await openEngines()
}

async function examineCode(seed: number): Promise<string | undefined> {
  const { interpreting, whole, sliced } = engines
  const compiling = seed % 2 === 0 ? whole : sliced
  try {
    const program = generateCode(seed)
    const difference = compareCode(interpreting, compiling, program)
    if (!interpreting.isUsable || !compiling.isUsable) await reopen()
    return difference
  } catch (thrown) {
    await reopen()
    return textOf(thrown)
  }
}

/** An exception of the engine, or a trap in it, is a difference too. That instance cannot be used again. */
async function examine(scenario: Scenario): Promise<Verdict> {
  try {
    return await differ(engines.engine, scenario, engines.compiled)
  } catch (thrown) {
    await reopen()
    const text = textOf(thrown)
    return { difference: { kind: 'crash', field: 'engine', text }, deviation: undefined, steps: 0 }
  }
}

for (let seed = first; elapsed() < seconds && differences < MOST_DIFFERENCES; seed++) {
  const scenario = generateScenario(seed)
  const verdict = await examine(scenario)
  scenarios++
  transactions += scenario.transactions.length
  steps += verdict.steps
  for (let i = 0; i < PROGRAMS; i++) {
    const found = await examineCode(seed * PROGRAMS + i)
    programs++
    if (found === undefined) continue
    differences++
    console.log(`DIFFERENCE of compiled code at seed ${seed * PROGRAMS + i}: ${found}`)
  }
  const { difference, deviation } = verdict
  if (deviation !== undefined) deviations[deviation] = (deviations[deviation] ?? 0) + 1
  if (difference === undefined) continue
  differences++
  const smallest = await minimize(scenario, async (candidate) => {
    const found = (await examine(candidate)).difference
    return found?.kind === difference.kind && found.field === difference.field
  })
  console.log(`DIFFERENCE at seed ${seed}, ${scenario.env.revision}: ${difference.text}`)
  console.log(`  to keep as test/fuzz/cases/seed-${seed}.json:\n${formatScenario(smallest)}`)
}

const took = Math.round(elapsed() * 10) / 10
const perSecond = Math.round(scenarios / took)
console.log(
  JSON.stringify({
    scenarios,
    transactions,
    steps,
    programs,
    compiled: compiledBefore + regions(),
    exits: exits.counts,
    missing: exits.missing,
    differences,
    deviations,
    seconds: took,
    perSecond,
  }),
)
process.exitCode = differences === 0 ? 0 : 1
