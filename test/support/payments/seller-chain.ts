import type { Hex } from '../../../host/base/hex.ts'
import { PAY_TO, PAYER, TOKEN } from './gate-fixture.ts'
import { MemoryPaymentChain, transferLog } from './memory-payment-chain.ts'

function word(value: number): string {
  return value.toString(16).padStart(64, '0')
}

function text(value: string): Hex {
  const data = Buffer.from(value).toString('hex').padEnd(64, '0')
  return `0x${word(32)}${word(value.length)}${data}`
}

/** What the token says of itself, by selector. */
const VIEWS: Readonly<Record<string, Hex>> = {
  '0x313ce567': `0x${word(6)}`,
  '0x06fdde03': text('USDC'),
  '0x54fd4d50': text('2'),
}

/** A chain whose blocks a test makes, with a token of 6 decimals that is paid in. */
export class SellerChain extends MemoryPaymentChain {
  override async call(_to?: Hex, data: Hex = '0x'): Promise<Hex> {
    return VIEWS[data] ?? '0x'
  }

  /** A block with a payment of 0.001. */
  pay(): Hex {
    return this.mine([transferLog({ asset: TOKEN, from: PAYER, to: PAY_TO, amount: 1_000n })])
  }
}
