import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { exchange, requestText } from '../support/node/raw-socket.ts'
import { TRANSPORTS } from '../support/node/server-fixture.ts'
import { type GateNode, PAY_TO, PRICE, startGateNode } from '../support/payments/gate-node.ts'
import { firstVersionProof, header64 } from '../support/payments/hand-made-proof.ts'
import {
  expectHonestPayment,
  expectRefused,
  expectServed,
  NOT_VERIFIED,
  WRONG_FORMAT,
} from './expectations.ts'

const FAST_BLOCKS = ['--consensus.block-time', '50ms', '--payments.receipt-deadline', '500ms']

/** Members to replace in a correct payload. Undefined removes one. */
type Change = Readonly<Record<string, unknown>>

const NO_FORMAT: readonly (readonly [string, string, Change])[] = [
  ['an amount that is a number', 'invalid_payload', { amount: Number(PRICE) }],
  ['a negative amount', 'invalid_payload', { amount: `-${PRICE}` }],
  ['an amount with a plus', 'invalid_payload', { amount: `+${PRICE}` }],
  ['an amount in hex', 'invalid_payload', { amount: `0x${PRICE.toString(16)}` }],
  ['an amount with leading zeros', 'invalid_payload', { amount: `0${PRICE}` }],
  ['an amount with an exponent', 'invalid_payload', { amount: '1e3' }],
  ['an amount with a fraction', 'invalid_payload', { amount: `${PRICE}.0` }],
  ['an amount with a space', 'invalid_payload', { amount: ` ${PRICE}` }],
  ['an amount with a separator', 'invalid_payload', { amount: '1_000' }],
  ['an amount in other digits', 'invalid_payload', { amount: '１０００' }],
  ['an empty amount', 'invalid_payload', { amount: '' }],
  ['an amount over 256 bits', 'invalid_payload', { amount: String(2n ** 256n) }],
  ['no amount', 'invalid_payload', { amount: undefined }],
  ['amounts in a list', 'invalid_payload', { amount: [String(PRICE)] }],
  ['no payer', 'invalid_payload', { from: undefined }],
  ['a payer that is no address', 'invalid_payload', { from: '0x1234' }],
  ['a payer that is an object', 'invalid_payload', { from: {} }],
  ['no hash', 'invalid_payload', { txHash: undefined }],
  ['a hash that is a number', 'invalid_payload', { txHash: 1 }],
  ['a hash that is a list of one', 'invalid_payload', { txHash: ['0x'] }],
]

/** Other spellings of the same hash. */
const SPELLINGS: readonly (readonly [string, (hash: Hex) => string])[] = [
  ['in capitals', (hash) => `0x${hash.slice(2).toUpperCase()}`],
  ['with 0X', (hash) => `0X${hash.slice(2)}`],
  ['all in capitals', (hash) => hash.toUpperCase()],
  ['without 0x', (hash) => hash.slice(2)],
  ['with zeros before it', (hash) => `0x00${hash.slice(2)}`],
  ['with zeros behind it', (hash) => `${hash}00`],
  ['with a space before it', (hash) => ` ${hash}`],
  ['with a line end behind it', (hash) => `${hash}\n`],
  ['with a null byte behind it', (hash) => `${hash}\0`],
]

describe.each(TRANSPORTS)('a gate on %s', (transport) => {
  const home = makeHome()
  let gate: GateNode
  /** A payment that must stay unspent while invalid proofs name it. */
  let right: { txHash: Hex; amount: string; from: Hex }

  const withHeader = (value: string, name = 'x-payment') =>
    gate.ask('GET', '/weather', [[name, value]])
  const proof = (change: Change = {}, outer: Change = {}): object => ({
    ...firstVersionProof(gate.network, { ...right, ...change }),
    ...outer,
  })

  beforeAll(async () => {
    gate = await startGateNode(home, [...FAST_BLOCKS, '--evm.rpc-server', transport])
    const payer = gate.payer(1)
    const txHash = await payer.pay(PAY_TO, PRICE)
    right = { txHash, amount: String(PRICE), from: payer.address }
  })

  afterAll(async () => {
    await gate?.daemon.stop()
    removeHome(home)
  })

  describe('refuses an invalid proof and leaves its payment unspent: a proof with', () => {
    for (const [name, invalidReason, change] of NO_FORMAT) {
      test(name, async () => {
        expectRefused(await withHeader(header64(proof(change))), WRONG_FORMAT, invalidReason)
      })
    }

    const outer: readonly (readonly [string, string, Change])[] = [
      ['no version', 'invalid_x402_version', { x402Version: undefined }],
      ['version 2 in the header of version 1', 'invalid_x402_version', { x402Version: 2 }],
      ['a version that is a text', 'invalid_x402_version', { x402Version: '1' }],
      ['version 1.5', 'invalid_x402_version', { x402Version: 1.5 }],
      ['another scheme', 'unsupported_scheme', { scheme: 'upto' }],
      ['a scheme in capitals', 'unsupported_scheme', { scheme: 'EXACT' }],
      ['another network', 'invalid_network', { network: 'base' }],
      ['no network', 'invalid_network', { network: undefined }],
      ['no payload', 'invalid_payload', { payload: undefined }],
      ['a payload of null', 'invalid_payload', { payload: null }],
      ['a payload that is a list', 'invalid_payload', { payload: [] }],
    ]
    for (const [name, invalidReason, change] of outer) {
      test(name, async () => {
        expectRefused(await withHeader(header64(proof({}, change))), WRONG_FORMAT, invalidReason)
      })
    }

    const texts: readonly (readonly [string, () => string])[] = [
      ['nothing', () => ''],
      ['no base64', () => '%%%'],
      ['JSON without base64', () => JSON.stringify(proof())],
      ['base64 of no JSON', () => header64('{"x402Version":1,')],
      ['base64 of a number', () => header64('1')],
      ['base64 of null', () => header64('null')],
      ['base64 of a list', () => header64([proof()])],
      ['base64 of text that is no UTF-8', () => Buffer.from([0xff, 0xfe, 0x7b]).toString('base64')],
      ['base64 with a space in it', () => header64(proof()).replace(/^(.{20})/, '$1 ')],
      ['base64 with a character too many', () => `${header64(proof())}A`],
      ['base64 twice, with a comma', () => `${header64(proof())}, ${header64(proof())}`],
      [
        'JSON with two hashes, the right one last',
        () => {
          const text = JSON.stringify(proof())
          return header64(text.replace('"txHash"', `"txHash":"0x${'00'.repeat(32)}","txHash"`))
        },
      ],
      [
        'JSON with two payloads',
        () => {
          const text = JSON.stringify(proof())
          return header64(text.replace('"payload"', '"payload":{},"payload"'))
        },
      ],
      [
        'JSON whose members come by __proto__',
        () => header64(`{"__proto__":${JSON.stringify(proof())}}`),
      ],
      [
        'a payload whose members come by __proto__',
        () =>
          header64(
            JSON.stringify(proof({}, { payload: 0 })).replace(
              '"payload":0',
              `"payload":{"__proto__":${JSON.stringify(right)}}`,
            ),
          ),
      ],
      ['JSON ten thousand lists deep', () => header64(`${'['.repeat(10_000)}`)],
    ]
    for (const [name, text] of texts) {
      test(name, async () => {
        const answer = await withHeader(text())
        expect([402, 431], answer.body).toContain(answer.status)
        expect(answer.body).not.toContain('"payment"')
        if (answer.status === 402)
          expect(JSON.parse(answer.body).error ?? WRONG_FORMAT).toBe(WRONG_FORMAT)
      })
    }

    test('refuses a megabyte of JSON', async () => {
      const value = header64(proof({}, { more: 'x'.repeat(1_000_000) }))
      const text = requestText('GET', '/weather', [['x-payment', value]])
      // The server may close the connection before such a header is sent completely.
      const answer = await exchange(gate.port, text).catch((error: Error) => error)
      if (answer instanceof Error) expect(answer.message).toMatch(/^closed/)
      else expect([400, 402, 413, 431]).toContain(answer.status)
    })

    test('refuses a repeated proof header', async () => {
      const value = header64(proof())
      const answer = await gate.ask('GET', '/weather', [
        ['x-payment', value],
        ['X-PAYMENT', value],
      ])
      expectRefused(answer, WRONG_FORMAT, 'invalid_payload')
    })

    test('refuses the headers of both protocols together', async () => {
      const value = header64(proof())
      const answer = await gate.ask('GET', '/weather', [
        ['x-payment', value],
        ['payment-signature', value],
      ])
      expectRefused(answer, WRONG_FORMAT, 'invalid_payload')
    })

    test("refuses the contract's proof in the header of version 2", async () => {
      const answer = await withHeader(header64(proof()), 'payment-signature')
      expect(answer.status).toBe(402)
      expect(answer.body).not.toContain('"payment"')
    })

    test.each(['HEAD', 'OPTIONS'])(
      'refuses a proof with %s, whose response contains no resource',
      async (method) => {
        const answer = await gate.ask(method, '/weather', [['x-payment', header64(proof())]])
        expect(answer.body).not.toContain('"payment"')
        expect(answer.status).toBe(method === 'HEAD' ? 402 : 204)
      },
    )

    test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND'])(
      'refuses a proof with %s, a method that the resource does not have',
      async (method) => {
        const answer = await gate.ask(method, '/weather', [
          ['x-payment', header64(proof())],
          ['content-length', '0'],
        ])
        expect(answer.body).not.toContain('"payment"')
        expect([400, 402, 405, 501]).toContain(answer.status)
      },
    )
  })

  // After all invalid proofs that name it.
  test('serves the payment that all these proofs name once, however its hash is spelled', async () => {
    const [capitals] = SPELLINGS
    const txHash = capitals?.[1](right.txHash)
    expectServed(await withHeader(header64(proof({ txHash }))), right.txHash)
    expectRefused(await withHeader(header64(proof())), NOT_VERIFIED, 'payment_spent')
  })

  test.each(SPELLINGS)('refuses a spent payment whose hash is spelled %s', async (_, spell) => {
    const answer = await withHeader(header64(proof({ txHash: spell(right.txHash) })))
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 402 })
    expect(answer.body).not.toContain('"payment"')
  })

  test('serves an honest payment afterwards', async () => {
    await expectHonestPayment(gate)
  })
})
