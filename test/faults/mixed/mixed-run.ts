import { setTimeout as delay } from 'node:timers/promises'
import { type Hex, keccak256 } from 'viem'
import { post, type RpcAnswer } from '../../support/node/json-rpc.ts'
import { KillPoint, type Phase } from './kill-point.ts'
import type { MixedNode } from './mixed-node.ts'

/** Pause in milliseconds before a request is repeated while a process restarts. */
const RETRY_MS = 10

/** Error code of a call that timed out on a busy machine. */
const TIMED_OUT = -32002

/** A complete HTTP response. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Shared by the clients of a node: requests, kill points and the faults found. */
export class MixedRun {
  readonly node: MixedNode
  readonly random: () => number
  readonly point = new KillPoint()
  /** Transactions that the node has acknowledged. */
  readonly acknowledged = new Set<Hex>()
  /** Descriptions of broken guarantees. */
  readonly faults: string[] = []
  isOver = false

  constructor(node: MixedNode, random: () => number) {
    this.node = node
    this.random = random
  }

  below(limit: number): number {
    return Math.floor(this.random() * limit)
  }

  /** True while clients may start new requests. */
  get goesOn(): boolean {
    return !this.isOver && this.faults.length === 0
  }

  /** Sends one JSON-RPC call. Returns undefined if the node was killed before it responded. */
  async ask(
    method: string,
    params: unknown[],
    phase: Phase = 'answer',
  ): Promise<RpcAnswer | undefined> {
    const { ready } = await this.node.running()
    return this.#reach(post(ready.rpc, method, params), phase)
  }

  /** Returns the result of a call, repeated until the node responds. @throws Error if the response is an error */
  async result<Result>(method: string, params: unknown[], phase?: Phase): Promise<Result> {
    for (;;) {
      const answer = await this.ask(method, params, phase)
      if (answer === undefined) continue
      if (answer.error === undefined) return answer.result as Result
      throw new Error(`${method}: ${answer.error.message} (${answer.error.code})`)
    }
  }

  /** Sends one request to the gate or the wallets. Returns undefined if the process was killed before it responded. */
  async fetch(
    server: 'payments' | 'wallets',
    path: string,
    init: RequestInit,
    phase: Phase = 'answer',
  ): Promise<HttpAnswer | undefined> {
    const { ready } = await this.node.running()
    const whole = async (): Promise<HttpAnswer> => {
      const response = await fetch(`${ready[server]}${path}`, init)
      const { status, headers } = response
      return { status, headers, text: await response.text() }
    }
    return this.#reach(whole(), phase)
  }

  /** Sends a signed transaction until the node has acknowledged it. */
  async submit(raw: Hex): Promise<Hex> {
    const hash = keccak256(raw)
    for (;;) {
      const answer = await this.ask('eth_sendRawTransaction', [raw], 'transaction sent')
      if (answer === undefined) continue
      const { error, result } = answer
      // Probably not accepted.
      if (error?.code === TIMED_OUT) continue
      // A transaction accepted before a kill, without a response, is in the pool or in a block.
      const isKnown = error !== undefined && /already known|nonce too low/.test(error.message)
      if (isKnown && (await this.result('eth_getTransactionByHash', [hash])) === null) {
        this.faults.push(`${hash} is refused as ${error.message}, and is nowhere`)
      } else if (result !== hash && !isKnown) {
        this.faults.push(`${hash} is answered ${JSON.stringify(answer)}`)
      }
      this.acknowledged.add(hash)
      return hash
    }
  }

  /** Waits a moment for a restart, and for others to use the machine. */
  async pause(ms = RETRY_MS): Promise<void> {
    await delay(ms)
  }

  async #reach<Answer>(asked: Promise<Answer>, phase: Phase): Promise<Answer | undefined> {
    if (phase !== 'answer') setImmediate(() => this.point.note(phase))
    try {
      const answer = await asked
      this.point.note('answer')
      return answer
    } catch (thrown) {
      if (!(thrown instanceof TypeError)) throw thrown
      await this.pause()
      return undefined
    }
  }
}
