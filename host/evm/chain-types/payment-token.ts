import { bigintToBytes } from '../../base/bytes.ts'
import { type Hex, parseData, parseFixedData } from '../../base/hex.ts'
import {
  PAYMENT_TOKEN_BALANCE_SLOTS,
  PAYMENT_TOKEN_CODE,
  PAYMENT_TOKEN_SUPPLY_SLOT,
} from './generated/payment-token.ts'
import type { GenesisAccount } from './genesis.ts'

/** Payment token of development chains, with the values its own functions return (tools/contracts). */
export const PAYMENT_TOKEN = { name: 'USDC', symbol: 'USDC', version: '2', decimals: 6 } as const

/** Balance of each development account at genesis, in the smallest unit: 1,000,000 tokens. */
export const DEV_TOKENS = 1_000_000n * 10n ** BigInt(PAYMENT_TOKEN.decimals)

/** USDC on the live networks: published x402 clients accept no other token there. */
const PUBLISHED: ReadonlyMap<bigint, Hex> = new Map([
  [1329n, '0xe15fC38F6D8c56aF07bbCBe3BAf5708A2Bf42392'],
  [1328n, '0x4fCF1784B31630811181f670Aea7A7bEF803eaED'],
])

/** Returns the payment token's address in the genesis of a development chain with this EVM chain id. */
export function paymentTokenOf(chainId: bigint): Hex {
  return PUBLISHED.get(chainId) ?? '0x4020000000000000000000000000000000000402'
}

/** Returns the payment token's account for a genesis: code, supply and balances of the development accounts. */
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
