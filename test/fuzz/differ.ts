import type { Engine } from '../../host/evm/engine/engine.ts'
import { DEVIATIONS } from './deviations.ts'
import { runEthereumjs } from './ethereumjs.ts'
import { runLockstep } from './lockstep.ts'
import { compareLoops, compareResults, type Difference, type ScenarioResult } from './result.ts'
import type { Scenario } from './scenario.ts'

/** The result of comparing one scenario. */
export interface Verdict {
  /** Undefined if both machines agree, or if a known deviation of EthereumJS explains the difference. */
  readonly difference: Difference | undefined
  /** Name of the known deviation. */
  readonly deviation: string | undefined
  readonly steps: number
}

/**
 * Runs the scenario on both machines, and through both interpreter loops of the engine. `compiled` is an engine that
 * compiles code: it runs the scenario twice, to compile it and to run what it has compiled.
 */
export async function differ(
  engine: Engine,
  scenario: Scenario,
  compiled: Engine,
): Promise<Verdict> {
  const { revision } = scenario.env
  const ours = runLockstep(engine, scenario, 'traced')
  const steps = ours.transactions.reduce((sum, transaction) => sum + transaction.steps.length, 0)
  for (const machine of [engine, compiled, compiled]) {
    const loops = compareLoops(runLockstep(machine, scenario, 'plain'), ours)
    if (loops !== undefined) return { difference: loops, deviation: undefined, steps }
  }
  const difference = await compareWithEthereumjs(scenario, ours)
  const known =
    difference && DEVIATIONS.find((deviation) => deviation.explains(difference, revision))
  return { difference: known ? undefined : difference, deviation: known?.name, steps }
}

async function compareWithEthereumjs(
  scenario: Scenario,
  ours: ScenarioResult,
): Promise<Difference | undefined> {
  try {
    return compareResults(ours, await runEthereumjs(scenario))
  } catch (thrown) {
    const text = thrown instanceof Error ? String(thrown.stack) : String(thrown)
    return { kind: 'crash', field: '', text }
  }
}
