import { setTimeout as delay } from 'node:timers/promises'
import { type HDAccount, keccak256 } from 'viem'
import type { Hex } from '../../../host/base/hex.ts'
import { devAccount, signDynamicFee } from '../../support/node/dev-wallet.ts'
import { call, post } from '../../support/node/json-rpc.ts'
import { minedReceipt } from '../../support/node/progress.ts'
import type { NetworkNode } from './network-node.ts'

/** Transactions of a sender that no block has yet. */
const MOST_WAITING = 8

/** Before a node that does not answer, or has no room, is asked again. */
const RETRY_MS = 50

/** A node knows the transaction that it is sent, or has it in a block: it had acknowledged it before it was lost. */
const KNOWN = ['already known', 'nonce too low']

export interface TrafficOptions {
  /** Each has an account of its own that sends to it. */
  readonly nodes: readonly NetworkNode[]
  /** Index of the dev account of the first node. */
  readonly firstAccount?: number
}

/** Transfers that are sent to the nodes of a network, whatever becomes of the nodes meanwhile. */
export class Traffic {
  readonly #acknowledged = new Set<Hex>()
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>[]
  #failure: unknown

  constructor({ nodes, firstAccount = 0 }: TrafficOptions) {
    this.#running = nodes.map((node, i) => this.#send(node, devAccount(firstAccount + i)))
  }

  /** Number of transactions that a node has taken. */
  get count(): number {
    return this.#acknowledged.size
  }

  /** Ends the sending. @throws the refusal of a node, where one refused what it should take */
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

  /** Waits until few transactions of the account wait; false where the sending ends before. */
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

  /** Sends the transaction until the node has taken it. */
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
 * @returns the transactions of which two nodes tell different things; none where nothing diverges
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
