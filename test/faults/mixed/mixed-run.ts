import { setTimeout as delay } from 'node:timers/promises'
import { type Hex, keccak256 } from 'viem'
import { post, type RpcAnswer } from '../../support/node/json-rpc.ts'
import { KillPoint, type Phase } from './kill-point.ts'
import type { MixedNode } from './mixed-node.ts'

/** Pause before a request is sent again that met a process which is being started. */
const RETRY_MS = 10

/** Code of a call that a busy machine has not answered in time. */
const TIMED_OUT = -32002

/** An answer over HTTP, read whole. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** What the clients of a node share: how they ask, when something is killed, and what must not be. */
export class MixedRun {
  readonly node: MixedNode
  readonly random: () => number
  readonly point = new KillPoint()
  /** Transactions that the node has acknowledged. */
  readonly acknowledged = new Set<Hex>()
  /** What must not be, in words. */
  readonly faults: string[] = []
  isOver = false

  constructor(node: MixedNode, random: () => number) {
    this.node = node
    this.random = random
  }

  below(limit: number): number {
    return Math.floor(this.random() * limit)
  }

  /** True while clients begin something new. */
  get goesOn(): boolean {
    return !this.isOver && this.faults.length === 0
  }

  /** One JSON-RPC call; undefined if the node was killed before it answered. */
  async ask(
    method: string,
    params: unknown[],
    phase: Phase = 'answer',
  ): Promise<RpcAnswer | undefined> {
    const { ready } = await this.node.running()
    return this.#reach(post(ready.rpc, method, params), phase)
  }

  /** The result of a call that is sent again until the node answers. @throws Error if it answers an error */
  async result<Result>(method: string, params: unknown[], phase?: Phase): Promise<Result> {
    for (;;) {
      const answer = await this.ask(method, params, phase)
      if (answer === undefined) continue
      if (answer.error === undefined) return answer.result as Result
      throw new Error(`${method}: ${answer.error.message} (${answer.error.code})`)
    }
  }

  /** One request to the gate or the wallets; undefined if the process was killed before it answered. */
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

  /** Sends signed bytes until the node has acknowledged them. */
  async submit(raw: Hex): Promise<Hex> {
    const hash = keccak256(raw)
    for (;;) {
      const answer = await this.ask('eth_sendRawTransaction', [raw], 'transaction sent')
      if (answer === undefined) continue
      const { error, result } = answer
      // It has not been taken, as far as is known.
      if (error?.code === TIMED_OUT) continue
      // What was taken before a kill, without an answer, is in the pool or in a block.
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

  /** Waits a moment: what was killed is started again, and others are to have their share of the machine. */
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
