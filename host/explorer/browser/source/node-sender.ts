import { formatData, formatQuantity, type Hex } from '../../../base/hex.ts'
import { neverAborted } from '../../../base/signal.ts'
import { pause } from '../../../base/timer.ts'
import { given } from '../../../client/remote-node/answer-member.ts'
import { NodeClient } from '../../../client/remote-node/node-client.ts'

/** A transaction without what its signer fills in. */
export interface OutgoingTransaction {
  readonly from: Hex
  /** Undefined for a contract creation. */
  readonly to: Hex | undefined
  readonly data: Hex
  readonly value: bigint
  /** Estimated by the signer if undefined. */
  readonly gas: bigint | undefined
}

/** Returns the params of eth_sendTransaction, for a node or a wallet. */
export function sendParams({ from, to, data, value, gas }: OutgoingTransaction): readonly object[] {
  return [
    {
      from,
      ...(to !== undefined && { to }),
      data,
      value: formatQuantity(value),
      ...(gas !== undefined && { gas: formatQuantity(gas) }),
    },
  ]
}

const BETWEEN_LOOKS_MS = 300

/** Sends transactions of accounts that a node signs for, and awaits any transaction. */
export class NodeSender {
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  /** Returns the accounts that the node signs for; none if it has no keys. */
  async accounts(): Promise<readonly Hex[]> {
    const client = new NodeClient(this.#url)
    const method = 'eth_accounts'
    const answer = await client.askOptional(method)
    return client.decode(method, answer ?? [], (list) =>
      list.items().map((item) => formatData(item.data(20))),
    )
  }

  /** Sends a transaction once: a retry could send it twice. Returns its hash. @throws as `NodeClient.ask` */
  send(transaction: OutgoingTransaction): Promise<Hex> {
    const client = new NodeClient(this.#url, { retries: 0 })
    const params = sendParams(transaction)
    return client.read('eth_sendTransaction', params, (hash) => formatData(hash.data(32)))
  }

  /** Resolves once a transaction is in a block. @throws the signal's reason, errors of asking the node */
  async mined(hash: Hex, signal: AbortSignal = neverAborted()): Promise<void> {
    const client = new NodeClient(this.#url, { signal })
    for (;;) {
      const block = await client.read('eth_getTransactionReceipt', [hash], (one) =>
        given(one, (receipt) => receipt.at('blockNumber').integer()),
      )
      if (block !== undefined) return
      await pause(BETWEEN_LOOKS_MS, signal)
    }
  }
}
