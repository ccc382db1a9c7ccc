import { LockstepError } from '../../base/error.ts'
import type { Block, BlockHeader } from '../../chain-types/block.ts'
import { uniteBlooms } from '../../chain-types/bloom.ts'
import { type BlockHasher, encodeWithdrawal, listRoot } from '../../chain-types/ethereum-block.ts'
import { encodeReceipt, type Receipt } from '../../chain-types/receipt.ts'
import { atLeast } from '../../chain-types/revision.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import type { BlockEnv } from '../../engine/message.ts'
import type { Executed } from '../../engine/outcome.ts'
import { NO_ACCOUNT } from '../../state/account.ts'
import type { StateFork } from '../../state/state-fork.ts'
import type { StateView } from '../../state/view.ts'
import { type BlockEngine, runSystemCalls } from '../block-engine.ts'
import type { ChainRules } from '../chain-rules.ts'
import type { EnginePool } from '../engine-pool.ts'
import { bodyOf, sealDraft } from '../header-draft.ts'
import { type History, knownHeader } from '../history.ts'
import { floorDataGas, intrinsicGas } from '../intrinsic-gas.ts'
import { makeReceipt } from '../receipt.ts'
import { runUntil } from '../run-until.ts'
import { CallLog, type NumberedLog } from './call-log.ts'
import { checkCreation, gasAboveCap, simulationCap } from './call-message.ts'
import { movePrecompiles } from './moved-precompiles.ts'
import { overrideDiff } from './overlay-view.ts'
import {
  type BlockCalls,
  type PlannedBlock,
  planBlocks,
  type SimulatedCall,
} from './simulated-blocks.ts'
import { beyondBlock, checkNonce, refusedCall, unsignedTransaction } from './simulated-call.ts'

/** Blocks of calls that never happen, on the state after block `height`. */
export interface BlockSimulation {
  readonly height: number
  readonly blocks: readonly BlockCalls[]
  /** Transfers of ether stand among the logs. */
  readonly traceTransfers: boolean
  /** The calls must hold as transactions do: nonce, fees. Signatures there are none. */
  readonly validation: boolean
  /** Aborted when the caller is gone or the time is up; the run then rejects. */
  readonly signal: AbortSignal
  /** Waits for the caller's next turn; undefined while its present one lasts. */
  readonly turn: () => Promise<void> | undefined
}

/** A call that ran. */
export interface SimulatedOutcome {
  readonly outcome: Executed
  /** Those of the call, with transfers among them where they were asked for. */
  readonly logs: readonly NumberedLog[]
  /** Gas used before refunds, or what its data costs at least (EIP-7623). */
  readonly maxUsedGas: bigint
  /** It had less than the rest of its block, which it did not refuse: the simulation's gas was its bound. */
  readonly isCapped: boolean
}

/** A pretended block, with what its calls came to. */
export interface SimulatedBlock {
  readonly block: Block
  readonly transactions: readonly Transaction[]
  readonly outcomes: readonly SimulatedOutcome[]
}

export interface BlockSimulatorOptions {
  readonly history: History
  readonly rules: ChainRules
  readonly hasher: BlockHasher
  readonly engines: EnginePool<BlockEngine>
  /** Gas that all calls of a simulation have together; 0 for the limit of the block they begin on. */
  readonly gasCap: bigint
}

/** What the blocks of one simulation share. */
interface Run {
  readonly simulation: BlockSimulation
  readonly engine: BlockEngine
  readonly state: StateFork
  /** The state with the hashes of the pretended blocks. */
  readonly view: StateView
  /** Gas that is left of the cap. */
  gasLeft: bigint
}

/** A block that its calls are running in. */
interface OpenBlock {
  readonly env: BlockEnv
  readonly transactions: Transaction[]
  readonly receipts: Receipt[]
  readonly outcomes: SimulatedOutcome[]
  gasUsed: bigint
  /** Number of the block's next log. */
  nextLog: number
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
    const { history, engines, gasCap } = this.#options
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
      const run: Run = { simulation, engine, state, view, gasLeft }
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
    run: Run,
    plan: PlannedBlock,
    parent: BlockHeader,
    base: BlockHeader,
  ): Promise<SimulatedBlock> {
    const { rules, hasher } = this.#options
    const { engine, state, simulation } = run
    const keccak256 = (bytes: Uint8Array) => hasher.keccak256(bytes)
    const draft = this.#draft(simulation, plan, parent, base)
    const open: OpenBlock = {
      env: overriddenEnv(rules.envOf(draft), plan, keccak256),
      transactions: [],
      receipts: [],
      outcomes: [],
      gasUsed: 0n,
      nextLog: 0,
    }
    state.apply(overrideDiff(state, plan.stateOverrides, keccak256))
    engine.beginBlock(open.env)
    runSystemCalls(engine, state, rules.systemCallsOf(draft))
    settle(run, open.env)
    for (const call of plan.calls) {
      await this.#runCall(run, open, call)
      // Calls that do nothing end before they yield.
      const turn = simulation.turn()
      if (turn !== undefined) await turn
    }

    const withdrawals = plan.overrides.withdrawals ?? []
    const { transactions, receipts, outcomes } = open
    const logs = outcomes.flatMap(({ logs }) => logs.map(({ log }) => log))
    const requestsHash = rules.close(engine, state, draft, withdrawals, logs)
    const raws = transactions.map(({ raw }) => raw)
    const body = bodyOf(draft, withdrawals)
    const results = {
      stateRoot: state.root(),
      transactionsRoot: listRoot(hasher, raws),
      receiptsRoot: listRoot(hasher, receipts.map(encodeReceipt)),
      logsBloom: uniteBlooms(receipts.map(({ logsBloom }) => logsBloom)),
      gasUsed: open.gasUsed,
      blobGasUsed: receipts.reduce((sum, { blobGas }) => sum + (blobGas?.used ?? 0n), 0n),
      requestsHash,
    }
    const header = sealDraft(
      draft,
      results,
      raws,
      body,
      (one) => rules.ethereumHeader(one),
      keccak256,
    )
    const block: Block = {
      header,
      transactions: raws,
      ...(body !== undefined && { ethereum: body }),
    }
    return { block, transactions, outcomes }
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
    simulation: BlockSimulation,
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

  async #runCall(run: Run, open: OpenBlock, call: SimulatedCall): Promise<void> {
    const { rules, hasher } = this.#options
    const { engine, state, view, simulation } = run
    const { env } = open
    const { validation, traceTransfers, signal, turn } = simulation
    const keccak256 = (bytes: Uint8Array) => hasher.keccak256(bytes)
    const sender = state.readAccount(call.from) ?? NO_ACCOUNT
    const asked = call.gas ?? env.gasLimit - open.gasUsed
    if (open.gasUsed + asked > env.gasLimit) throw beyondBlock(asked, env.gasLimit - open.gasUsed)
    if (call.gas !== undefined && call.gas > run.gasLeft) throw gasAboveCap(call.gas, run.gasLeft)
    checkCreation(call)
    const gas = leastOf(asked, run.gasLeft)
    const nonce = call.nonce ?? sender.nonce
    const transaction = unsignedTransaction(
      call,
      { nonce, gas, chainId: rules.chainId, env },
      keccak256,
    )
    if (validation) checkNonce(transaction, env, sender, keccak256)
    const offersNothing = transaction.maxFeePerGas === 0n && transaction.maxPriorityFeePerGas === 0n
    const skipFees = !validation && offersNothing
    const log = new CallLog(traceTransfers, open.nextLog)
    const outcome = await runUntil(
      engine.transact(transaction, {
        // The sender may have code, and nonces were looked at
        leniency: { skipSenderChecks: true, skipFees },
        trace: log,
      }),
      view,
      signal,
      undefined,
      turn,
    )
    if (outcome.kind === 'rejected')
      throw refusedCall(outcome.code, transaction, env, sender, keccak256)
    open.gasUsed += outcome.gasUsed
    open.nextLog = log.nextIndex
    run.gasLeft -= outcome.gasUsed
    settle(run, env)
    const receipt = makeReceipt(transaction, outcome, open.gasUsed, env, keccak256)
    // EIP-658
    const hasStatus = atLeast(env.revision, 'Byzantium')
    open.receipts.push(hasStatus ? receipt : { ...receipt, stateRoot: state.root() })
    open.transactions.push(transaction)
    const maxUsedGas = peakGas(transaction, env, log.gasUsed)
    open.outcomes.push({ outcome, logs: log.logs, maxUsedGas, isCapped: gas < asked })
  }
}

/** Takes over what the engine has changed, so that the state between two calls can be read. */
function settle({ engine, state }: Run, env: BlockEnv): void {
  state.apply(engine.diff())
  engine.beginBlock(env)
}

/** `Math.min` takes no bigints. */
function leastOf(a: bigint, b: bigint): bigint {
  if (a < b) return a
  return b
}

function peakGas(transaction: Transaction, { revision }: BlockEnv, codeGas: bigint): bigint {
  const used = intrinsicGas(transaction, revision) + codeGas
  const floor = atLeast(revision, 'Prague') ? floorDataGas(transaction.data) : 0n
  return used > floor ? used : floor
}

/** What the market asks after a block: exactly after a stored one. */
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
