import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeProof, MAX_PROOF_HEADER } from '../../../../host/payments/protocol/decode-proof.ts'
import {
  encodeAuthorizationProof,
  encodePaymentSignature,
  encodeTransferProof,
} from '../../../../host/payments/protocol/encode-proof.ts'
import type { AuthorizationProof } from '../../../../host/payments/protocol/proof.ts'
import { header64 } from '../../../support/payments/hand-made-proof.ts'
import { runSeed } from '../../../support/random.ts'
import { PUBLISHED_HEADERS } from './published-headers.ts'

const SEED = runSeed()
const SEI = { network: 'sei-testnet', chainId: 1328n }
const HASH = `0x${'ab'.repeat(32)}` as const
const PAYER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const PAYEE = '0xa0ee7a142d267c1f36714e4a8f75612f20a79720'
const SIGNATURE = `0x${'12'.repeat(65)}` as const

const TRANSFER = { txHash: HASH, amount: '1000', from: PAYER }
const AUTHORIZATION = {
  from: PAYER,
  to: PAYEE,
  value: '1000',
  validAfter: '0',
  validBefore: '1795370684',
  nonce: HASH,
}

type Values = Readonly<Record<string, readonly string[]>>

function decode(headers: Values) {
  return decodeProof((name) => headers[name] ?? [], SEI)
}

function first(payload: unknown, message: object = {}) {
  const proof = { x402Version: 1, scheme: 'exact', network: 'sei-testnet', payload, ...message }
  return decode({ 'x-payment': [header64(proof)] })
}

function second(message: object) {
  const proof = {
    x402Version: 2,
    accepted: { scheme: 'exact', network: 'eip155:1328' },
    payload: { signature: SIGNATURE, authorization: AUTHORIZATION },
    ...message,
  }
  return decode({ 'payment-signature': [header64(proof)] })
}

test('a request without a proof header has no proof', () => {
  expect(decode({})).toBeUndefined()
})

test.each([HASH, `0x${'AB'.repeat(32)}`, `0X${'aB'.repeat(32)}`])(
  "the decoder reads the contract's proof with the hash %s",
  (txHash) => {
    expect(first({ ...TRANSFER, txHash })).toEqual({
      kind: 'transfer',
      txHash: HASH,
      amount: 1_000n,
      from: PAYER,
    })
  },
)

test.each(PUBLISHED_HEADERS)('the decoder reads what $client sends', ({ name, value, proof }) => {
  expect(decode({ [name]: [value] })).toEqual(proof)
})

test.each<[string, Values, string, string]>([
  ['an empty header', { 'x-payment': [''] }, 'invalid_payload', 'the header x-payment'],
  [
    'no base64',
    { 'x-payment': ['*'] },
    'invalid_payload',
    'the header x-payment is "*": write base64',
  ],
  ['white space', { 'x-payment': [` ${header64({})}`] }, 'invalid_payload', 'base64'],
  ['base64 without its padding', { 'x-payment': ['e30'] }, 'invalid_payload', 'base64'],
  ['base64 with spare bits', { 'x-payment': ['e31='] }, 'invalid_payload', 'base64'],
  ["base64 of URLs' alphabet", { 'x-payment': ['eyJhIjoi_74ifQ=='] }, 'invalid_payload', 'base64'],
  ['wrong UTF-8', { 'x-payment': [btoa('"\xff"')] }, 'invalid_payload', 'UTF-8'],
  [
    'a byte-order mark',
    { 'x-payment': [btoa('\xef\xbb\xbf{}')] },
    'invalid_payload',
    'no JSON at 0',
  ],
  ['no JSON', { 'x-payment': [btoa('hello')] }, 'invalid_payload', 'no JSON at 0'],
  ['an array', { 'x-payment': [header64([])] }, 'invalid_payload', 'an object'],
  ['null', { 'x-payment': [header64(null)] }, 'invalid_payload', 'an object'],
  [
    'a megabyte',
    { 'x-payment': [header64({ a: 'x'.repeat(1_000_000) })] },
    'invalid_payload',
    'characters, the maximum is 12288',
  ],
  [
    'two values of a header',
    { 'x-payment': [header64({}), header64({})] },
    'invalid_payload',
    'the request has 2 proofs: send one',
  ],
  [
    'two values in one header',
    { 'x-payment': [`${header64({})}, ${header64({})}`] },
    'invalid_payload',
    'base64',
  ],
  [
    'proofs of two versions',
    { 'x-payment': [header64({})], 'payment-signature': [header64({})] },
    'invalid_payload',
    'the request has 2 proofs: send one',
  ],
  [
    'a member twice',
    { 'x-payment': [btoa('{"x402Version":1,"x402Version":1}')] },
    'invalid_payload',
    'the member "x402Version" twice',
  ],
  [
    '__proto__',
    { 'x-payment': [btoa('{"__proto__":{"x402Version":1}}')] },
    'invalid_payload',
    'a member named __proto__',
  ],
])('the decoder refuses %s', (_, headers, reason, detail) => {
  expect(decode(headers)).toEqual({
    kind: 'undecodable',
    reason,
    detail: expect.stringContaining(detail),
  })
})

test.each<[object, string, string]>([
  [
    { x402Version: 2 },
    'invalid_x402_version',
    'x402Version is 2: the header x-payment takes version 1',
  ],
  [{ x402Version: '1' }, 'invalid_x402_version', 'x402Version is "1"'],
  [{ x402Version: undefined }, 'invalid_x402_version', 'x402Version is missing'],
  [{ x402Version: null }, 'invalid_x402_version', 'x402Version is null'],
  [{ scheme: 'upto' }, 'unsupported_scheme', 'scheme is "upto": write "exact"'],
  [{ scheme: 'Exact' }, 'unsupported_scheme', 'scheme is "Exact"'],
  [{ network: 'sei' }, 'invalid_network', 'network is "sei": pay on "sei-testnet"'],
  [{ network: 'eip155:1328' }, 'invalid_network', 'network is "eip155:1328"'],
  [{ network: ['sei-testnet'] }, 'invalid_network', 'network is ["sei-testnet"]'],
  [{ payload: undefined }, 'invalid_payload', 'payload is missing: write an object'],
  [{ payload: [] }, 'invalid_payload', 'payload is []: write an object'],
  [
    { payload: { ...TRANSFER, authorization: AUTHORIZATION, signature: SIGNATURE } },
    'invalid_payload',
    'payload has both txHash and authorization',
  ],
])('the decoder refuses a proof with %j', (message, reason, detail) => {
  expect(first(TRANSFER, message)).toEqual({
    kind: 'undecodable',
    reason,
    detail: expect.stringContaining(detail),
  })
})

const WRONG_INTEGERS: readonly unknown[] = [
  1000,
  1e21,
  '',
  ' 1000',
  '1000 ',
  '01000',
  '+1000',
  '-1000',
  '1e3',
  '0x3e8',
  '1000.0',
  '1_000',
  '１０００',
  `${2n ** 256n}`,
  '9'.repeat(500),
  null,
  true,
  ['1000'],
  { value: '1000' },
  undefined,
]

test.each(WRONG_INTEGERS)('the decoder refuses the amount %j', (amount) => {
  const refused = {
    kind: 'undecodable',
    reason: 'invalid_payload',
    detail: expect.stringMatching(
      /^payload\.(?:amount|authorization\.value) is .{1,83}: write an integer below 2\^256 as a string of decimal digits$/,
    ),
  }
  expect(first({ ...TRANSFER, amount })).toEqual(refused)
  const authorization = { ...AUTHORIZATION, value: amount }
  expect(first({ signature: SIGNATURE, authorization })).toEqual(refused)
})

test('the decoder accepts the largest value of 256 bits', () => {
  const amount = `${2n ** 256n - 1n}`
  expect(first({ ...TRANSFER, amount })).toMatchObject({ amount: 2n ** 256n - 1n })
})

test.each<[unknown]>([
  ['ab'.repeat(32)],
  [`0x${'ab'.repeat(31)}`],
  [`0x${'ab'.repeat(33)}`],
  [`0x${'ab'.repeat(31)}a`],
  [`0x${'ag'.repeat(32)}`],
  [`${HASH} `],
  [`${HASH}\n`],
  [0],
  [undefined],
])('the decoder refuses the hash %j', (txHash) => {
  expect(first({ ...TRANSFER, txHash })).toMatchObject({
    reason: 'invalid_payload',
    detail: expect.stringContaining('write 0x and 64 hex digits'),
  })
})

test.each<[string, unknown, string]>([
  ['from', 'alice', 'payload.from is "alice": write 0x and 40 hex digits'],
  ['from', `0x${'00'.repeat(32)}`, 'write 0x and 40 hex digits'],
  ['reference', 7, 'payload.reference is 7: write extra.reference of the challenge'],
  ['signature', '0x', 'payload.signature is "0x": write 0x and at most 4096 hex digits'],
  ['signature', '0x123', 'payload.signature is "0x123"'],
  ['signature', `0x${'12'.repeat(2_049)}`, 'payload.signature is "0x1212'],
])('the decoder refuses the member %s of %j', (name, value, detail) => {
  expect(first({ ...TRANSFER, [name]: value })).toMatchObject({
    reason: 'invalid_payload',
    detail: expect.stringContaining(detail),
  })
})

test.each<[object, string, string]>([
  [{ x402Version: 1 }, 'invalid_x402_version', 'the header payment-signature takes version 2'],
  [{ accepted: undefined }, 'invalid_payload', 'accepted is missing'],
  [{ accepted: { scheme: 'upto' } }, 'unsupported_scheme', 'accepted.scheme is "upto"'],
  [
    { accepted: { scheme: 'exact', network: 'sei-testnet' } },
    'invalid_network',
    'accepted.network is "sei-testnet": pay on "eip155:1328"',
  ],
  [{ payload: TRANSFER }, 'invalid_payload', 'payload.authorization is missing: write an object'],
  [
    { payload: { signature: SIGNATURE, permit2Authorization: {} } },
    'invalid_payload',
    'payload.authorization is missing',
  ],
  [{ resource: 'http://127.0.0.1/' }, 'invalid_payload', 'resource is "http://127.0.0.1/"'],
  [{ resource: {} }, 'invalid_payload', 'resource is {}'],
])('the decoder refuses a proof of version 2 with %j', (message, reason, detail) => {
  expect(second(message)).toMatchObject({ reason, detail: expect.stringContaining(detail) })
})

test('an error about a long value quotes only its beginning', () => {
  const { detail } = first({ ...TRANSFER, from: 'x'.repeat(5_000) }) as { detail: string }
  expect(detail.length).toBeLessThan(200)
})

const hex = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((value) => `0x${Buffer.from(value).toString('hex')}` as const)
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })

test(`an encoded proof is decoded unchanged (seed ${SEED})`, () => {
  const transfer = fc.record(
    {
      kind: fc.constant('transfer' as const),
      txHash: hex(32),
      amount: uint256,
      from: hex(20),
      reference: fc.string({ maxLength: 60 }),
      signature: hex(65),
    },
    { requiredKeys: ['kind', 'txHash', 'amount', 'from'] },
  )
  const authorization = fc.record({
    kind: fc.constant('authorization' as const),
    from: hex(20),
    to: hex(20),
    value: uint256,
    validAfter: uint256,
    validBefore: uint256,
    nonce: hex(32),
    signature: fc.oneof(hex(65), hex(700)),
  })
  fc.assert(
    fc.property(transfer, authorization, (paid, signed) => {
      const value = encodeTransferProof(paid, 'sei-testnet')
      expect(decode({ 'x-payment': [value] })).toEqual(paid)
      const v1: AuthorizationProof = { ...signed, version: 1 }
      expect(decode({ 'x-payment': [encodeAuthorizationProof(v1, 'sei-testnet')] })).toEqual(v1)
      const accepted = { scheme: 'exact', network: 'eip155:1328', extra: { name: 'USDC' } }
      const resourceUrl = 'http://127.0.0.1/weather'
      const v2: AuthorizationProof = { ...signed, version: 2, accepted, resourceUrl }
      const header = encodePaymentSignature(v2, { url: resourceUrl })
      expect(decode({ 'payment-signature': [header] })).toEqual(v2)
    }),
    { seed: SEED, numRuns: 100 },
  )
})

test(`no header makes the decoder throw (seed ${SEED})`, () => {
  const damaged = fc
    .tuple(fc.nat(), fc.string({ maxLength: 4, unit: 'binary' }))
    .map(([at, put]) => {
      const text = JSON.stringify({
        x402Version: 1,
        scheme: 'exact',
        network: 'sei-testnet',
        payload: TRANSFER,
      })
      const place = at % text.length
      return Buffer.from(text.slice(0, place) + put + text.slice(place + 1)).toString('base64')
    })
  const header = fc.oneof(
    fc.string({ maxLength: 200, unit: 'binary' }),
    fc.base64String(),
    fc.json().map((text) => Buffer.from(text).toString('base64')),
    damaged,
  )
  const name = fc.constantFrom('x-payment', 'payment-signature')
  fc.assert(
    fc.property(name, fc.array(header, { minLength: 1, maxLength: 2 }), (named, values) => {
      expect(['undecodable', 'transfer']).toContain(decode({ [named]: values })?.kind)
    }),
    { seed: SEED, numRuns: 300 },
  )
})

test('the size limit applies to the decoded proof', () => {
  expect(MAX_PROOF_HEADER).toBe(12_288)
  const padding = 'x'.repeat(8_900)
  const fits = first(TRANSFER, { extensions: padding })
  expect(fits).toMatchObject({ kind: 'transfer' })
})
