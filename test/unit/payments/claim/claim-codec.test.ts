import { expect, test } from 'vitest'
import type { Hex } from '../../../../host/base/hex.ts'
import {
  type ClaimRow,
  decodeClaim,
  decodeSale,
  decodeUnit,
  encodeClaim,
  encodeSale,
  encodeUnit,
  NOTHING_SOLD,
} from '../../../../host/payments/claim/claim-codec.ts'

const PAYER: Hex = `0x${'a1'.repeat(20)}`
const HASH: Hex = `0x${'11'.repeat(32)}`

const ROW: ClaimRow = {
  phase: 'released',
  isSettled: true,
  owner: undefined,
  claimedAt: 1_800_000_000_000,
  deliveredAt: undefined,
  sale: 7,
  request: 'POST /weather?city=Z\u00fcrich',
  body: `0x${'22'.repeat(32)}`,
  attempts: 2,
  payer: PAYER,
  amount: 1_000n,
  txHash: HASH,
  refund: { txHash: HASH, at: 1_800_000_000_001 },
}

const ROWS: readonly [string, Partial<ClaimRow>][] = [
  ['released', {}],
  ['held', { phase: 'held', owner: 'ab'.repeat(8) }],
  ['delivered', { phase: 'delivered', deliveredAt: 1_800_000_000_002 }],
  ['without a body', { body: '0x' }],
  ['of an earlier release', { body: undefined, attempts: 0 }],
  [
    'being refunded',
    { refund: { txHash: HASH, at: 1_800_000_000_001, raw: `0x02${'ab'.repeat(170)}` } },
  ],
  ['without a transaction', { txHash: undefined, refund: undefined, isSettled: false }],
]

test.each(ROWS)('a claim that is %s is decoded as it was encoded', (_, changes) => {
  const row = { ...ROW, ...changes }
  expect(decodeClaim(encodeClaim(row))).toStrictEqual(row)
})

test('a claim of an earlier release is decoded without its body', () => {
  const earlier = Buffer.from(
    `0d${'80a0f1c2b134'}07${'0c'}${Buffer.from('POST /city=B').toString('hex')}` +
      `${'a1'.repeat(20)}02e803${'11'.repeat(32)}`,
    'hex',
  )
  expect(decodeClaim(earlier)).toStrictEqual({
    ...ROW,
    request: 'POST /city=B',
    body: undefined,
    attempts: 0,
    refund: undefined,
  })
})

const UNWRITABLE: readonly [string, Partial<ClaimRow>][] = [
  ['held by nobody', { phase: 'held', owner: undefined }],
  ['held by a short name', { phase: 'held', owner: 'ab' }],
  ['released and held', { owner: 'ab'.repeat(8) }],
  ['delivered at no time', { phase: 'delivered' }],
  ['delivered and released', { deliveredAt: 1 }],
  ['claimed before 1970', { claimedAt: -1 }],
  ['claimed at a fraction', { claimedAt: 0.5 }],
  ['claimed past all times', { claimedAt: 2 ** 48 }],
  ['of a short body hash', { body: '0x11' }],
  ['of -1 attempts', { attempts: -1 }],
  ['of a negative amount', { amount: -1n }],
  ['of an amount past 256 bits', { amount: 2n ** 256n }],
  ['of half a character', { request: 'GET /\ud800' }],
  ['of a short payer', { payer: '0x11' }],
]

test.each(UNWRITABLE)('a claim %s is refused by the encoder', (_, changes) => {
  expect(() => encodeClaim({ ...ROW, ...changes })).toThrow()
})

const SALE = {
  resource: '/weather',
  chainId: 1329n,
  asset: PAYER,
  payTo: PAYER,
  ...NOTHING_SOLD,
}

test('a sale and a unit are decoded as they were encoded, and undecodable values are refused by the encoder', () => {
  const sale = { ...SALE, payments: 3, amount: 2n ** 256n, delivered: 2, refunds: 1, refunded: 9n }
  expect(decodeSale(encodeSale(sale))).toStrictEqual(sale)
  expect(() => encodeSale({ ...SALE, payments: -1 })).toThrow()
  expect(() => encodeSale({ ...SALE, amount: -1n })).toThrow()
  expect(() => encodeSale({ ...SALE, amount: 2n ** 2_048n })).toThrow()
  expect(() => encodeSale({ ...SALE, resource: '\udc00' })).toThrow()
  const unit = { symbol: 'USDC\u20ae', decimals: 255 }
  expect(decodeUnit(encodeUnit(unit))).toStrictEqual(unit)
  expect(() => encodeUnit({ symbol: 'X', decimals: 256 })).toThrow()
  expect(() => encodeUnit({ symbol: '\ud800', decimals: 6 })).toThrow()
})
