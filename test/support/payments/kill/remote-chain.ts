import { type ErrorCode, LockstepError } from '../../../../host/base/error.ts'
import type { Hex } from '../../../../host/base/hex.ts'
import type { PaymentChain } from '../../../../host/payments/chain/payment-chain.ts'
import type { FromGate, ToGate } from './gate-messages.ts'

interface Waiting {
  resolve(value: unknown): void
  reject(error: unknown): void
}

function tell(message: FromGate): void {
  process.send?.(message)
}

/** The chain of the test that has started this process: it outlives the process. */
export class RemoteChain implements PaymentChain {
  readonly chainId = 31337n
  readonly #waiting = new Map<number, Waiting>()
  #blockWaiters: (() => void)[] = []
  #nextId = 0

  take(message: Exclude<ToGate, { kind: 'open' }>): void {
    if (message.kind === 'block') {
      for (const wake of this.#blockWaiters.splice(0)) wake()
      return
    }
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if (message.error === undefined) waiting?.resolve(message.value)
    else {
      const { code, message: text } = message.error
      waiting?.reject(
        code === undefined ? new Error(text) : new LockstepError(code as ErrorCode, text),
      )
    }
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

  readonly removals = this.#asked<PaymentChain['removals']>('removals')
  readonly receipt = this.#asked<PaymentChain['receipt']>('receipt')
  readonly height = this.#asked<PaymentChain['height']>('height')
  readonly logs = this.#asked<PaymentChain['logs']>('logs')
  readonly call = this.#asked<PaymentChain['call']>('call')
  readonly nonce = this.#asked<PaymentChain['nonce']>('nonce')
  readonly balance = this.#asked<PaymentChain['balance']>('balance')
  readonly maxFeePerGas = this.#asked<PaymentChain['maxFeePerGas']>('maxFeePerGas')
  readonly send = this.#asked<(raw: Uint8Array) => Promise<Hex>>('send')

  #asked<Method>(method: string): Method {
    const ask = (...args: unknown[]) =>
      new Promise((resolve, reject) => {
        const id = this.#nextId++
        this.#waiting.set(id, { resolve, reject })
        tell({ kind: 'ask', id, method, args })
      })
    return ask as Method
  }
}
