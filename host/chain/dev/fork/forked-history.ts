import { LockstepError } from '../../../base/error.ts'
import { formatData, formatQuantity } from '../../../base/hex.ts'
import { given } from '../../../client/remote-node/answer-member.ts'
import type { NodeClient } from '../../../client/remote-node/node-client.ts'
import type { FoundLog, LogFilter } from '../../../evm/chain-types/log-filter.ts'
import type { JsonMember } from '../../../evm/trace/bundle/bundle-json.ts'

/**
 * Blocks of another chain up to the fork block, served by its node. Every method throws UPSTREAM_REFUSED with the
 * node's code and message if the node returns an error, NODE_UNREACHABLE, REQUEST_TIMEOUT or PEER_INVALID.
 */
export class ForkedHistory {
  /** Number of the fork block. */
  readonly number: number
  /** First block stored with all its content: the fork block, or the one after it. */
  readonly first: number
  readonly #client: NodeClient

  constructor(client: NodeClient, number: number, isWhole: boolean) {
    this.#client = client
    this.number = number
    this.first = isWhole ? number : number + 1
  }

  /** Returns the unchanged result of a call. */
  async ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const [answer] = await this.#client.askAll([{ method, params }])
    if (answer === undefined || !('error' in answer)) return answer?.result
    const { code, message, data } = answer.error
    throw new LockstepError('UPSTREAM_REFUSED', message, {
      data: { code, ...(data !== undefined && { data }) },
      hint: `${this.#client.name} answers for the blocks before ${this.first}`,
    })
  }

  /** Returns the height of a block up to the fork block; undefined if the node does not have it, or it is later. */
  heightOf(blockHash: Uint8Array): Promise<number | undefined> {
    return this.#heightAt('eth_getBlockByHash', [formatData(blockHash), false], 'number')
  }

  /** Returns the height of a transaction, like `heightOf`. */
  heightOfTransaction(hash: Uint8Array): Promise<number | undefined> {
    return this.#heightAt('eth_getTransactionByHash', [formatData(hash)], 'blockNumber')
  }

  /** Returns the logs of a filter at heights `from` to `to`. */
  async logs({ addresses, topics }: LogFilter, from: number, to: number): Promise<FoundLog[]> {
    const method = 'eth_getLogs'
    const query = {
      fromBlock: formatQuantity(from),
      toBlock: formatQuantity(to),
      ...(addresses.length > 0 && { address: addresses.map(formatData) }),
      topics: topics.map((some) => (some.length === 0 ? null : some.map(formatData))),
    }
    const logs = await this.ask(method, [query])
    const found = this.#client.decode(method, logs, (list) => list.items().map(foundLog))
    if (found.some(({ place }) => place.header.number < from || place.header.number > to)) {
      throw this.#client.invalid(method, `a log is not of blocks ${from} to ${to}`)
    }
    return found
  }

  async #heightAt(
    method: string,
    params: readonly unknown[],
    member: string,
  ): Promise<number | undefined> {
    const answer = await this.ask(method, params)
    const height = this.#client.decode(method, answer, (one) =>
      given(one, (record) => given(record.at(member), (number) => number.integer())),
    )
    return height === undefined || height > this.number ? undefined : height
  }
}

function foundLog(log: JsonMember): FoundLog {
  return {
    log: {
      address: log.at('address').data(20),
      topics: log
        .at('topics')
        .items()
        .map((topic) => topic.data(32)),
      data: log.at('data').data(),
    },
    place: {
      header: {
        number: log.at('blockNumber').integer(),
        hash: log.at('blockHash').data(32),
        timestamp: given(log.at('blockTimestamp'), (time) => time.integer()) ?? 0,
      },
      transactionHash: log.at('transactionHash').data(32),
      transactionIndex: log.at('transactionIndex').integer(),
      logIndex: log.at('logIndex').integer(),
    },
  }
}
