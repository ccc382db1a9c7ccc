import { setTimeout as delay } from 'node:timers/promises'
import { type HDAccount, keccak256 } from 'viem'
import type { Hex } from '../../../host/base/hex.ts'
import { devAccount, signDynamicFee } from '../../support/node/dev-wallet.ts'
import { call, post } from '../../support/node/json-rpc.ts'
import { minedReceipt } from '../../support/node/progress.ts'
import type { NetworkNode } from './network-node.ts'

/** Maximum number of pending transactions of a sender. */
const MOST_WAITING = 8

/** Pause before a node that does not respond, or whose pool is full, gets the request again. */
const RETRY_MS = 50

/** Errors for a transaction that the node has accepted before, without the response arriving. */
const KNOWN = ['already known', 'nonce too low']

export interface TrafficOptions {
  /** Each has its own account that sends to it. */
  readonly nodes: readonly NetworkNode[]
  /** Index of the dev account of the first node. */
  readonly firstAccount?: number
}

/** Sends transfers to the nodes of a network, regardless of their failures. */
export class Traffic {
  readonly #acknowledged = new Set<Hex>()
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>[]
  #failure: unknown

  constructor({ nodes, firstAccount = 0 }: TrafficOptions) {
    this.#running = nodes.map((node, i) => this.#send(node, devAccount(firstAccount + i)))
  }

  /** Number of acknowledged transactions. */
  get count(): number {
    return this.#acknowledged.size
  }

  /**
   * Stops sending. Returns the acknowledged transactions. @throws the error of a node that refused a valid
   * transaction
   */
  async stop(): Promise<readonly Hex[]> {
    this.#stopping.abort()
    await Promise.all(this.#running)
    if (this.#failure !== undefined) throw this.#failure
    return [...this.#acknowledged]
  }

  async #send(node: NetworkNode, account: HDAccount): Promise<void> {
    try {
      for (let nonce = 0; !this.#stopping.signal.aborted; nonce++) {
        if (!(await this.#hasRoom(node, account, nonce))) return
        await this.#insist(node, await sign(account, nonce))
      }
    } catch (thrown) {
      this.#failure ??= thrown
    }
  }

  /** Waits until the account has few pending transactions. Returns false if the sending stops before. */
  async #hasRoom(node: NetworkNode, { address }: HDAccount, nonce: number): Promise<boolean> {
    if (nonce % MOST_WAITING !== 0) return true
    while (!this.#stopping.signal.aborted) {
      const count = await call<Hex>(node.rpc, 'eth_getTransactionCount', [address, 'latest']).catch(
        () => undefined,
      )
      if (count !== undefined && nonce - Number(count) < MOST_WAITING) return true
      await delay(RETRY_MS)
    }
    return false
  }

  /** Sends the transaction until the node acknowledges it. */
  async #insist(node: NetworkNode, { raw, hash }: { raw: Hex; hash: Hex }): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const answer = await post(node.rpc, 'eth_sendRawTransaction', [raw]).catch(() => undefined)
      const message = answer?.error?.message
      if (answer !== undefined && message === undefined) {
        this.#acknowledged.add(hash)
        return
      }
      if (message !== undefined && KNOWN.some((text) => message.includes(text))) {
        this.#acknowledged.add(hash)
        return
      }
      if (message !== undefined) throw new Error(`${node.name} refuses ${hash}: ${message}`)
      await delay(RETRY_MS)
    }
  }
}

async function sign(account: HDAccount, nonce: number): Promise<{ raw: Hex; hash: Hex }> {
  const raw = await signDynamicFee(account, { nonce, to: account.address, value: 1n })
  return { raw, hash: keccak256(raw) }
}

/**
 * Waits until every transaction is in a block on each node.
 * @returns the transactions whose receipts differ between nodes, empty if none does
 */
export async function disagreements(
  nodes: readonly NetworkNode[],
  hashes: readonly Hex[],
): Promise<readonly Hex[]> {
  const differing: Hex[] = []
  for (const hash of hashes) {
    const receipts = await Promise.all(nodes.map(({ rpc }) => minedReceipt(rpc, hash)))
    const [first, ...others] = receipts.map((receipt) => JSON.stringify(receipt))
    if (others.some((receipt) => receipt !== first)) differing.push(hash)
  }
  return differing
}
