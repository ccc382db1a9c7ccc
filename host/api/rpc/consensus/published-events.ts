import { LockstepError } from '../../../base/error.ts'
import { formatTime } from '../../../base/time.ts'
import { yieldToEventLoop } from '../../../base/yield-to-event-loop.ts'
import { sha256 } from '../../../chain/consensus/comet/sha256.ts'
import { VOTE_TYPE } from '../../../chain/consensus/comet/vote.ts'
import type { DecidedBlock } from '../../../chain/consensus/embedded/block-store.ts'
import type { EventTags } from '../../../chain/consensus/events/event-query.ts'
import { eventTags } from '../../../chain/consensus/events/event-tags.ts'
import {
  eventsOf,
  type TransactionOutcome,
} from '../../../chain/consensus/events/executed-transaction.ts'
import type { Receipt } from '../../../evm/chain-types/receipt.ts'
import { appHashAfter } from './app-hash.ts'
import type { ConsensusRpcContext } from './context.ts'
import { blockIdJson, blockJson, formatBytes, formatHash, headerJson } from './json.ts'
import { executedJson, executedTransactions } from './transaction-result.ts'

/** Results created per event-loop iteration: a few milliseconds. */
const PAUSE_RESULTS = 256

/** An event for subscribers: its tags, which queries match, and its JSON text, which all subscribers share. */
export class PublishedEvent {
  /** For example `NewBlock`. */
  readonly name: string
  /** For example `tendermint/event/NewBlock`. */
  readonly type: string
  readonly tags: EventTags
  readonly #write: () => string | Promise<string>
  #text: Promise<string> | undefined

  /** @param kind type name of the value, if several events share one */
  constructor(name: string, tags: EventTags, write: () => string | Promise<string>, kind = name) {
    this.name = name
    this.type = `tendermint/event/${kind}`
    this.tags = tags
    this.#write = write
  }

  /** Returns the JSON of `{type, value}`. */
  data(): Promise<string> {
    this.#text ??= this.#make()
    return this.#text
  }

  async #make(): Promise<string> {
    return `{"type":"${this.type}","value":${await this.#write()}}`
  }
}

/** Creates an event that reports the step of a round. */
function roundStateEvent(
  name: string,
  { step, ...at }: { readonly height: string; readonly round: number; readonly step: string },
): PublishedEvent {
  const write = () => JSON.stringify({ ...at, step: `RoundStep${step}` })
  return new PublishedEvent(name, eventTags([], [['tm.event', name]]), write, 'RoundState')
}

/** The events of one block, in CometBFT's publication order, created on demand. */
export class BlockEvents {
  readonly height: number
  readonly #context: ConsensusRpcContext
  readonly #decided: DecidedBlock
  readonly #transactions: readonly TransactionOutcome[]
  readonly #events: PublishedEvent[]
  readonly #nextHeight: PublishedEvent
  /** Cached for all subscribers. */
  readonly #ofTransactions: PublishedEvent[] = []

  /** @throws NOT_FOUND if the block is not available. */
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
    const next = { height: String(height + 1), round: 0, step: 'NewHeight' }
    this.#nextHeight = roundStateEvent('NewRoundStep', next)
  }

  get count(): number {
    return this.#events.length + this.#transactions.length + 1
  }

  /** Returns the event with this index, counted from 0. */
  at(index: number): PublishedEvent | undefined {
    const own = this.#events.length
    if (index < own) return this.#events[index]
    // The event of the next height follows the transactions.
    if (index === this.count - 1) return this.#nextHeight
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
    const { round } = commit
    const event = (name: string, write: () => string | Promise<string>) =>
      new PublishedEvent(name, eventTags([], [['tm.event', name]]), write)
    const value = (name: string, make: () => object) => event(name, () => JSON.stringify(make()))
    const state = (name: string, step: string) => roundStateEvent(name, { height, round, step })
    return [
      value('NewRound', () => ({
        height,
        round,
        step: 'RoundStepNewRound',
        proposer: { address: formatHash(proposerAddress), index: 0 },
      })),
      state('NewRoundStep', 'Propose'),
      value('CompleteProposal', () => ({
        height,
        round,
        step: 'RoundStepPropose',
        block_id: blockIdJson(blockId),
      })),
      state('NewRoundStep', 'Prevote'),
      state('ValidBlock', 'Prevote'),
      state('Polka', 'Prevote'),
      state('Lock', 'Prevote'),
      state('NewRoundStep', 'Precommit'),
      ...commit.signatures.map((vote, index) =>
        value('Vote', () => ({
          Vote: {
            type: VOTE_TYPE.PRECOMMIT,
            height,
            round,
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
      state('NewRoundStep', 'Commit'),
      event('NewBlock', () => this.#newBlock()),
      value('NewBlockHeader', () => ({ header: headerJson(header) })),
      value('NewBlockEvents', () => ({
        height,
        events: [],
        num_txs: String(block.transactions.length),
      })),
    ]
  }

  #ofTransaction(transaction: TransactionOutcome, index: number): PublishedEvent {
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
      if (results.length % PAUSE_RESULTS === 0) await yieldToEventLoop()
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
