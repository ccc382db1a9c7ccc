import type { Hex } from 'viem'
import { RECIPIENT } from '../../support/wallet/pipeline-fixture.ts'
import type { HttpAnswer, MixedRun } from './mixed-run.ts'

/** A transaction requested from a wallet with an idempotency key. */
export interface WalletWish {
  /** Its value, which identifies it on the chain. */
  readonly value: number
  readonly wallet: Hex
  /** Id of the acknowledged transaction. */
  readonly id: string
}

/** A wallet of the service. */
export interface HeldWallet {
  readonly id: string
  readonly address: Hex
}

/** Clients of the wallets. Each repeats a request with the same key until it is acknowledged. */
export class WalletWishes {
  readonly wishes: WalletWish[] = []
  readonly #run: MixedRun
  readonly #caip2: string
  #asked = 0

  constructor(run: MixedRun, chainId: number) {
    this.#run = run
    this.#caip2 = `eip155:${chainId}`
  }

  async makeWallet(name: string): Promise<HeldWallet> {
    const answer = await this.#ask('POST', '/v1/wallets', { chain_type: 'ethereum' }, name)
    if (answer.status !== 200) throw new Error(answer.text)
    const { id, address } = JSON.parse(answer.text)
    return { id, address: address.toLowerCase() }
  }

  async send({ id, address }: HeldWallet): Promise<void> {
    while (this.#run.goesOn) {
      const value = ++this.#asked
      const params = { transaction: { to: RECIPIENT, value } }
      const body = { method: 'eth_sendTransaction', caip2: this.#caip2, params }
      const { status, text } = await this.#ask('POST', `/v1/wallets/${id}/rpc`, body, `${value}`)
      if (status !== 200) {
        this.#run.faults.push(`a wallet's transaction ${value} is refused: ${status} ${text}`)
        return
      }
      this.wishes.push({ value, wallet: address, id: JSON.parse(text).data.transaction_id })
    }
  }

  /** Waits until the service reports each transaction as final. */
  async conclude(): Promise<void> {
    for (const { id, value } of this.wishes) {
      for (;;) {
        const { text } = await this.#ask('GET', `/v1/transactions/${id}`)
        const { status } = JSON.parse(text)
        if (status === 'finalized') break
        if (status !== 'pending' && status !== 'broadcasted' && status !== 'confirmed') {
          this.#run.faults.push(`a wallet's transaction ${value} ends as ${text}`)
          break
        }
        await this.#run.pause()
      }
    }
  }

  /** Repeats a request until the service itself responds: it may be killed, or without a signer. */
  async #ask(method: string, path: string, body?: object, key?: string): Promise<HttpAnswer> {
    const { appId, appSecret } = this.#run.node.app
    const headers = {
      'content-type': 'application/json',
      authorization: `Basic ${btoa(`${appId}:${appSecret}`)}`,
      'wallet-app-id': appId,
      ...(key !== undefined && { 'wallet-idempotency-key': key }),
    }
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const phase = method === 'POST' ? 'wallet request sent' : 'answer'
    for (;;) {
      const answer = await this.#run.fetch('wallets', path, init, phase)
      if (answer !== undefined && answer.status < 500) return answer
      await this.#run.pause()
    }
  }
}
