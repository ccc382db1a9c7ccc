/**
 * Runs generated transactions through the engine, with its code interpreted and compiled, and
 * EthereumJS, and compares the results: node test/fuzz/main.ts
 * [--seconds N] [--seed S] The last line is a summary as JSON. It exits with 1 if there was a difference.
 */
import { parseArgs } from 'node:util'
import { compilingEngine, engineInBlock } from '../support/engine/engine-fixture.ts'
import { differ, type Verdict } from './differ.ts'
import { minimize } from './minimize.ts'
import { generateScenario, type Scenario } from './scenario.ts'
import { formatScenario } from './scenario-file.ts'

const MOST_DIFFERENCES = 10

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

let engine = await engineInBlock()
let compiled = await compilingEngine()
const started = performance.now()
const elapsed = () => (performance.now() - started) / 1000
const deviations: Record<string, number> = {}
let scenarios = 0
let transactions = 0
let steps = 0
let differences = 0

/** An exception of the engine, or a trap in it, is a difference too. That instance cannot be used again. */
async function examine(scenario: Scenario): Promise<Verdict> {
  try {
    return await differ(engine, scenario, compiled)
  } catch (thrown) {
    engine = await engineInBlock()
    compiled = await compilingEngine()
    const text = thrown instanceof Error ? String(thrown.stack) : String(thrown)
    return { difference: { kind: 'crash', field: 'engine', text }, deviation: undefined, steps: 0 }
  }
}

for (let seed = first; elapsed() < seconds && differences < MOST_DIFFERENCES; seed++) {
  const scenario = generateScenario(seed)
  const verdict = await examine(scenario)
  scenarios++
  transactions += scenario.transactions.length
  steps += verdict.steps
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
    compiled: compiled.compiledCode?.compiled,
    differences,
    deviations,
    seconds: took,
    perSecond,
  }),
)
process.exitCode = differences === 0 ? 0 : 1
