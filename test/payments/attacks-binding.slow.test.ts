import { type Hex, keccak256, toHex } from 'viem'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import {
  type GateNode,
  initGateHome,
  PAY_TO,
  PRICE,
  startGateNode,
} from '../support/payments/gate-node.ts'
import { firstVersionProof, header64 } from '../support/payments/hand-made-proof.ts'
import type { Payer } from '../support/payments/payer.ts'
import { type CountingUpstream, startCountingUpstream } from './counting-upstream.ts'
import { expectRefused, expectServed, NOT_VERIFIED } from './expectations.ts'
import { type SaidRequest, signRequest } from './request-signature.ts'

const OPTIONS = ['--consensus.block-time', '50ms', '--payments.binding']
const CHAIN_ID = 31337

type Payload = Readonly<Record<string, unknown>> & { readonly txHash: Hex }

const folder = makeHome()
let upstream: CountingUpstream
let gate: GateNode
let payer: Payer
let thief: Payer

beforeAll(async () => {
  upstream = await startCountingUpstream()
  upstream.answer = (_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end('{}')
  }
  const resource = (path: string) => `
[[payments.resource]]
path = "${path}"
upstream = "${upstream.url}"
price = "0.001"
media-type = "application/json"
`
  await initGateHome(folder, `${resource('/one')}${resource('/two')}`)
})

afterAll(async () => {
  await upstream?.close()
  removeHome(folder)
})

const referenceOf = async (target: string): Promise<string> =>
  (await gate.challenge(target)).accepts[0]?.extra.reference as string

const payloadOf = (by: Payer, txHash: Hex, more: object = {}): Payload => ({
  txHash,
  amount: String(PRICE),
  from: by.address,
  ...more,
})

const commitment = (reference: string) => keccak256(toHex(reference)).slice(2)

function withBinding(binding: string): void {
  beforeAll(async () => {
    gate = await startGateNode(folder, [...OPTIONS, binding], '/one')
    payer = gate.payer(0)
    thief = gate.payer(1)
  })
  afterAll(() => gate?.daemon.stop())
}

describe('the binding bearer', () => {
  withBinding('bearer')

  test('serves any one resource of its price for a payment, to the first client that presents it', async () => {
    await Promise.all([gate.challenge('/one'), gate.challenge('/two')])
    const payload = payloadOf(payer, await payer.pay(PAY_TO, PRICE))
    expectServed(await gate.show('/two', payload), payload.txHash)
    expectRefused(await gate.show('/one', payload), NOT_VERIFIED, 'payment_spent')
  })
})

describe('the binding reference', () => {
  withBinding('reference')

  test('accepts no transaction hash that was merely seen on the chain', async () => {
    const reference = await referenceOf('/one')
    const txHash = await payer.pay(PAY_TO, PRICE, commitment(reference))
    const stolen = payloadOf(payer, txHash)
    expectRefused(await gate.show('/one', stolen), NOT_VERIFIED, 'invalid_reference')
    const own = { ...stolen, reference: await referenceOf('/one') }
    expectRefused(await gate.show('/one', own), NOT_VERIFIED, 'transfer_unbound')
    expectServed(await gate.show('/one', { ...stolen, reference }), txHash)
  })

  test('accepts no payment for another resource', async () => {
    const reference = await referenceOf('/one')
    const txHash = await payer.pay(PAY_TO, PRICE, commitment(reference))
    const payload = payloadOf(payer, txHash, { reference })
    expectRefused(await gate.show('/two', payload), NOT_VERIFIED, 'invalid_reference')
    expectServed(await gate.show('/one', payload), txHash)
  })

  test('accepts no payment without a challenge reference', async () => {
    const reference = await referenceOf('/one')
    const payload = payloadOf(payer, await payer.pay(PAY_TO, PRICE), { reference })
    expectRefused(await gate.show('/one', payload), NOT_VERIFIED, 'transfer_unbound')
  })

  test('accepts no reference that this gate has not issued', async () => {
    const reference = await referenceOf('/one')
    const forged = `${reference.slice(0, -1)}${reference.endsWith('A') ? 'B' : 'A'}`
    for (const named of [forged, reference.toUpperCase(), `${reference} `, '', 'x'.repeat(5000)]) {
      const txHash = await thief.pay(PAY_TO, PRICE, commitment(named))
      const payload = payloadOf(thief, txHash, { reference: named })
      expectRefused(await gate.show('/one', payload), NOT_VERIFIED, 'invalid_reference')
    }
  })
})

describe('the binding signed', () => {
  withBinding('signed')

  const said = (txHash: Hex, reference: string): SaidRequest => ({
    chainId: CHAIN_ID,
    method: 'GET',
    resource: '/one',
    reference,
    txHash,
  })

  test('accepts no hash that was seen on the chain, even with a signature of the thief', async () => {
    const reference = await referenceOf('/one')
    const txHash = await payer.pay(PAY_TO, PRICE)
    const stolen = payloadOf(payer, txHash)
    expectRefused(await gate.show('/one', stolen), NOT_VERIFIED, 'invalid_reference')
    const unsigned = { ...stolen, reference: await referenceOf('/one') }
    expectRefused(await gate.show('/one', unsigned), NOT_VERIFIED, 'invalid_request_signature')
    const signature = await signRequest(thief, said(txHash, unsigned.reference))
    expectRefused(
      await gate.show('/one', { ...unsigned, signature }),
      NOT_VERIFIED,
      'invalid_request_signature',
    )
    const inTheThiefsName = { ...unsigned, signature, from: thief.address }
    expectRefused(await gate.show('/one', inTheThiefsName), NOT_VERIFIED, 'transfer_missing')
    const own = await signRequest(payer, said(txHash, reference))
    expectServed(await gate.show('/one', { ...stolen, reference, signature: own }), txHash)
  })

  const OTHERS: readonly (readonly [string, Partial<SaidRequest>])[] = [
    ['another resource', { resource: '/two' }],
    ['the same with another query', { resource: '/one?more' }],
    ['another method', { method: 'POST' }],
    ['another chain', { chainId: 1329 }],
    ['another payment', { txHash: `0x${'11'.repeat(32)}` }],
    ['another challenge', { reference: 'another' }],
  ]
  test.each(OTHERS)('accepts no signature over %s', async (_, change) => {
    const reference = await referenceOf('/one')
    const txHash = await payer.pay(PAY_TO, PRICE)
    const payload = payloadOf(payer, txHash, { reference })
    const other = await signRequest(payer, { ...said(txHash, reference), ...change })
    expectRefused(
      await gate.show('/one', { ...payload, signature: other }),
      NOT_VERIFIED,
      'invalid_request_signature',
    )
    const signature = await signRequest(payer, said(txHash, reference))
    expectServed(await gate.show('/one', { ...payload, signature }), txHash)
  })

  test('does not serve a spent payment again for a new challenge and signature', async () => {
    const pay = async (txHash: Hex) => {
      const reference = await referenceOf('/one')
      const signature = await signRequest(payer, said(txHash, reference))
      return gate.show('/one', payloadOf(payer, txHash, { reference, signature }))
    }
    await gate.challenge('/one')
    const txHash = await payer.pay(PAY_TO, PRICE)
    expectServed(await pay(txHash), txHash)
    expectRefused(await pay(txHash), NOT_VERIFIED, 'payment_spent')
  })
})

describe('the binding eip3009', () => {
  withBinding('eip3009')

  test('accepts authorizations and no transaction hashes', async () => {
    await gate.challenge('/one')
    const payload = payloadOf(payer, await payer.pay(PAY_TO, PRICE))
    expectRefused(await gate.show('/one', payload), NOT_VERIFIED, 'authorization_required')
    const authorization = await payer.authorize({ to: PAY_TO, value: PRICE })
    const proof = header64(firstVersionProof(gate.network, authorization))
    expectServed(await gate.ask('GET', '/one', [['x-payment', proof]]))
  })
})
