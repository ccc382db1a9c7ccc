import type { Hex } from 'viem'
import { devAccount } from '../../test/support/node/dev-wallet.ts'
import {
  firstVersionProof,
  header64,
  type SignedAuthorization,
  secondVersionProof,
} from '../../test/support/payments/hand-made-proof.ts'
import { Payer } from '../../test/support/payments/payer.ts'
import { RpcClient } from '../rpc-client.ts'
import { CHAIN_ID, NETWORK, PAY_TO, PAYERS, PRICE } from './resource.ts'

const BATCH = 100
const POLL_MS = 20

export type Protocol = 'contract' | 'v1' | 'v2'

/** Returns a request as sent over the socket, to the host that challenges name. */
export function requestBytes(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Uint8Array {
  const method = body === undefined ? 'GET' : 'POST'
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const all = { host: `127.0.0.1:${port}`, accept: 'application/json', ...headers, ...length }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`)
}

/** Payments prepared before the clock starts, as far as each protocol lets a payer do that. */
export class PreparedPayments {
  readonly #payers: readonly Payer[]
  readonly #rpc: RpcClient
  readonly #nonces = new Map<Payer, number>()

  constructor(rpc: string, token: Hex) {
    this.#rpc = new RpcClient(rpc, 2)
    this.#payers = PAYERS.map((index) => new Payer(index, rpc, token))
  }

  close(): void {
    this.#rpc.close()
  }

  /** Returns headers with the contract's proofs of transfers that are in blocks. */
  async transfers(count: number): Promise<Record<string, string>[]> {
    const payTo = devAccount(PAY_TO).address
    const signed: { readonly payer: Payer; readonly raw: Hex }[] = []
    for (let i = 0; i < count; i++) {
      const payer = this.#payers[i % this.#payers.length] as Payer
      const nonce = this.#nonces.get(payer) ?? (await payer.nonce)
      this.#nonces.set(payer, nonce + 1)
      const data = payer.transferData(payTo, PRICE)
      signed.push({ payer, raw: await payer.sign(nonce, payer.token, data, CHAIN_ID) })
    }
    const headers: Record<string, string>[] = []
    for (let i = 0; i < count; i += BATCH) {
      const batch = signed.slice(i, i + BATCH)
      const params = batch.map(({ raw }) => [raw])
      const hashes = await this.#rpc.batch('eth_sendRawTransaction', params)
      for (const [at, txHash] of hashes.entries()) {
        const payload = { txHash, amount: String(PRICE), from: batch[at]?.payer.address }
        headers.push({ 'x-payment': header64(firstVersionProof(NETWORK, payload)) })
      }
    }
    await this.#mined()
    return headers
  }

  async #mined(): Promise<void> {
    const isMined = async ([payer, nonce]: [Payer, number]) =>
      Number(await this.#rpc.call('eth_getTransactionCount', payer.address, 'latest')) >= nonce
    for (;;) {
      const all = await Promise.all([...this.#nonces].map(isMined))
      if (all.every((one) => one)) return
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }

  /**
   * Returns headers with signed authorizations that are not settled.
   * @param required header `PAYMENT-REQUIRED` of the challenge, which v2's proofs repeat
   */
  async authorizations(
    version: 'v1' | 'v2',
    count: number,
    required: string,
  ): Promise<Record<string, string>[]> {
    const headers: Record<string, string>[] = []
    for (let i = 0; i < count; i++) {
      const payload = await this.authorization(i)
      headers.push(
        version === 'v1'
          ? { 'x-payment': header64(firstVersionProof(NETWORK, payload)) }
          : { 'payment-signature': header64(secondVersionProof(required, payload)) },
      )
    }
    return headers
  }

  authorization(index: number): Promise<SignedAuthorization> {
    const payer = this.#payers[index % this.#payers.length] as Payer
    const now = BigInt(Math.floor(Date.now() / 1000))
    return payer.authorize({
      to: devAccount(PAY_TO).address,
      value: PRICE,
      validAfter: now - 600n,
      // Longer than the benchmark runs.
      validBefore: now + 3600n,
    })
  }
}
