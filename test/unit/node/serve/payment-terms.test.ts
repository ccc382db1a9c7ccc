import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeAbiParameters } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Config } from '../../../../host/base/config/schema.ts'
import { LockstepError } from '../../../../host/base/error.ts'
import type { Hex } from '../../../../host/base/hex.ts'
import { commonTerms, termsOf } from '../../../../host/node/serve/payment-terms.ts'
import type { PaymentChain } from '../../../../host/payments/chain/payment-chain.ts'

const TOKEN = '0x4020000000000000000000000000000000000402'
const PAYEE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const OTHER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

const text = (value: string) => encodeAbiParameters([{ type: 'string' }], [value])

const VIEWS: Readonly<Record<string, Hex>> = {
  '0x313ce567': encodeAbiParameters([{ type: 'uint8' }], [6]),
  '0x06fdde03': text('USD Coin'),
  '0x95d89b41': text('USDC'),
  '0x54fd4d50': text('2'),
}

/** Returns a chain with one token whose view functions return `views`. */
function chainWith(views = VIEWS, chainId = 1329n): PaymentChain {
  const call = async (to: Hex, data: Hex): Promise<Hex> => {
    const answer = views[data]
    if (to === TOKEN && answer === undefined) {
      throw new LockstepError('EXECUTION_REVERTED', 'execution reverted')
    }
    return to === TOKEN && answer !== undefined ? answer : '0x'
  }
  return { chainId, call } as Partial<PaymentChain> as PaymentChain
}

function terms(payments: object = {}, chain = chainWith(), dev = false) {
  const set = { asset: TOKEN, payTo: PAYEE, network: '', maxTimeout: 300_000, ...payments }
  return commonTerms({ payments: set } as unknown as Config, chain, keccak_256, dev)
}

async function refusal(payments: object, chain?: PaymentChain, dev?: boolean) {
  const error = await terms(payments, chain, dev).catch((thrown: unknown) => thrown)
  if (!(error instanceof LockstepError)) throw error
  expect(error.code).toBe('CONFIG_INVALID')
  return [error.message, error.hint]
}

describe('the payment terms', () => {
  test('combine the configuration with the metadata of the token', async () => {
    expect(await terms()).toEqual({
      terms: {
        chainId: 1329n,
        network: 'sei',
        asset: TOKEN,
        token: { name: 'USD Coin', version: '2' },
        payTo: PAYEE.toLowerCase(),
        maxTimeoutSeconds: 300,
      },
      decimals: 6,
      symbol: 'USDC',
    })
  })

  test('default under --dev to the token of the chain and the last dev account', async () => {
    const { terms: made } = await terms({ asset: '', payTo: '' }, chainWith(VIEWS, 31_337n), true)
    expect([made.asset, made.payTo, made.network]).toEqual([
      TOKEN,
      '0xa0ee7a142d267c1f36714e4a8f75612f20a79720',
      'eip155:31337',
    ])
  })

  test('assume version 1, which has no authorizations, for a token without a version', async () => {
    const { '0x54fd4d50': _, ...views } = VIEWS
    expect((await terms({}, chainWith(views))).terms.token.version).toBe('1')
  })

  test.each([
    [
      { asset: '' },
      '[payments] asset is not set',
      'write asset = "0x..." with the address of the token that pays',
    ],
    [
      { payTo: '' },
      '[payments] pay-to is not set',
      'write pay-to = "0x..." with the account that receives payments',
    ],
    [
      { payTo: `0x${'00'.repeat(20)}` },
      '[payments] pay-to is the zero address',
      'write an account of yours: payments to this one would be lost',
    ],
    [
      { payTo: TOKEN },
      '[payments] pay-to is the token itself',
      'write an account of yours: payments to this one would be lost',
    ],
    [
      { payTo: PAYEE.replace('C8', 'c8') },
      `[payments] pay-to = "${PAYEE.replace('C8', 'c8')}" does not have a valid EIP-55 checksum`,
      `compare it with its source: a digit is wrong, unless it is ${PAYEE}`,
    ],
    [
      { asset: OTHER },
      `[payments] asset = "${OTHER.toLowerCase()}": chain 1329 has no token with decimals() there`,
      "compare the address with the token's own page, and the chain id with the network's; " +
        'a node that is still syncing can serve payments once it has the token',
    ],
    [
      { network: 'sei-testnet' },
      '[payments] network = "sei-testnet" is the name of another chain than 1329',
      'omit network: the published name of this chain is sei',
    ],
    [
      { network: 'eip155:1328' },
      '[payments] network = "eip155:1328" is the name of another chain than 1329',
      'omit network: the published name of this chain is sei',
    ],
  ])('reject %j and name the remedy', async (payments, message, hint) => {
    expect(await refusal(payments)).toEqual([message, hint])
  })

  test('reject a token that reverts or has no decimals', async () => {
    expect((await refusal({}, chainWith({})))[0]).toContain('has no token with decimals() there')
  })

  test('reject a price with more decimals than the token has', async () => {
    const common = await terms()
    expect(termsOf(common, '/a', '1.500000000').amount).toBe(1_500_000n)
    expect(termsOf(common, '/a', '0.000001').amount).toBe(1n)
    expect(() => termsOf(common, '/a', '0.0000001')).toThrow(
      'price = "0.0000001" of /a has more than the 6 decimals of USD Coin',
    )
  })
})
