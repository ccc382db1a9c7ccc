import { bigintToBytes } from '../../base/bytes.ts'
import { type Hex, parseData, parseFixedData } from '../../base/hex.ts'
import {
  PAYMENT_TOKEN_BALANCE_SLOTS,
  PAYMENT_TOKEN_CODE,
  PAYMENT_TOKEN_SUPPLY_SLOT,
} from './generated/payment-token.ts'
import type { GenesisAccount } from './genesis.ts'

/** The token that is paid with on development chains, as its own functions answer (tools/contracts). */
export const PAYMENT_TOKEN = { name: 'USDC', symbol: 'USDC', version: '2', decimals: 6 } as const

/** What each development account has of it at genesis, in its smallest unit: 1,000,000 tokens. */
export const DEV_TOKENS = 1_000_000n * 10n ** BigInt(PAYMENT_TOKEN.decimals)

/** Where USDC lies on the live networks: published clients of x402 pay with no other token there. */
const PUBLISHED: ReadonlyMap<bigint, Hex> = new Map([
  [1329n, '0xe15fC38F6D8c56aF07bbCBe3BAf5708A2Bf42392'],
  [1328n, '0x4fCF1784B31630811181f670Aea7A7bEF803eaED'],
])

/** Address of the payment token in the genesis of a development chain with this EVM chain id. */
export function paymentTokenOf(chainId: bigint): Hex {
  return PUBLISHED.get(chainId) ?? '0x4020000000000000000000000000000000000402'
}

/** The payment token at genesis: its code, its supply and what the development accounts have of it. */
export function paymentTokenAccount(chainId: bigint): GenesisAccount {
  const supply = DEV_TOKENS * BigInt(PAYMENT_TOKEN_BALANCE_SLOTS.length)
  const entry = (slot: Hex, value: bigint) => ({
    slot: parseFixedData(slot, 32),
    value: bigintToBytes(value, 32),
  })
  return {
    address: parseFixedData(paymentTokenOf(chainId), 20),
    balance: 0n,
    nonce: 1n,
    code: parseData(PAYMENT_TOKEN_CODE),
    storage: [
      entry(PAYMENT_TOKEN_SUPPLY_SLOT, supply),
      ...PAYMENT_TOKEN_BALANCE_SLOTS.map((slot) => entry(slot, DEV_TOKENS)),
    ],
  }
}
