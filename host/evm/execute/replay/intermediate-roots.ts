import type { History } from '../history.ts'
import { beginPlan, runPlanned } from './plan-run.ts'
import type { BlockReplayOptions, ReplayControl } from './replay-onto.ts'
import { planReplay } from './replay-plan.ts'

export interface IntermediateRootsOptions extends BlockReplayOptions {
  readonly history: History
}

/**
 * Resolves with the state root after each transaction of a finished block. Requires a Merkle Patricia trie state.
 * @throws SERVER_BUSY, REQUEST_TIMEOUT, TRACE_DIFFERS, and what the history throws for the parent's height
 */
export function intermediateRoots(
  { history, rules, keccak256, engines }: IntermediateRootsOptions,
  height: number,
  { signal, turn }: ReplayControl,
): Promise<Uint8Array[]> {
  const state = history.fork(height - 1)
  const plan = planReplay({ history, rules, keccak256 }, height)
  return engines.use(async (engine) => {
    const run = { engine, plan, view: state, signal, pause: turn }
    // The engine's diff starts at the block's start, so begin the block again on the current state.
    const settle = () => {
      state.apply(engine.diff())
      engine.beginBlock(plan.env)
    }
    await beginPlan(run)
    settle()
    const roots: Uint8Array[] = []
    for (const index of plan.transactions.keys()) {
      await runPlanned(run, index)
      settle()
      roots.push(state.root())
      await turn()
    }
    return roots
  })
}
