import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeAbiParameters } from 'viem'
import { expect, test } from 'vitest'
import type { Config } from '../../../../host/base/config/schema.ts'
import { LockstepError } from '../../../../host/base/error.ts'
import type { Hex } from '../../../../host/base/hex.ts'
import { otherTermsOf, otherTokens } from '../../../../host/node/serve/other-tokens.ts'
import type { CommonTerms } from '../../../../host/node/serve/payment-terms.ts'
import type { PaymentChain } from '../../../../host/payments/chain/payment-chain.ts'

const DOLLAR: Hex = '0x4020000000000000000000000000000000000402'
const EURO: Hex = '0x0e00000000000000000000000000000000000402'
/** A token without authorizations. */
const PLAIN: Hex = '0x0b00000000000000000000000000000000000402'

const text = (value: string) => encodeAbiParameters([{ type: 'string' }], [value])

const VIEWS: Readonly<Record<string, Hex>> = {
  '0x313ce567': encodeAbiParameters([{ type: 'uint8' }], [2]),
  '0x06fdde03': text('Euro Coin'),
  '0x95d89b41': text('EURC'),
  '0x54fd4d50': text('3'),
}

const chain = {
  chainId: 1329n,
  call: async (to: Hex, data: Hex): Promise<Hex> => {
    const isState = data.startsWith('0xe94a0102')
    if (isState && to === EURO) return `0x${'00'.repeat(32)}`
    const answer = to === EURO || to === PLAIN ? VIEWS[data] : '0x'
    if (answer === undefined) {
      throw new LockstepError('EXECUTION_REVERTED', 'execution reverted')
    }
    return answer
  },
} as Partial<PaymentChain> as PaymentChain

const COMMON: CommonTerms = {
  terms: {
    chainId: 1329n,
    network: 'sei',
    asset: DOLLAR,
    token: { name: 'USDC', version: '2' },
    payTo: `0x${'70'.repeat(20)}`,
    maxTimeoutSeconds: 300,
  },
  decimals: 6,
  symbol: 'USDC',
}

function resource(...otherPrices: readonly { readonly price: string; readonly asset: string }[]) {
  return { path: '/weather', otherPrices } as unknown as Config['payments']['resource'][number]
}

function read(...resources: readonly Config['payments']['resource'][number][]) {
  const config = { payments: { resource: resources } } as unknown as Config
  return otherTokens(config, COMMON, chain, keccak_256)
}

test('a price in another token has that token, its domain and its decimals', async () => {
  const sold = resource({ price: '0.05', asset: `0x${EURO.slice(2).toUpperCase()}` })
  const tokens = await read(sold, sold)
  expect([...tokens.keys()]).toEqual([EURO])
  expect(tokens.get(EURO)).toMatchObject({ decimals: 2, symbol: 'EURC' })
  expect(otherTermsOf(sold, tokens)).toEqual([
    { ...COMMON.terms, asset: EURO, token: { name: 'Euro Coin', version: '3' }, amount: 5n },
  ])
})

test.each([
  [DOLLAR, `[payments] other-prices of /weather name ${DOLLAR}, which is asset`],
  [PLAIN, '[payments] other-prices of /weather: EURC has no EIP-3009 authorizations'],
  [
    `0x${'0c'.repeat(20)}`,
    `[payments] other-prices of /weather: chain 1329 has no token with decimals() at 0x${'0c'.repeat(20)}`,
  ],
])('a price in %s is refused', async (asset, message) => {
  const error = await read(resource({ price: '1', asset })).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', message })
})

test('a price with more decimals than its token is refused', async () => {
  const sold = resource({ price: '0.001', asset: EURO })
  const tokens = await read(sold)
  expect(() => otherTermsOf(sold, tokens)).toThrow(
    '[payments] price = "0.001" of /weather has more than the 2 decimals of Euro Coin',
  )
})
