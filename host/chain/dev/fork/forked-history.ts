import { LockstepError } from '../../../base/error.ts'
import { formatData, formatQuantity } from '../../../base/hex.ts'
import { given } from '../../../client/remote-node/answer-member.ts'
import type { NodeClient } from '../../../client/remote-node/node-client.ts'
import type { FoundLog, LogFilter } from '../../../evm/chain-types/log-filter.ts'
import type { JsonMember } from '../../../evm/trace/bundle/bundle-json.ts'

/**
 * The blocks of another chain up to the one that is forked, as its node tells of them. Every method throws
 * UPSTREAM_REFUSED with the node's code and words where it refuses, NODE_UNREACHABLE, REQUEST_TIMEOUT, PEER_INVALID.
 */
export class ForkedHistory {
  /** The forked block. */
  readonly number: number
  /** The first block that is here with all that it holds: the forked one, or the one after it. */
  readonly first: number
  readonly #client: NodeClient

  constructor(client: NodeClient, number: number, isWhole: boolean) {
    this.#client = client
    this.number = number
    this.first = isWhole ? number : number + 1
  }

  /** The result of a call, as it came. */
  async ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const [answer] = await this.#client.askAll([{ method, params }])
    if (answer === undefined || !('error' in answer)) return answer?.result
    const { code, message, data } = answer.error
    throw new LockstepError('UPSTREAM_REFUSED', message, {
      data: { code, ...(data !== undefined && { data }) },
      hint: `${this.#client.name} answers for the blocks before ${this.first}`,
    })
  }

  /** Height of a block that is forked with the others; undefined for one that the node does not have, or that came later. */
  heightOf(blockHash: Uint8Array): Promise<number | undefined> {
    return this.#heightAt('eth_getBlockByHash', [formatData(blockHash), false], 'number')
  }

  /** Height of a transaction, as `heightOf` has it of a block. */
  heightOfTransaction(hash: Uint8Array): Promise<number | undefined> {
    return this.#heightAt('eth_getTransactionByHash', [formatData(hash)], 'blockNumber')
  }

  /** The logs of a filter from one height to another. */
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
      throw this.#client.invalid(method, `a log of another block than ${from} to ${to}`)
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
