import type { Hex } from '../../../host/base/hex.ts'
import type { PaymentChain } from '../../../host/payments/chain/payment-chain.ts'
import { RemoteCalls } from '../../support/remote-calls.ts'
import type { ToGate } from './gate-messages.ts'

/** The chain in the parent test process, which outlives this process. */
export class RemoteChain implements PaymentChain {
  readonly chainId = 31337n
  readonly #calls = new RemoteCalls((call) => process.send?.(call))
  readonly #blockWaiters: (() => void)[] = []

  readonly removals = this.#calls.method<PaymentChain['removals']>('removals')
  readonly receipt = this.#calls.method<PaymentChain['receipt']>('receipt')
  readonly has = this.#calls.method<PaymentChain['has']>('has')
  readonly height = this.#calls.method<PaymentChain['height']>('height')
  readonly logs = this.#calls.method<PaymentChain['logs']>('logs')
  readonly call = this.#calls.method<PaymentChain['call']>('call')
  readonly nonce = this.#calls.method<PaymentChain['nonce']>('nonce')
  readonly balance = this.#calls.method<PaymentChain['balance']>('balance')
  readonly maxFeePerGas = this.#calls.method<PaymentChain['maxFeePerGas']>('maxFeePerGas')
  readonly send = this.#calls.method<(raw: Uint8Array) => Promise<Hex>>('send')

  take(message: Exclude<ToGate, { kind: 'open' }>): void {
    if (message.kind === 'reply') this.#calls.take(message)
    else for (const wake of this.#blockWaiters.splice(0)) wake()
  }

  now(): bigint {
    return BigInt(Math.floor(Date.now() / 1000))
  }

  nextBlock(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#blockWaiters.push(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
      if (signal.aborted) resolve()
    })
  }
}
