import { LockstepError } from '../../../base/error.ts'
import { formatQuantity, type Hex } from '../../../base/hex.ts'
import { given, loose } from '../../../client/remote-node/answer-member.ts'
import type { NodeClient } from '../../../client/remote-node/node-client.ts'
import { isMissingMethod, nodeCallError } from '../../../client/remote-node/rpc-answer.ts'
import {
  type AccountRow,
  type BlockRow,
  type BlockView,
  blockRow,
  blockView,
  receiptRow,
  type TransactionView,
  transactionRow,
} from './block-rows.ts'

/** Maximum blocks of a list: each is a call. */
const MOST_ROWS = 100

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

function lower(hex: Hex): Hex {
  return hex.toLowerCase() as Hex
}
