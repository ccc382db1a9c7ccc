import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../support/until.ts'
import { RECIPIENT } from '../../support/wallet/pipeline-fixture.ts'
import type { WalletChain } from '../../support/wallet/wallet-chain.ts'
import type { SendWish } from './kill-messages.ts'
import { KilledProcess } from './killed-process.ts'

const WALLETS = 4
const CLIENTS = 8
/** Time between blocks. */
const BLOCK_MS = 15
/** Maximum number of responses before a kill, which comes while requests are in flight. */
const ANSWERS = 12
const PAUSE_MS = 15

/** How a client requests: with an idempotency key, with an expiry, or with neither and therefore once. */
export type Asking = 'key' | 'expiry' | 'once'

export interface Wish {
  /** Value of the transaction, which identifies it on the chain. */
  readonly number: number
  readonly asking: Asking
  /** Id of the transaction in the response. */
  acknowledged: string | undefined
  /** True if the response was a refusal, which says that nothing was signed. */
  isRefused: boolean
}

const ASKINGS: readonly Asking[] = ['key', 'expiry', 'once']

/** Clients that send through an API and a signer, one of which is killed repeatedly. */
export class KillRun {
  readonly wishes: Wish[] = []
  readonly wallets: string[] = []
  readonly #chain: WalletChain
  readonly #random: () => number
  readonly #signer: KilledProcess
  readonly #service: KilledProcess
  readonly #timer: NodeJS.Timeout
  #isOver = false
  #answers = 0

  constructor(chain: WalletChain, folder: string, random: () => number) {
    this.#chain = chain
    this.#random = random
    const message = { folder, caip2: chain.caip2, url: chain.url }
    this.#signer = new KilledProcess('signer-main.ts', message)
    this.#service = new KilledProcess('service-main.ts', message)
    chain.mines = false
    this.#timer = setInterval(() => chain.mine(), BLOCK_MS)
  }

  get faults(): readonly string[] {
    return [...this.#signer.faults, ...this.#service.faults]
  }

  /** @param kills number of kills of either process, or of both, at random moments */
  async run(kills: number, webhookUrl: string): Promise<void> {
    await this.#signer.start()
    await this.#service.start()
    await this.#post('/webhooks', { url: webhookUrl })
    for (let i = 0; i < WALLETS; i++) this.wallets.push(await this.#makeWallet(i))
    const clients = Array.from({ length: CLIENTS }, (_, i) => this.#client(i))
    for (let kill = 0; kill < kills; kill++) {
      const enough = this.#answers + Math.floor(this.#random() * ANSWERS)
      await until(() => this.#answers >= enough)
      await wait(this.#random() * PAUSE_MS)
      const which = this.#random()
      if (which < 0.6) await this.#service.kill()
      if (which > 0.4) await this.#signer.kill()
      if (which > 0.4) await this.#signer.start()
      if (which < 0.6) await this.#service.start()
    }
    this.#isOver = true
    await Promise.all(clients)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all([this.#signer.stop(), this.#service.stop()])
  }

  async #makeWallet(number: number): Promise<string> {
    const body = JSON.stringify({ chain_type: 'ethereum' })
    const { text } = await this.#post('/', {
      walletId: '',
      path: '/v1/wallets',
      headers: {},
      body,
      requestId: `make-${number}`,
    })
    return JSON.parse(text).id
  }

  async #client(number: number): Promise<void> {
    const walletId = this.wallets[number % WALLETS] as string
    while (!this.#isOver) {
      const wish: Wish = {
        number: this.wishes.length + 1,
        asking: ASKINGS[Math.floor(this.#random() * ASKINGS.length)] as Asking,
        acknowledged: undefined,
        isRefused: false,
      }
      this.wishes.push(wish)
      await this.#ask(wish, walletId)
    }
  }

  /** Repeats a request until it gets a response, unless a second request would be a second transaction. */
  async #ask(wish: Wish, walletId: string): Promise<void> {
    const { number, asking } = wish
    const transaction = { to: RECIPIENT, value: number }
    const body = JSON.stringify({
      method: 'eth_sendTransaction',
      caip2: this.#chain.caip2,
      params: { transaction },
    })
    const headers: Record<string, string> = { 'privy-app-id': 'app' }
    if (asking === 'key') headers['privy-idempotency-key'] = `key-${number}`
    if (asking === 'expiry') headers['privy-request-expiry'] = String(Date.now() + 600_000 + number)
    const path = `/v1/wallets/${walletId}/rpc`
    for (let attempt = 0; ; attempt++) {
      const requestId = `${number}-${attempt}`
      const answer = await this.#post('/', { walletId, path, headers, body, requestId }).catch(
        () => undefined,
      )
      if (answer !== undefined) this.#answers++
      if (answer?.status === 200) {
        wish.acknowledged = JSON.parse(answer.text).id
        return
      }
      if (answer?.status === 400) wish.isRefused = true
      if (wish.isRefused || asking === 'once') return
      await wait(10)
    }
  }

  async #post(
    path: string,
    body: SendWish | { readonly url: string },
  ): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(`http://127.0.0.1:${this.#service.port}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    })
    return { status: response.status, text: await response.text() }
  }
}
