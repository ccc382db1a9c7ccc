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
import type { PendingBlock } from '../pending-block.ts'
import { simulationCap } from './call-message.ts'
import { movePrecompiles } from './moved-precompiles.ts'
import { overrideDiff } from './overlay-view.ts'
import {
  type SimulatedBlock,
  SimulatedBlockRun,
  type SimulationOptions,
  type SimulationRun,
} from './simulated-block-run.ts'
import { type BlockCalls, type PlannedBlock, planBlocks } from './simulated-blocks.ts'

/** Simulated blocks of calls on the state after block `height`, or after the pending block. */
export interface BlockSimulation extends SimulationOptions {
  readonly height: number
  readonly pending?: PendingBlock | undefined
  readonly blocks: readonly BlockCalls[]
}

export interface BlockSimulatorOptions {
  readonly history: History
  readonly rules: ChainRules
  readonly hasher: BlockHasher
  readonly engines: EnginePool<BlockEngine>
  /** Gas for all calls of a simulation together; 0 for the gas limit of the base block. */
  readonly gasCap: bigint
}

/** Implements eth_simulateV1 with the rules of the execution-apis and geth's messages. */
export class BlockSimulator {
  readonly #options: BlockSimulatorOptions

  constructor(options: BlockSimulatorOptions) {
    this.#options = options
  }

  /**
   * Executes the blocks in order, each on the state of the one before.
   * @throws the codes of the execution-apis for blocks out of order and calls that the protocol rejects;
   * OVERRIDE_INVALID, REQUEST_TIMEOUT, SERVER_BUSY, and what the history throws for the height.
   */
  async simulate(simulation: BlockSimulation): Promise<SimulatedBlock[]> {
    const { history, rules, hasher, engines, gasCap } = this.#options
    const { pending, height } = simulation
    const base = pending?.block.header ?? knownHeader(history, height)
    const planned = planBlocks(base, simulation.blocks)
    for (const plan of planned) this.#checkDifficulty(simulation, plan, base)
    const stored = pending === undefined ? base : undefined
    const state = history.fork(pending === undefined ? height : base.number - 1)
    const done: SimulatedBlock[] = []
    const hashes = new Map<number, Uint8Array>()
    if (pending !== undefined) {
      state.apply(pending.view.diff())
      hashes.set(base.number, base.hash)
    }
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
        const simulated = await this.#runBlock(run, plan, parent, stored)
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
    stored: BlockHeader | undefined,
  ): Promise<SimulatedBlock> {
    const { rules, hasher } = this.#options
    const { engine, state, simulation } = run
    const keccak256 = (bytes: Uint8Array) => hasher.keccak256(bytes)
    const draft = this.#draft(simulation, plan, parent, stored)
    const env = overriddenEnv(rules.envOf(draft), plan, keccak256)
    state.apply(overrideDiff(state, plan.stateOverrides, keccak256))
    engine.beginBlock(env)
    const isListed = atLeast(env.revision, 'Amsterdam')
    runSystemCalls(engine, state, rules.systemCallsOf(draft), isListed)
    const block = new SimulatedBlockRun(run, draft, env)
    for (const call of plan.calls) {
      await block.runCall(call)
      // Calls that do nothing end before they yield.
      const turn = simulation.turn()
      if (turn !== undefined) await turn
    }
    return block.close(plan.overrides.withdrawals ?? [])
  }

  /** @throws REFUSED_ARGUMENT if a difficulty is set after the merge. */
  #checkDifficulty(simulation: BlockSimulation, plan: PlannedBlock, base: BlockHeader): void {
    if (plan.overrides.difficulty === undefined) return
    const { revision } = this.#options.rules.envOf(this.#draft(simulation, plan, base, undefined))
    if (!atLeast(revision, 'Paris')) return
    const text = `block ${plan.number}: difficulty override is not allowed after the merge`
    throw new LockstepError('REFUSED_ARGUMENT', text)
  }

  #draft(
    simulation: SimulationOptions,
    plan: PlannedBlock,
    parent: BlockHeader,
    stored: BlockHeader | undefined,
  ): BlockHeader {
    const { rules, hasher } = this.#options
    const { overrides, number, timestamp } = plan
    const { withdrawals = [], baseFee } = overrides
    // Without validation the base fee is 0, so that calls without a gas price are valid.
    const market = simulation.validation ? marketFee(rules, parent, stored) : 0n
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
 * Returns the chain's base fee after a stored block; undefined after another one, whose header determines it in the
 * draft.
 */
function marketFee(
  rules: ChainRules,
  parent: BlockHeader,
  stored: BlockHeader | undefined,
): bigint | undefined {
  return parent === stored ? rules.nextBaseFee(parent) : undefined
}

function overriddenEnv(
  env: BlockEnv,
  { overrides, stateOverrides }: PlannedBlock,
  keccak256: Keccak256,
): BlockEnv {
  const { blobBaseFee = env.blobBaseFee } = overrides
  return movePrecompiles({ ...env, blobBaseFee }, stateOverrides, keccak256)
}
