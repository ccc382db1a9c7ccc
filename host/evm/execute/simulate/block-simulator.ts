import { LockstepError } from '../../../base/error.ts'
import type { BlockHeader } from '../../chain-types/block.ts'
import { type BlockHasher, encodeWithdrawal, listRoot } from '../../chain-types/ethereum-block.ts'
import { atLeast } from '../../chain-types/revision.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import type { BlockEnv } from '../../engine/message.ts'
import type { StateView } from '../../state/view.ts'
import { type BlockEngine, runSystemCalls } from '../block-engine.ts'
import type { ChainRules } from '../chain-rules.ts'
import type { EnginePool } from '../engine-pool.ts'
import { type History, knownHeader } from '../history.ts'
import { simulationCap } from './call-message.ts'
import { movePrecompiles } from './moved-precompiles.ts'
import { overrideDiff } from './overlay-view.ts'
import {
  type CallTerms,
  PretendedBlock,
  type SimulatedBlock,
  type SimulationRun,
} from './pretended-block.ts'
import { type BlockCalls, type PlannedBlock, planBlocks } from './simulated-blocks.ts'

/** Blocks of calls that never happen, on the state after block `height`. */
export interface BlockSimulation extends CallTerms {
  readonly height: number
  readonly blocks: readonly BlockCalls[]
}

export interface BlockSimulatorOptions {
  readonly history: History
  readonly rules: ChainRules
  readonly hasher: BlockHasher
  readonly engines: EnginePool<BlockEngine>
  /** Gas that all calls of a simulation have together; 0 for the limit of the block they begin on. */
  readonly gasCap: bigint
}

/** eth_simulateV1, by the execution-apis' rules and geth's texts. */
export class BlockSimulator {
  readonly #options: BlockSimulatorOptions

  constructor(options: BlockSimulatorOptions) {
    this.#options = options
  }

  /**
   * Runs the blocks one after another, each on the state that the one before has left.
   * @throws the codes of the execution-apis for blocks out of order and calls that the protocol refuses;
   * OVERRIDE_INVALID, REQUEST_TIMEOUT, SERVER_BUSY, and what the history throws for the height.
   */
  async simulate(simulation: BlockSimulation): Promise<SimulatedBlock[]> {
    const { history, rules, hasher, engines, gasCap } = this.#options
    const base = knownHeader(history, simulation.height)
    const planned = planBlocks(base, simulation.blocks)
    for (const plan of planned) this.#checkDifficulty(simulation, plan, base)
    const state = history.fork(simulation.height)
    const done: SimulatedBlock[] = []
    const hashes = new Map<number, Uint8Array>()
    const view: StateView = {
      account: (address) => state.account(address),
      storage: (address, slot) => state.storage(address, slot),
      code: (codeHash) => state.code(codeHash),
      blockHash: (number) => hashes.get(number) ?? state.blockHash(number),
    }
    return engines.use(async (engine) => {
      const gasLeft = simulationCap(gasCap, base)
      const run: SimulationRun = { simulation, rules, hasher, engine, state, view, gasLeft }
      let parent = base
      for (const plan of planned) {
        const turn = simulation.turn()
        if (turn !== undefined) await turn
        const simulated = await this.#runBlock(run, plan, parent, base)
        parent = simulated.block.header
        hashes.set(parent.number, parent.hash)
        done.push(simulated)
      }
      return done
    })
  }

  async #runBlock(
    run: SimulationRun,
    plan: PlannedBlock,
    parent: BlockHeader,
    base: BlockHeader,
  ): Promise<SimulatedBlock> {
    const { rules, hasher } = this.#options
    const { engine, state, simulation } = run
    const keccak256 = (bytes: Uint8Array) => hasher.keccak256(bytes)
    const draft = this.#draft(simulation, plan, parent, base)
    const env = overriddenEnv(rules.envOf(draft), plan, keccak256)
    state.apply(overrideDiff(state, plan.stateOverrides, keccak256))
    engine.beginBlock(env)
    runSystemCalls(engine, state, rules.systemCallsOf(draft))
    const block = new PretendedBlock(run, draft, env)
    for (const call of plan.calls) {
      await block.runCall(call)
      // Calls that do nothing end before they yield.
      const turn = simulation.turn()
      if (turn !== undefined) await turn
    }
    return block.close(plan.overrides.withdrawals ?? [])
  }

  /** @throws REFUSED_ARGUMENT for a difficulty after the merge. */
  #checkDifficulty(simulation: BlockSimulation, plan: PlannedBlock, base: BlockHeader): void {
    if (plan.overrides.difficulty === undefined) return
    const { revision } = this.#options.rules.envOf(this.#draft(simulation, plan, base, base))
    if (!atLeast(revision, 'Paris')) return
    const text = `block ${plan.number}: difficulty override is not allowed after the merge`
    throw new LockstepError('REFUSED_ARGUMENT', text)
  }

  #draft(
    simulation: CallTerms,
    plan: PlannedBlock,
    parent: BlockHeader,
    base: BlockHeader,
  ): BlockHeader {
    const { rules, hasher } = this.#options
    const { overrides, number, timestamp } = plan
    const { withdrawals = [], baseFee } = overrides
    // Without validation a block asks nothing, so that calls which offer nothing are not below its fee
    const market = simulation.validation ? marketFee(rules, parent, base) : 0n
    return rules.draft(parent, {
      ...overrides,
      number,
      timestamp,
      baseFee: baseFee ?? market,
      withdrawalsRoot: listRoot(hasher, withdrawals.map(encodeWithdrawal)),
    })
  }
}

/**
 * The base fee of the block after `parent`: the chain's own after a stored block; undefined after a
 * pretended one, whose fee the draft reckons from its header.
 */
function marketFee(rules: ChainRules, parent: BlockHeader, base: BlockHeader): bigint | undefined {
  return parent === base ? rules.nextBaseFee(base) : undefined
}

function overriddenEnv(
  env: BlockEnv,
  { overrides, stateOverrides }: PlannedBlock,
  keccak256: Keccak256,
): BlockEnv {
  const { blobBaseFee = env.blobBaseFee } = overrides
  return movePrecompiles({ ...env, blobBaseFee }, stateOverrides, keccak256)
}
