import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import type { StateDiff } from '../../engine/state-diff.ts'
import type { StateFork } from '../../state/state-fork.ts'
import type { StateView } from '../../state/view.ts'
import type { BlockEngine } from '../block-engine.ts'
import type { ChainRules } from '../chain-rules.ts'
import type { EnginePool } from '../engine-pool.ts'
import type { History } from '../history.ts'
import type { EndSignal } from '../run-until.ts'
import { replayFirst } from './plan-run.ts'
import { planReplay } from './replay-plan.ts'

/** What replays of finished blocks need. */
export interface BlockReplayOptions {
  readonly history: Pick<History, 'header' | 'block' | 'receipts'>
  readonly rules: ChainRules
  readonly keccak256: Keccak256
  readonly engines: EnginePool<BlockEngine>
}

/** How a run is stopped, and how it yields to other work. */
export interface ReplayControl {
  readonly signal: EndSignal
  readonly turn: () => Promise<void> | undefined
}

/** Which part of a block to execute, and callbacks before and after it. */
export interface ReplaySteps {
  /** Number of transactions to execute; all by default. */
  readonly count?: number | undefined
  readonly begin?: ((engine: BlockEngine) => void) | undefined
  /** Called after the state has the transactions' effects. */
  readonly end?: (engine: BlockEngine) => void
}

/**
 * Executes transactions of a finished block on `state`, the state before them. Applies their effects and those of the
 * system calls to it.
 * @throws SERVER_BUSY, REQUEST_TIMEOUT, TRACE_DIFFERS, and what the state throws
 */
export async function replayOnto(
  options: BlockReplayOptions,
  state: StateFork,
  height: number,
  costs: ReplayControl,
  { count, begin, end }: ReplaySteps = {},
): Promise<void> {
  const work = (engine: BlockEngine) => {
    state.apply(engine.diff())
    end?.(engine)
  }
  await run(options, state, height, costs, { count, begin }, work)
}

/**
 * Resolves with all changes of a finished block's system calls and transactions, or of the first `count` of these.
 * @throws like `replayOnto`
 */
export function replayDiff(
  options: BlockReplayOptions & { readonly history: Pick<History, 'before'> },
  height: number,
  costs: ReplayControl,
  count?: number,
): Promise<StateDiff> {
  const view = options.history.before(height)
  return run(options, view, height, costs, { count }, (engine) => engine.diff())
}

function run<Result>(
  options: BlockReplayOptions,
  view: StateView,
  height: number,
  { signal, turn }: ReplayControl,
  { count, begin }: ReplaySteps,
  finish: (engine: BlockEngine) => Result,
): Promise<Result> {
  const plan = planReplay(options, height, count)
  return options.engines.use(async (engine) => {
    begin?.(engine)
    await replayFirst({ engine, plan, view, signal, pause: turn }, plan.transactions.length)
    return finish(engine)
  })
}
