import { setImmediate as nextTurn } from 'node:timers/promises'
import { LockstepError } from '../../base/error.ts'
import { formatTime } from '../../base/time.ts'
import type { Receipt } from '../../chain-types/receipt.ts'
import { sha256 } from '../../consensus/comet/sha256.ts'
import { VOTE_TYPE } from '../../consensus/comet/vote.ts'
import type { DecidedBlock } from '../../consensus/embedded/block-store.ts'
import type { EventTags } from '../../consensus/events/event-query.ts'
import { eventTags } from '../../consensus/events/event-tags.ts'
import { type ExecutedTransaction, eventsOf } from '../../consensus/events/executed-transaction.ts'
import { appHashAfter } from './app-hash.ts'
import type { ConsensusRpcContext } from './context.ts'
import { blockIdJson, blockJson, formatBytes, formatHash, headerJson } from './json.ts'
import { executedJson, executedTransactions } from './transaction-result.ts'

/** Results made between two turns of the event loop: a few milliseconds. */
const PAUSE_RESULTS = 256

/** An event as subscribers get it: its tags, by which it is found, and its text, which all of them share. */
export class PublishedEvent {
  /** Such as `tendermint/event/NewBlock`. */
  readonly type: string
  readonly tags: EventTags
  readonly #write: () => string | Promise<string>
  #text: Promise<string> | undefined

  constructor(name: string, tags: EventTags, write: () => string | Promise<string>) {
    this.type = `tendermint/event/${name}`
    this.tags = tags
    this.#write = write
  }

  /** JSON of `{type, value}`. */
  data(): Promise<string> {
    this.#text ??= this.#make()
    return this.#text
  }

  async #make(): Promise<string> {
    return `{"type":"${this.type}","value":${await this.#write()}}`
  }
}

/** The events of one block, in the order in which CometBFT publishes them, made as they are asked for. */
export class BlockEvents {
  readonly height: number
  readonly #context: ConsensusRpcContext
  readonly #decided: DecidedBlock
  readonly #transactions: readonly ExecutedTransaction[]
  readonly #events: PublishedEvent[]
  /** Made once for all subscribers. */
  readonly #ofTransactions: PublishedEvent[] = []

  /** @throws NOT_FOUND where the block is not kept. */
  constructor(context: ConsensusRpcContext, height: number, receipts?: readonly Receipt[]) {
    const decided = context.blockStore.decided(height)
    if (decided === undefined) {
      throw new LockstepError('NOT_FOUND', `block ${height} is not available`)
    }
    this.height = height
    this.#context = context
    this.#decided = decided
    this.#transactions = executedTransactions(context, height, receipts)
    this.#events = this.#ofBlock()
  }

  get count(): number {
    return this.#events.length + this.#transactions.length
  }

  /** The event of this index, which counts from 0. */
  at(index: number): PublishedEvent | undefined {
    const own = this.#events.length
    if (index < own) return this.#events[index]
    const transaction = this.#transactions[index - own]
    if (transaction === undefined) return undefined
    this.#ofTransactions[index - own] ??= this.#ofTransaction(transaction, index - own)
    return this.#ofTransactions[index - own]
  }

  #ofBlock(): PublishedEvent[] {
    const { block, blockId, commit } = this.#decided
    const { header } = block
    const height = String(header.height)
    const { proposerAddress } = header
    const event = (name: string, write: () => string | Promise<string>) =>
      new PublishedEvent(name, eventTags([], [['tm.event', name]]), write)
    const value = (name: string, make: () => object) => event(name, () => JSON.stringify(make()))
    return [
      value('NewRound', () => ({
        height,
        round: commit.round,
        step: 'RoundStepNewRound',
        proposer: { address: formatHash(proposerAddress), index: 0 },
      })),
      ...commit.signatures.map((vote, index) =>
        value('Vote', () => ({
          Vote: {
            type: VOTE_TYPE.PRECOMMIT,
            height,
            round: commit.round,
            block_id: blockIdJson(blockId),
            timestamp: formatTime(vote.timestamp),
            validator_address: formatHash(vote.validatorAddress),
            validator_index: index,
            signature: formatBytes(vote.signature),
            extension: null,
            extension_signature: null,
          },
        })),
      ),
      event('NewBlock', () => this.#newBlock()),
      value('NewBlockHeader', () => ({ header: headerJson(header) })),
      value('NewBlockEvents', () => ({
        height,
        events: [],
        num_txs: String(block.transactions.length),
      })),
    ]
  }

  #ofTransaction(transaction: ExecutedTransaction, index: number): PublishedEvent {
    const height = String(this.height)
    const events = eventsOf(transaction)
    const tags = eventTags(events, [
      ['tm.event', 'Tx'],
      ['tx.hash', formatHash(sha256(transaction.raw))],
      ['tx.height', height],
    ])
    return new PublishedEvent('Tx', tags, () =>
      JSON.stringify({
        TxResult: {
          height,
          index,
          tx: formatBytes(transaction.raw),
          result: executedJson(transaction, events),
        },
      }),
    )
  }

  async #newBlock(): Promise<string> {
    const { block, blockId } = this.#decided
    const appHash = await appHashAfter(this.#context, this.height)
    const results: object[] = []
    for (const transaction of this.#transactions) {
      results.push(executedJson(transaction))
      if (results.length % PAUSE_RESULTS === 0) await nextTurn()
    }
    return JSON.stringify({
      block: blockJson(block),
      block_id: blockIdJson(blockId),
      result_finalize_block: {
        events: [],
        tx_results: results,
        validator_updates: [],
        app_hash: formatBytes(appHash ?? new Uint8Array(0)),
      },
    })
  }
}
