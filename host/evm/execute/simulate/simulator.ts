import { createAddress } from '../../chain-types/address.ts'
import type { BlockHeader } from '../../chain-types/block.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import type { Run } from '../../engine/need.ts'
import type { Executed } from '../../engine/outcome.ts'
import type { TraceSink } from '../../engine/trace-event.ts'
import { decodeAccount } from '../../state/account.ts'
import { runInRounds } from '../../state/run-in-rounds.ts'
import type { StateView } from '../../state/view.ts'
import type { BlockEngine } from '../block-engine.ts'
import type { ChainRules } from '../chain-rules.ts'
import type { EnginePool } from '../engine-pool.ts'
import { type History, knownHeader } from '../history.ts'
import type { PendingBlock } from '../pending-block.ts'
import { type EndSignal, runUntil } from '../run-until.ts'
import { type AccessListOutcome, settleAccessList } from './access-list.ts'
import { type CallContext, rejectedCall, runCall } from './call-context.ts'
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
import { type SharedBlockKey, SharedBlocks } from './shared-blocks.ts'

/** A call that never enters a block, on the state after block `height` or after the pending block. */
export interface CallSimulation {
  readonly pending?: PendingBlock | undefined
  readonly request: CallArguments
  readonly height: number
  readonly stateOverrides: readonly AccountOverride[]
  readonly blockOverrides: BlockOverride | undefined
  /** Aborted at the timeout; the run then fails. */
  readonly signal: EndSignal
  /** Waits for the caller's next turn; undefined while its current one lasts. Fails if the caller has disconnected. */
  readonly turn: () => Promise<void> | undefined
  /** Wraps the state view, for example to observe its reads. */
  readonly over?: ((view: StateView) => StateView) | undefined
  /** Traces the call, or the run of an estimate with the maximum gas. */
  readonly trace?: TraceSink | undefined
}

/** Runs a call in its block: a new one, or a shared one in which calls have used `gasBefore`. */
type Work<Result> = (
  context: CallContext,
  gasBefore: bigint,
  shared: SharedBlockKey | undefined,
) => Run<Result>

export interface SimulatorOptions {
  readonly history: History
  readonly rules: ChainRules
  readonly keccak256: Keccak256
  readonly engines: EnginePool<BlockEngine>
  /** Maximum and default gas of a call; 0 for the gas limit of its block. */
  readonly gasCap: bigint
}

/** Implements eth_call, eth_estimateGas and eth_createAccessList with geth's rules and messages. */
export class Simulator {
  readonly #options: SimulatorOptions
  readonly #blocks = new SharedBlocks()

  constructor(options: SimulatorOptions) {
    this.#options = options
  }

  /**
   * Runs a call. Returns the outcome synchronously if nothing must be awaited: an engine is idle, the state is local,
   * and the run is short.
   * @throws TRANSACTION_REJECTED with geth's message if the protocol rejects it, REQUEST_TIMEOUT, SERVER_BUSY, and
   * what the history throws for the height.
   */
  call(simulation: CallSimulation): Executed | Promise<Executed> {
    const { trace } = simulation
    const edition = isPlain(simulation) ? this.#options.history.stateVersion?.() : undefined
    return this.#with(
      simulation,
      (context, gasBefore, shared) => {
        const run = executed(context, trace)
        if (shared === undefined) return run
        return this.#kept(run, context.engine, gasBefore, shared)
      },
      edition,
    )
  }

  /** Returns the least gas with which a call succeeds, at most 1.5 % too high. Synchronous and throwing like `call`. */
  estimateGas(simulation: CallSimulation): GasEstimate | Promise<GasEstimate> {
    return this.#with(simulation, (context) => searchGas(context, simulation.trace))
  }

  /** Returns the access list of a call, and its outcome with that list. Synchronous and throwing like `call`. */
  createAccessList(simulation: CallSimulation): AccessListOutcome | Promise<AccessListOutcome> {
    const { keccak256 } = this.#options
    return this.#with(simulation, (context) => {
      const { from, to, nonce } = context.input
      return settleAccessList(context, to ?? createAddress(from, nonce, keccak256))
    })
  }

  /** Runs a call and lets the next one share its block. */
  *#kept(
    run: Run<Executed>,
    engine: BlockEngine,
    gasBefore: bigint,
    shared: SharedBlockKey,
  ): Run<Executed> {
    const outcome = yield* run
    this.#blocks.keep(engine, shared, gasBefore + outcome.gasUsed)
    return outcome
  }

  #with<Result>(
    simulation: CallSimulation,
    work: Work<Result>,
    edition?: number,
  ): Result | Promise<Result> {
    const { history } = this.#options
    const { pending, height } = simulation
    const header = pending?.block.header ?? knownHeader(history, height)
    const state = pending?.view ?? history.view(height)
    const base = simulation.over?.(state) ?? state
    return runInRounds(base, (known) => this.#on(known, header, simulation, work, edition))
  }

  #on<Result>(
    base: StateView,
    header: BlockHeader,
    simulation: CallSimulation,
    work: Work<Result>,
    edition: number | undefined,
  ): Result | Promise<Result> {
    const { rules, keccak256, engines, gasCap } = this.#options
    const { request, stateOverrides, signal, turn } = simulation
    const view = stateOverrides.length === 0 ? base : overlayView(base, stateOverrides, keccak256)
    const asked = overriddenEnv(rules.envOf(header), simulation.blockOverrides)
    const env = movePrecompiles(asked, stateOverrides, keccak256)
    const sender = decodeAccount(view.account(request.from))
    const message = callMessage(request, env, sender.nonce, simulationCap(gasCap, header))
    const { height } = simulation
    // A call with blobs sees its own blob base fee.
    const isShared = edition !== undefined && request.blobHashes === undefined
    const shared = isShared ? { edition, height, priced: message.priced } : undefined
    return engines.use((engine) => {
      const gasBefore = this.#blocks.begin(engine, message.env, shared)
      const run = work({ engine, view, sender, keccak256, ...message }, gasBefore, shared)
      return runUntil(run, view, signal, undefined, turn)
    }, turn)
  }
}

function* executed(context: CallContext, trace: TraceSink | undefined): Run<Executed> {
  const { gas, accessList } = context.input
  const outcome = yield* runCall(context, gas, accessList, trace, false)
  if (outcome.kind === 'executed') return outcome
  throw rejectedCall(context, outcome.code, `err: `, ` (supplied gas ${gas})`)
}

/** True for a call on an unmodified finished state whose reads are not observed. */
function isPlain(simulation: CallSimulation): boolean {
  const { pending, stateOverrides, blockOverrides, over, trace } = simulation
  if (pending !== undefined || over !== undefined || trace !== undefined) return false
  return stateOverrides.length === 0 && blockOverrides === undefined
}
