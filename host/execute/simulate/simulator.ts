import { createAddress } from '../../chain-types/address.ts'
import type { BlockHeader } from '../../chain-types/block.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import type { Executed } from '../../engine/outcome.ts'
import type { TraceSink } from '../../engine/trace-event.ts'
import { decodeAccount } from '../../state/account.ts'
import { inRounds } from '../../state/guessing-view.ts'
import type { StateView } from '../../state/view.ts'
import type { BlockEngine } from '../block-engine.ts'
import type { ChainRules } from '../chain-rules.ts'
import type { EnginePool } from '../engine-pool.ts'
import { type History, knownHeader } from '../history.ts'
import type { PendingBlock } from '../pending-block.ts'
import { type AccessListOutcome, settleAccessList } from './access-list.ts'
import { type CallContext, refusal, runCall } from './call-context.ts'
import {
  type BlockOverride,
  type CallArguments,
  callMessage,
  overriddenEnv,
  simulationCap,
} from './call-message.ts'
import { type GasEstimate, searchGas } from './gas-search.ts'
import { movePrecompiles } from './moved-precompiles.ts'
import { type AccountOverride, overlayView } from './overlay-view.ts'

/** A call that never enters a block, run on the state after block `height`, or after the pending one. */
export interface Simulation {
  readonly pending?: PendingBlock | undefined
  readonly request: CallArguments
  readonly height: number
  readonly stateOverrides: readonly AccountOverride[]
  readonly blockOverrides: BlockOverride | undefined
  /** Aborted when the caller is gone or the time is up; the run then rejects. */
  readonly signal: AbortSignal
  /** Waits for the caller's next turn; undefined while its present one lasts. */
  readonly turn: () => Promise<void> | undefined
  /** Watches a call, or the run of an estimate with all the gas it may have. */
  readonly trace?: TraceSink | undefined
}

export interface SimulatorOptions {
  readonly history: History
  readonly rules: ChainRules
  readonly keccak256: Keccak256
  readonly engines: EnginePool<BlockEngine>
  /** Gas that a call gets where it names none, and at most; 0 for the limit of its block. */
  readonly gasCap: bigint
}

/** eth_call, eth_estimateGas and eth_createAccessList, with geth's rules and texts. */
export class Simulator {
  readonly #options: SimulatorOptions

  constructor(options: SimulatorOptions) {
    this.#options = options
  }

  /**
   * Runs a call.
   * @throws TRANSACTION_REJECTED with geth's text where the protocol refuses it, REQUEST_TIMEOUT,
   * SERVER_BUSY, and what the history throws for the height.
   */
  call(simulation: Simulation): Promise<Executed> {
    return this.#with(simulation, async (context) => {
      const { gas, accessList } = context.input
      const outcome = await runCall(context, gas, accessList, simulation.trace)
      if (outcome.kind === 'executed') return outcome
      throw refusal(context, outcome.code, `err: `, ` (supplied gas ${context.input.gas})`)
    })
  }

  /** Least gas with which a call succeeds, at most 1.5 % too much. Throws as `call`. */
  estimateGas(simulation: Simulation): Promise<GasEstimate> {
    return this.#with(simulation, (context) => searchGas(context, simulation.trace))
  }

  /** The access list that a call makes, run with that list. Throws as `call`. */
  createAccessList(simulation: Simulation): Promise<AccessListOutcome> {
    const { keccak256 } = this.#options
    return this.#with(simulation, (context) => {
      const { from, to, nonce } = context.input
      return settleAccessList(context, to ?? createAddress(from, nonce, keccak256))
    })
  }

  async #with<Result>(
    simulation: Simulation,
    work: (context: CallContext) => Promise<Result>,
  ): Promise<Result> {
    const { history } = this.#options
    const { pending, height } = simulation
    const header = pending?.block.header ?? knownHeader(history, height)
    const base = pending?.view ?? history.view(height)
    return inRounds(base, (known) => this.#on(known, header, simulation, work))
  }

  async #on<Result>(
    base: StateView,
    header: BlockHeader,
    simulation: Simulation,
    work: (context: CallContext) => Promise<Result>,
  ): Promise<Result> {
    const { rules, keccak256, engines, gasCap } = this.#options
    const { request, stateOverrides } = simulation
    const view = stateOverrides.length === 0 ? base : overlayView(base, stateOverrides, keccak256)
    const asked = overriddenEnv(rules.envOf(header), simulation.blockOverrides)
    const env = movePrecompiles(asked, stateOverrides, keccak256)
    const sender = decodeAccount(view.account(request.from))
    const message = callMessage(request, env, sender.nonce, simulationCap(gasCap, header))
    return engines.use((engine) => {
      engine.beginBlock(message.env)
      return work({
        engine,
        view,
        sender,
        keccak256,
        signal: simulation.signal,
        turn: simulation.turn,
        ...message,
      })
    })
  }
}
