import { expect, test } from 'vitest'
import {
  challengeBody,
  paymentRequired,
  resourceUrl,
} from '../../../../host/payments/protocol/challenge.ts'
import { caip2, networkName } from '../../../../host/payments/protocol/network.ts'
import type { PricedResource } from '../../../../host/payments/protocol/terms.ts'

const FORECAST: PricedResource = {
  path: '/forecast',
  description: 'Rain tomorrow',
  mediaType: 'application/json',
  style: 'contract',
  terms: {
    chainId: 1_329n,
    network: 'sei',
    asset: '0xe15fc38f6d8c56af07bbcbe3baf5708a2bf42392',
    token: { name: 'USDC', version: '2' },
    amount: 1_000n,
    payTo: '0xa0ee7a142d267c1f36714e4a8f75612f20a79720',
    maxTimeoutSeconds: 300,
  },
}
const URL_ASKED = new URL('http://user:secret@127.0.0.1:8402/forecast/bern?day=1#part')

const REQUIREMENT = {
  scheme: 'exact',
  network: 'sei',
  maxAmountRequired: '1000',
  resource: '/forecast/bern',
  description: 'Rain tomorrow',
  mimeType: 'application/json',
  payTo: '0xa0ee7a142d267c1f36714e4a8f75612f20a79720',
  maxTimeoutSeconds: 300,
  asset: '0xe15fc38f6d8c56af07bbcbe3baf5708a2bf42392',
  extra: { name: 'USDC', version: '2', reference: 'r' },
}

test("a challenge in the contract's style names the resource by its path", () => {
  expect(challengeBody(FORECAST, URL_ASKED, 'r', 'bearer')).toEqual({
    x402Version: 1,
    accepts: [REQUIREMENT],
  })
})

test("a challenge in x402's style names the resource by its URL, without secrets", () => {
  const resource = 'http://127.0.0.1:8402/forecast/bern?day=1'
  expect(challengeBody({ ...FORECAST, style: 'x402' }, URL_ASKED, 'r', 'bearer')).toEqual({
    x402Version: 1,
    accepts: [{ ...REQUIREMENT, resource }],
  })
})

test('a version 2 challenge has one resource, and amounts under its own name', () => {
  expect(paymentRequired(FORECAST, URL_ASKED, { reason: 'payment_spent' })).toEqual({
    x402Version: 2,
    error: 'payment_spent',
    resource: {
      url: 'http://127.0.0.1:8402/forecast/bern?day=1',
      description: 'Rain tomorrow',
      mimeType: 'application/json',
    },
    accepts: [
      {
        scheme: 'exact',
        network: 'eip155:1329',
        amount: '1000',
        asset: '0xe15fc38f6d8c56af07bbcbe3baf5708a2bf42392',
        payTo: '0xa0ee7a142d267c1f36714e4a8f75612f20a79720',
        maxTimeoutSeconds: 300,
        extra: { name: 'USDC', version: '2' },
      },
    ],
  })
})

test("a refusal has the contract's message, x402's name of the reason, and a description", () => {
  const refusal = { reason: 'invalid_network', payer: REQUIREMENT.payTo as `0x${string}` } as const
  expect(challengeBody(FORECAST, URL_ASKED, 'r', 'bearer', refusal)).toMatchObject({
    error: 'Invalid payment format or network',
    invalidReason: 'invalid_network',
    detail: 'the network is not the requested one',
    payer: REQUIREMENT.payTo,
  })
})

test('a URL that is too long for a header is written without its query', () => {
  const url = new URL(`http://127.0.0.1/forecast?${'x'.repeat(3_000)}`)
  expect(resourceUrl(url)).toBe('http://127.0.0.1/forecast')
})

test.each([
  [1_328n, 'sei-testnet', 'eip155:1328'],
  [1_329n, 'sei', 'eip155:1329'],
  [84_532n, 'base-sepolia', 'eip155:84532'],
  [31_337n, 'eip155:31337', 'eip155:31337'],
])('chain %d is named %s in version 1 and %s in version 2', (chainId, first, second) => {
  expect(networkName(chainId)).toBe(first)
  expect(caip2(chainId)).toBe(second)
})
