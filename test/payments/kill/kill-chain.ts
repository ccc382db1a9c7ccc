import type { Hex } from '../../../host/base/hex.ts'
import type { PaymentReceipt } from '../../../host/payments/chain/payment-chain.ts'
import { transferLog } from '../../support/payments/memory-payment-chain.ts'
import { ModelChain } from '../../support/payments/model-chain.ts'
import { PAY_TO, TOKEN } from './kill-terms.ts'

function secondsNow(): bigint {
  return BigInt(Math.floor(Date.now() / 1000))
}

/** The chain of the killed gates. It makes blocks continuously, and transfers on request. */
export class KillChain extends ModelChain {
  /** Called for each block. */
  readonly onBlock = new Set<() => void>()
  readonly #transfers = new Map<Hex, PaymentReceipt>()
  readonly #timer: NodeJS.Timeout

  constructor() {
    super(TOKEN)
    this.time = secondsNow()
    let isMining = false
    this.#timer = setInterval(async () => {
      if (isMining) return
      isMining = true
      await this.mine()
      // The model's block times are seconds apart. These follow the system clock.
      this.time = secondsNow()
      for (const told of this.onBlock) told()
      isMining = false
    }, 4)
  }

  /** Makes a transfer of the price in its own block. Returns its hash. */
  transfer(number: number, from: Hex): Hex {
    const txHash: Hex = `0x7${number.toString(16).padStart(63, '0')}`
    this.#transfers.set(txHash, {
      succeeded: true,
      height: 1n,
      blockTime: secondsNow(),
      logs: [transferLog({ asset: TOKEN, from, to: PAY_TO, amount: 1_000n })],
      input: '0x',
    })
    return txHash
  }

  override async receipt(txHash: Hex): Promise<PaymentReceipt | undefined> {
    return this.#transfers.get(txHash) ?? super.receipt(txHash)
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
