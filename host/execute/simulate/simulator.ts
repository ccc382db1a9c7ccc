import { createAddress } from '../../chain-types/address.ts'
import type { BlockHeader } from '../../chain-types/block.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import type { Run } from '../../engine/need.ts'
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
import { type EndSignal, runUntil } from '../run-until.ts'
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
  /** Aborted when the time is up; the run then fails. */
  readonly signal: EndSignal
  /** Waits for the caller's next turn; undefined while its present one lasts. Fails where the caller is gone. */
  readonly turn: () => Promise<void> | undefined
  /** The view that runs instead of the state's own: what it is asked can be seen there. */
  readonly over?: ((view: StateView) => StateView) | undefined
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
   * Runs a call. It has its outcome at once where it waits for nothing: an engine is idle, the state is here, and the
   * run is short.
   * @throws TRANSACTION_REJECTED with geth's text where the protocol refuses it, REQUEST_TIMEOUT,
   * SERVER_BUSY, and what the history throws for the height.
   */
  call(simulation: Simulation): Executed | Promise<Executed> {
    return this.#with(simulation, (context) => executed(context, simulation.trace))
  }

  /** Least gas with which a call succeeds, at most 1.5 % too much. At once and throws as `call`. */
  estimateGas(simulation: Simulation): GasEstimate | Promise<GasEstimate> {
    return this.#with(simulation, (context) => searchGas(context, simulation.trace))
  }

  /** The access list that a call makes, run with that list. At once and throws as `call`. */
  createAccessList(simulation: Simulation): AccessListOutcome | Promise<AccessListOutcome> {
    const { keccak256 } = this.#options
    return this.#with(simulation, (context) => {
      const { from, to, nonce } = context.input
      return settleAccessList(context, to ?? createAddress(from, nonce, keccak256))
    })
  }

  #with<Result>(
    simulation: Simulation,
    work: (context: CallContext) => Run<Result>,
  ): Result | Promise<Result> {
    const { history } = this.#options
    const { pending, height } = simulation
    const header = pending?.block.header ?? knownHeader(history, height)
    const state = pending?.view ?? history.view(height)
    const base = simulation.over?.(state) ?? state
    return inRounds(base, (known) => this.#on(known, header, simulation, work))
  }

  #on<Result>(
    base: StateView,
    header: BlockHeader,
    simulation: Simulation,
    work: (context: CallContext) => Run<Result>,
  ): Result | Promise<Result> {
    const { rules, keccak256, engines, gasCap } = this.#options
    const { request, stateOverrides, signal, turn } = simulation
    const view = stateOverrides.length === 0 ? base : overlayView(base, stateOverrides, keccak256)
    const asked = overriddenEnv(rules.envOf(header), simulation.blockOverrides)
    const env = movePrecompiles(asked, stateOverrides, keccak256)
    const sender = decodeAccount(view.account(request.from))
    const message = callMessage(request, env, sender.nonce, simulationCap(gasCap, header))
    return engines.use((engine) => {
      engine.beginBlock(message.env)
      const run = work({ engine, view, sender, keccak256, ...message })
      return runUntil(run, view, signal, undefined, turn)
    })
  }
}

function* executed(context: CallContext, trace: TraceSink | undefined): Run<Executed> {
  const { gas, accessList } = context.input
  const outcome = yield* runCall(context, gas, accessList, trace)
  if (outcome.kind === 'executed') return outcome
  throw refusal(context, outcome.code, `err: `, ` (supplied gas ${gas})`)
}
