import type { Block, BlockHeader, Withdrawal } from '../../chain-types/block.ts'
import { encodeBlockAccessList } from '../../chain-types/block-access-list.ts'
import { uniteBlooms } from '../../chain-types/bloom.ts'
import { type BlockHasher, listRoot } from '../../chain-types/ethereum-block.ts'
import { encodeReceipt, type Receipt } from '../../chain-types/receipt.ts'
import { atLeast } from '../../chain-types/revision.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import type { BlockEnv } from '../../engine/message.ts'
import type { Executed } from '../../engine/outcome.ts'
import { NO_ACCOUNT } from '../../state/account.ts'
import type { StateFork } from '../../state/state-fork.ts'
import type { StateView } from '../../state/view.ts'
import { AccessListBuilder } from '../access-list-builder.ts'
import type { BlockEngine } from '../block-engine.ts'
import { BlockGas } from '../block-gas.ts'
import type { ChainRules } from '../chain-rules.ts'
import { bodyOf, sealDraft } from '../header-draft.ts'
import { floorDataGas, intrinsicGas } from '../intrinsic-gas.ts'
import { makeReceipt } from '../receipt.ts'
import { type EndSignal, runUntil } from '../run-until.ts'
import { type NumberedLog, SimulatedLogs } from './call-log.ts'
import { checkCreation, gasAboveCap } from './call-message.ts'
import type { SimulatedCall } from './simulated-blocks.ts'
import {
  beyondBlock,
  checkNonce,
  rejectedSimulatedCall,
  simulatedInput,
  unsignedTransaction,
} from './simulated-call.ts'

/** Options of a simulation's calls. */
export interface SimulationOptions {
  /** Adds ether transfers to the logs. */
  readonly traceTransfers: boolean
  /** Checks nonces and fees as for transactions; calls have no signatures. */
  readonly validation: boolean
  /** Aborted at the timeout; the run then fails. */
  readonly signal: EndSignal
  /** Waits for the caller's next turn; undefined while its current one lasts. Fails if the caller has disconnected. */
  readonly turn: () => Promise<void> | undefined
  /** Reserves bytes for the output of a call, which is kept until all calls have run. Fails if there is no room. */
  readonly reserve: (bytes: number) => void
}

/** What the blocks of one simulation share. */
export interface SimulationRun {
  readonly simulation: SimulationOptions
  readonly rules: ChainRules
  readonly hasher: BlockHasher
  readonly engine: BlockEngine
  readonly state: StateFork
  /** The state, with the hashes of the simulated blocks. */
  readonly view: StateView
  /** Gas left of the cap. */
  gasLeft: bigint
}

/** An executed call. */
export interface SimulatedOutcome {
  readonly outcome: Executed
  /** The call's logs, with ether transfers if the simulation includes them. */
  readonly logs: readonly NumberedLog[]
  /** Gas used before refunds, at least the floor for the call's data (EIP-7623). */
  readonly maxUsedGas: bigint
  /** True if the simulation's gas, not the block's, limited the call. */
  readonly isCapped: boolean
}

/** A simulated block and the outcomes of its calls. */
export interface SimulatedBlock {
  readonly block: Block
  readonly transactions: readonly Transaction[]
  readonly outcomes: readonly SimulatedOutcome[]
}

/** A simulated block being executed. It never enters the chain. */
export class SimulatedBlockRun {
  readonly #run: SimulationRun
  readonly #draft: BlockHeader
  readonly #env: BlockEnv
  readonly #keccak256: Keccak256
  readonly #transactions: Transaction[] = []
  readonly #receipts: Receipt[] = []
  readonly #outcomes: SimulatedOutcome[] = []
  readonly #blockGas: BlockGas
  /** Undefined before Amsterdam. */
  readonly #accesses: AccessListBuilder | undefined
  #gasUsed = 0n
  /** Index of the block's next log. */
  #nextLog = 0

  /** The engine must have begun the block and made its system calls. */
  constructor(run: SimulationRun, draft: BlockHeader, env: BlockEnv) {
    this.#run = run
    this.#draft = draft
    this.#env = env
    this.#blockGas = new BlockGas(env.gasLimit, env.revision)
    if (atLeast(env.revision, 'Amsterdam')) this.#accesses = new AccessListBuilder()
    this.#keccak256 = (bytes) => run.hasher.keccak256(bytes)
    this.#settle(0)
  }

  /**
   * Executes a call as the block's next transaction.
   * @throws the codes of the execution-apis if the protocol rejects the call; LIMIT_EXCEEDED for more gas than the
   * cap has left, REQUEST_TIMEOUT.
   */
  async runCall(call: SimulatedCall): Promise<void> {
    const run = this.#run
    const { rules, engine, state, view, simulation } = run
    const { validation, traceTransfers, signal, turn } = simulation
    const env = this.#env
    const keccak256 = this.#keccak256
    const sender = state.readAccount(call.from) ?? NO_ACCOUNT
    // Without validation, all gas of a call may be execution gas.
    const gasLeft = validation ? this.#blockGas.left : this.#blockGas.leftForBoth
    const asked = call.gas ?? gasLeft
    if (asked > gasLeft) throw beyondBlock(asked, gasLeft)
    if (call.gas !== undefined && call.gas > run.gasLeft) throw gasAboveCap(call.gas, run.gasLeft)
    checkCreation(call)
    const gas = leastOf(asked, run.gasLeft)
    const nonce = call.nonce ?? sender.nonce
    const place = { nonce, gas, chainId: rules.chainId, env }
    const transaction = unsignedTransaction(call, place, keccak256)
    if (validation) checkNonce(transaction, env, sender, keccak256)
    const offersNothing = transaction.maxFeePerGas === 0n && transaction.maxPriorityFeePerGas === 0n
    // Blobs are paid for at a base fee of 0 only: the engine checks both prices or none.
    const paysBlobs = transaction.maxFeePerBlobGas > 0n && env.baseFee === 0n
    // Since EIP-7708 transfers have logs of their own.
    const log = new SimulatedLogs(traceTransfers && this.#accesses === undefined, this.#nextLog)
    const input = simulatedInput(call, transaction, env, validation)
    const running = engine.transact(input, {
      // The sender may have code. `checkNonce` has checked the nonce.
      leniency: {
        skipSenderChecks: true,
        skipFees: !validation && offersNothing && !paysBlobs,
        capExecution: validation,
      },
      trace: log,
    })
    const outcome = await runUntil(running, view, signal, undefined, turn)
    if (outcome.kind === 'rejected') {
      throw rejectedSimulatedCall(outcome.code, transaction, env, sender, keccak256)
    }
    this.#gasUsed += outcome.gasUsed
    this.#blockGas.add(outcome)
    this.#nextLog = log.nextIndex
    run.gasLeft -= outcome.gasUsed
    this.#settle(this.#transactions.length + 1)
    const receipt = makeReceipt(transaction, outcome, this.#gasUsed, env, keccak256)
    // EIP-658
    const hasStatus = atLeast(env.revision, 'Byzantium')
    this.#receipts.push(hasStatus ? receipt : { ...receipt, stateRoot: state.root() })
    this.#transactions.push(transaction)
    const maxUsedGas = peakGas(transaction, env, log.gasUsed, outcome)
    simulation.reserve(outcome.output.length)
    this.#outcomes.push({ outcome, logs: log.logs, maxUsedGas, isCapped: gas < asked })
  }

  /** Credits withdrawals and rewards, and seals the header. */
  close(withdrawals: readonly Withdrawal[]): SimulatedBlock {
    const { rules, hasher, engine, state } = this.#run
    const transactions = this.#transactions
    const receipts = this.#receipts
    const outcomes = this.#outcomes
    const logs = outcomes.flatMap((call) => call.logs.map(({ log }) => log))
    const accesses = this.#accesses
    const listing = accesses && { accesses, index: transactions.length + 1 }
    const requestsHash = rules.close(engine, state, this.#draft, withdrawals, logs, listing)
    const raws = transactions.map(({ raw }) => raw)
    const body = bodyOf(this.#draft, withdrawals)
    const results = {
      stateRoot: state.root(),
      transactionsRoot: listRoot(hasher, raws),
      receiptsRoot: listRoot(hasher, receipts.map(encodeReceipt)),
      logsBloom: uniteBlooms(receipts.map(({ logsBloom }) => logsBloom)),
      gasUsed: this.#blockGas.used,
      blobGasUsed: receipts.reduce((sum, { blobGas }) => sum + (blobGas?.used ?? 0n), 0n),
      requestsHash,
      blockAccessListHash: accesses && this.#keccak256(encodeBlockAccessList(accesses.build())),
    }
    const toEthereum = (one: BlockHeader) => rules.ethereumHeader(one)
    const header = sealDraft(this.#draft, results, raws, body, toEthereum, this.#keccak256)
    const block: Block = {
      header,
      transactions: raws,
      ...(body !== undefined && { ethereum: body }),
    }
    return { block, transactions, outcomes }
  }

  /** Applies the engine's changes, so that the state can be read between two calls. `count` have been executed. */
  #settle(count: number): void {
    const { engine, state } = this.#run
    this.#accesses?.add(engine.accessList())
    state.apply(engine.diff())
    engine.beginBlock({ ...this.#env, accessIndex: count })
  }
}

/** `Math.min` does not accept bigints. */
function leastOf(a: bigint, b: bigint): bigint {
  if (a < b) return a
  return b
}

function peakGas(
  transaction: Transaction,
  { revision }: BlockEnv,
  codeGas: bigint,
  { gasUsed, gasRefunded, blockGas, stateGas }: Executed,
): bigint {
  if (atLeast(revision, 'Amsterdam')) {
    if (gasUsed > floorDataGas(transaction, revision)) return gasUsed + gasRefunded
    return blockGas > gasUsed ? blockGas + stateGas : gasUsed
  }
  const used = intrinsicGas(transaction, revision) + codeGas
  const floor = atLeast(revision, 'Prague') ? floorDataGas(transaction, revision) : 0n
  return used > floor ? used : floor
}
