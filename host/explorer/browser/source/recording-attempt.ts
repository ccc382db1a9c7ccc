import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import type { FoundRules } from '../../../client/remote-node/block-rules.ts'
import {
  type DecodeContext,
  type MinedTransaction,
  receiptsOf,
  signedTransactions,
} from '../../../client/remote-node/mined-transaction.ts'
import { NodeStateView } from '../../../client/remote-node/remote-state.ts'
import type { Receipt } from '../../../evm/chain-types/receipt.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { BlockEnv } from '../../../evm/engine/message.ts'
import {
  BEACON_ROOTS,
  BLOCK_HASH_CONTRACT,
  callsAtStart,
} from '../../../evm/execute/ethereum/block-env.ts'
import { BLOCK_START } from '../../../evm/execute/replay/replay-plan.ts'
import type { Bundle } from '../../../evm/trace/bundle/bundle.ts'
import type { NodeBundleOptions } from './node-bundle.ts'
import { Prestate } from './prestate.ts'
import { type RunEngine, recordRun } from './recorded-run.ts'

/** Tries one way after another to record a mined transaction. */
export class RecordingAttempt {
  readonly rules: FoundRules
  readonly #context: DecodeContext
  readonly #mined: MinedTransaction
  readonly #env: BlockEnv
  readonly #place: RunEngine
  readonly #parent: NodeStateView

  constructor(
    context: DecodeContext,
    mined: MinedTransaction,
    rules: FoundRules,
    env: BlockEnv,
    place: RunEngine,
    { maxReads }: NodeBundleOptions,
  ) {
    this.rules = rules
    this.#context = context
    this.#mined = mined
    this.#env = env
    this.#place = place
    const { client, recovery } = context
    this.#parent = new NodeStateView({
      client,
      height: env.number - 1,
      keccak256: (bytes) => recovery.keccak256(bytes),
      ...(maxReads !== undefined && { maxReads }),
    })
    this.#parent.reads.blockHashes.set(env.number - 1, mined.block.header.parentHash)
  }

  async byPrestate(): Promise<Bundle> {
    const { client, recovery, note } = this.#context
    const { index, receipt, block } = this.#mined
    const transactions = await this.#transactions(index)
    const { accessList, authorizations } = transactions[0] as Transaction
    const state = await Prestate.ask({
      client,
      hash: formatData(receipt.receipt.transactionHash),
      keccak256: (bytes) => recovery.keccak256(bytes),
      parent: this.#parent,
      isFirst: index === 0,
      accessList,
      delegates: authorizations.map(({ address }) => address),
      systemContracts: [BEACON_ROOTS, BLOCK_HASH_CONTRACT],
      note,
    })
    if (state === undefined) {
      throw new LockstepError(
        'METHOD_NOT_FOUND',
        `${client.name} does not serve debug_traceTransaction with prestateTracer for it`,
      )
    }
    const { cumulativeGasUsed, gasUsed } = receipt.receipt
    return recordRun(this.#place, {
      env: this.#env,
      blockHash: block.hash,
      systemCalls: [],
      isDao: false,
      transactions,
      receipts: [receipt.receipt],
      first: {
        index,
        logIndex: receipt.logIndex ?? (await this.#logsBefore()),
        cumulativeGasUsed: cumulativeGasUsed - gasUsed,
      },
      state,
    })
  }

  async byReads(): Promise<Bundle> {
    const { block, index } = this.#mined
    const receipts = await this.#receipts()
    return recordRun(this.#place, {
      env: this.#env,
      blockHash: block.hash,
      systemCalls: callsAtStart(block.header, this.rules.revision),
      isDao: this.rules.sinceDao === 0n,
      transactions: await this.#transactions(0),
      receipts: receipts.slice(0, index + 1),
      first: BLOCK_START,
      state: this.#parent,
    })
  }

  #transactions(from: number) {
    const { index } = this.#mined
    return signedTransactions(this.#context, this.#mined, this.rules.revision, from, index + 1)
  }

  async #receipts(): Promise<readonly Receipt[]> {
    const { index } = this.#mined
    const described = await receiptsOf(this.#context, this.#mined, index + 1)
    return described.map(({ receipt }) => receipt)
  }

  async #logsBefore(): Promise<number> {
    if (this.#mined.index === 0) return 0
    const receipts = await this.#receipts()
    return receipts.slice(0, -1).reduce((count, { logs }) => count + logs.length, 0)
  }
}
