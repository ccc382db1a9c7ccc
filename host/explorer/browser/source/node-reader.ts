import { LockstepError } from '../../../base/error.ts'
import { formatData, formatQuantity, type Hex } from '../../../base/hex.ts'
import { given, loose } from '../../../client/remote-node/answer-member.ts'
import type { NodeClient } from '../../../client/remote-node/node-client.ts'
import { isMissingMethod, nodeCallError } from '../../../client/remote-node/rpc-answer.ts'
import type { JsonMember } from '../../../evm/trace/bundle/bundle-json.ts'
import {
  type AccountRow,
  type BlockRow,
  type BlockView,
  blockRow,
  blockView,
  type MinedRow,
  minedRows,
  receiptRow,
  searchedRows,
  type TransactionView,
  transactionRow,
} from './block-rows.ts'

/** Maximum blocks of a list: each is a call. */
const MOST_ROWS = 100

/** Blocks of a fee history: more are refused by every node. */
const WINDOW = 1_024

const NO_ANSWER = { code: -32603, message: 'no answer', isBusy: false }

/** Numbers of blocks with transactions, latest first, and the lowest block that was looked at. */
export interface FilledBlocks {
  readonly numbers: readonly number[]
  readonly from: number
}

/** A page of an address's transactions, or why the node has no index of them. */
export type SearchedTransactions =
  | { readonly kind: 'page'; readonly rows: readonly MinedRow[]; readonly isLast: boolean }
  | { readonly kind: 'no index'; readonly why: string }

/** The transaction that created a contract, and its creator. */
export interface ContractOrigin {
  readonly hash: Hex
  readonly creator: Hex
}

/** The object that a search text names. */
export type Found =
  | { readonly kind: 'transaction'; readonly hash: Hex }
  | { readonly kind: 'block'; readonly number: number }
  | { readonly kind: 'address'; readonly address: Hex }

/**
 * Reads an Ethereum node for pages. Every method throws NODE_UNREACHABLE, REQUEST_TIMEOUT, RESPONSE_TOO_LARGE;
 * PEER_INVALID if a response is malformed; METHOD_NOT_FOUND or NOT_FOUND if the node answers with an error.
 */
export class NodeReader {
  readonly #client: NodeClient

  constructor(client: NodeClient) {
    this.#client = client
  }

  /** The node without its API keys, for messages and titles. */
  get name(): string {
    return this.#client.name
  }

  chainId(): Promise<bigint> {
    return this.#client.read('eth_chainId', [], (id) => id.quantity(256))
  }

  /** Number of the last block. */
  height(): Promise<number> {
    return this.#client.read('eth_blockNumber', [], (number) => number.integer())
  }

  /** Returns the last blocks up to `last`, latest first. */
  async recentBlocks(count: number, last?: number): Promise<readonly BlockRow[]> {
    const newest = last ?? (await this.height())
    const wanted = Math.max(0, Math.min(count, MOST_ROWS, newest + 1))
    const calls = Array.from({ length: wanted }, (_, i) => ({
      method: 'eth_getBlockByNumber',
      params: [formatQuantity(newest - i), false],
    }))
    const rows: BlockRow[] = []
    for (const [i, answer] of (await this.#client.askAll(calls)).entries()) {
      const { method } = calls[i] as (typeof calls)[number]
      if ('error' in answer) throw nodeCallError(this.name, method, answer.error)
      const row = this.#client.decode(method, answer.result, (block) => given(block, blockRow))
      if (row === undefined) continue
      if (row.number !== newest - i) {
        throw this.#client.invalid(method, `block ${row.number} for block ${newest - i}`)
      }
      rows.push(row)
    }
    return rows
  }

  /** Returns a block with its transactions, by number or hash; undefined if the node has none. */
  async block(id: number | Hex): Promise<BlockView | undefined> {
    const method = typeof id === 'number' ? 'eth_getBlockByNumber' : 'eth_getBlockByHash'
    const param = typeof id === 'number' ? formatQuantity(id) : id
    const view = await this.#client.read(method, [param, true], (block) => given(block, blockView))
    const isOther = typeof id === 'number' ? view?.number !== id : view?.hash !== lower(id)
    if (view !== undefined && isOther) throw this.#client.invalid(method, 'another block came')
    return view
  }

  /**
   * Returns the numbers of blocks with transactions among some windows of 1,024 blocks: those that end at `last` and
   * before it, latest first. `from` is the lowest block that was looked at.
   */
  async filledBlocks(last: number, windows: number): Promise<FilledBlocks> {
    const ends = Array.from({ length: windows }, (_, i) => last - i * WINDOW).filter(
      (end) => end >= 0,
    )
    const method = 'eth_feeHistory'
    const answers = await this.#client.askAll(
      ends.map((end) => {
        const count = Math.min(WINDOW, end + 1)
        return { method, params: [formatQuantity(count), formatQuantity(end), []] }
      }),
    )
    const numbers: number[] = []
    let from = last + 1
    for (const [i, answer] of answers.entries()) {
      // A node without the method, or with a lower limit: look at the blocks themselves.
      if ('error' in answer) return i === 0 ? this.#filledAmongLast(last) : { numbers, from }
      const history = this.#client.decode(method, answer.result, feeHistory)
      const end = ends[i] as number
      if (history.oldest > end || history.oldest + history.ratios.length <= end) {
        throw this.#client.invalid(method, `a history from block ${history.oldest} for ${end}`)
      }
      for (let number = end; number >= history.oldest; number--) {
        if (history.ratios[number - history.oldest] !== 0) numbers.push(number)
      }
      from = history.oldest
      // A shorter history than asked: the rest is asked for next time.
      if (from > Math.max(0, end - WINDOW + 1)) break
    }
    return { numbers, from }
  }

  async #filledAmongLast(last: number): Promise<FilledBlocks> {
    const rows = await this.recentBlocks(MOST_ROWS, last)
    const numbers = rows.filter((row) => row.transactionCount > 0).map(({ number }) => number)
    return { numbers, from: rows.at(-1)?.number ?? 0 }
  }

  /** Returns the transactions of blocks with their receipts, in the order of the blocks, last first in each. */
  async minedTransactions(blocks: readonly number[]): Promise<readonly (readonly MinedRow[])[]> {
    const methods = ['eth_getBlockByNumber', 'eth_getBlockReceipts'] as const
    const answers = await this.#client.askAll(
      blocks.flatMap((number) => [
        { method: methods[0], params: [formatQuantity(number), true] },
        { method: methods[1], params: [formatQuantity(number)] },
      ]),
    )
    return blocks.map((_, i) => {
      const [block, receipts] = [answers[2 * i], answers[2 * i + 1]]
      if (block === undefined || 'error' in block) {
        throw nodeCallError(this.name, methods[0], block?.error ?? NO_ANSWER)
      }
      // Some nodes lack the second method; the list then has no outcomes.
      const all = receipts !== undefined && 'result' in receipts ? receipts.result : undefined
      return this.#client.decode(methods[1], [block.result, all], (both) => {
        const [mined, outcomes] = both.items() as [JsonMember, JsonMember]
        return given(mined, (one) => minedRows(one, outcomes)) ?? []
      })
    })
  }

  /** Returns a page of an address's transactions from the node's index; a reason if it has none. */
  async searchedTransactions(
    address: Hex,
    before: number,
    count: number,
  ): Promise<SearchedTransactions> {
    const method = 'ots_searchTransactionsBefore'
    const [answer] = await this.#client.askAll([{ method, params: [address, before, count] }])
    if (answer === undefined || 'result' in answer) {
      const page = this.#client.decode(method, answer?.result, searchedRows)
      return { kind: 'page', ...page }
    }
    const { error } = answer
    if (isMissingMethod(error)) return { kind: 'no index', why: 'it lacks the method' }
    const isOff = /address index is off/.test(error.message)
    if (isOff) return { kind: 'no index', why: error.message }
    throw nodeCallError(this.name, method, error)
  }

  /** Returns the creation of a contract from the node's index; undefined if it is unknown. */
  async contractCreator(address: Hex): Promise<ContractOrigin | undefined> {
    const method = 'ots_getContractCreator'
    const found = await this.#client.askOptional(method, [address])
    return this.#client.decode(method, found, (one) =>
      given(one, (creation) => ({
        hash: formatData(creation.at('hash').data(32)),
        creator: formatData(creation.at('creator').data(20)),
      })),
    )
  }

  /** Returns a transaction with its receipt; undefined if the node has none. */
  async transaction(hash: Hex): Promise<TransactionView | undefined> {
    const method = 'eth_getTransactionByHash'
    const row = await this.#client.read(method, [hash], (one) => given(one, transactionRow))
    if (row === undefined) return undefined
    if (row.hash !== lower(hash)) throw this.#client.invalid(method, 'another transaction came')
    const receipt = await this.#client.read('eth_getTransactionReceipt', [hash], (one) =>
      given(one, receiptRow),
    )
    return { ...row, receipt }
  }

  /** Returns an account at the last block. */
  async account(address: Hex): Promise<AccountRow> {
    const params = [address, 'latest']
    const [balance, nonce, code] = await Promise.all([
      this.#client.read('eth_getBalance', params, (value) => loose(value, 256)),
      this.#client.read('eth_getTransactionCount', params, (value) => loose(value, 64)),
      this.#client.read('eth_getCode', params, (value) => {
        value.data()
        return lower(value.text() as Hex)
      }),
    ])
    return { address, balance, nonce, code }
  }

  /**
   * Returns what a text names: a transaction or block by hash, a block by number, an address.
   * @throws INVALID_ARGUMENT for any other text, NOT_FOUND if the node does not have it
   */
  async search(text: string): Promise<Found> {
    const word = text.trim()
    if (/^0x[0-9a-f]{40}$/i.test(word)) return { kind: 'address', address: lower(word as Hex) }
    if (/^0x[0-9a-f]{64}$/i.test(word)) return this.#searchHash(lower(word as Hex))
    const number = /^(\d{1,3}([ ,._']\d{3})+|\d+|0x[0-9a-f]{1,13})$/i.test(word)
      ? Number(word.replaceAll(/[ ,._']/g, ''))
      : Number.NaN
    if (!Number.isSafeInteger(number)) {
      const shown = word.length > 80 ? `${word.slice(0, 80)}...` : word
      throw new LockstepError(
        'INVALID_ARGUMENT',
        `"${shown}" is not a hash, address or block number`,
        {
          hint: 'a hash is 0x and 64 hex digits, an address 0x and 40, a block a number',
        },
      )
    }
    const height = await this.height()
    if (number <= height) return { kind: 'block', number }
    throw new LockstepError(
      'NOT_FOUND',
      `${this.name} has no block ${number}: its last is ${height}`,
    )
  }

  async #searchHash(hash: Hex): Promise<Found> {
    const methods = ['eth_getTransactionByHash', 'eth_getBlockByHash'] as const
    const [transaction, block] = await this.#client.askAll([
      { method: methods[0], params: [hash] },
      { method: methods[1], params: [hash, false] },
    ])
    for (const [i, answer] of [transaction, block].entries()) {
      const method = methods[i] as string
      if (answer === undefined) continue
      if ('error' in answer) {
        if (isMissingMethod(answer.error)) continue
        throw nodeCallError(this.name, method, answer.error)
      }
      if (i === 0 && answer.result !== null) return { kind: 'transaction', hash }
      const row = this.#client.decode(method, answer.result, (one) =>
        i === 0 ? undefined : given(one, blockRow),
      )
      if (row !== undefined) return { kind: 'block', number: row.number }
    }
    throw new LockstepError(
      'NOT_FOUND',
      `${this.name} has no transaction and no block with hash ${hash}`,
      { hint: 'check the hash, and that the node serves its chain' },
    )
  }
}

function feeHistory(history: JsonMember): { oldest: number; ratios: readonly number[] } {
  const ratios = history
    .at('gasUsedRatio')
    .items()
    .map((ratio) => {
      if (typeof ratio.value !== 'number') throw ratio.wants('a number')
      return ratio.value
    })
  return { oldest: history.at('oldestBlock').integer(), ratios }
}

function lower(hex: Hex): Hex {
  return hex.toLowerCase() as Hex
}
