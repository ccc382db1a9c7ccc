import { encodeFunctionData, hashTypedData, keccak256, parseAbi, stringToBytes } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { Hex } from '../../../../host/base/hex.ts'
import { paidRequestTypedData } from '../../../../host/payments/protocol/request-signature.ts'
import {
  admission,
  gateFixture,
  PAYER,
  referenceOf,
  refusal,
  transferProof,
  WEATHER,
} from '../../../support/payments/gate-fixture.ts'
import { FakeSettlement } from './fake-settlement.ts'

const payer = privateKeyToAccount(
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
)
const thief = privateKeyToAccount(
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
)

const OTHER = { ...WEATHER, path: '/other' }

function shown(txHash: Hex, payload: object = {}) {
  return { headers: { 'x-payment': transferProof(txHash, payload) } }
}

test('with eip3009 a transaction hash is not a proof', async () => {
  const settlement = new FakeSettlement(`0x${'0'.repeat(64)}`, PAYER)
  const { ask, pay, chain } = gateFixture({ binding: 'eip3009', settlement })
  await ask()
  expect(refusal(await ask(shown(pay()))).reason).toBe('authorization_required')
  expect(chain.asked).toEqual([])
})

/** Returns transfer data with the commitment to a reference. */
const bound = (reference: string): Hex =>
  `0xa9059cbb${'00'.repeat(64)}${keccak256(stringToBytes(reference)).slice(2)}`

test('with reference the holder of the reference in the transfer is served', async () => {
  const { ask, pay } = gateFixture({ binding: 'reference' })
  const reference = referenceOf(await ask())
  const txHash = pay({}, { input: bound(reference) })
  admission(await ask(shown(txHash, { reference })))
})

test('with reference a thief that sees the transaction does not know the reference', async () => {
  const { ask, pay, chain } = gateFixture({ binding: 'reference' })
  const reference = referenceOf(await ask())
  const txHash = pay({}, { input: bound(reference) })
  const own = referenceOf(await ask())
  expect(refusal(await ask(shown(txHash))).reason).toBe('invalid_reference')
  expect(refusal(await ask(shown(txHash, { reference: 'guess' }))).reason).toBe('invalid_reference')
  expect(chain.asked).toEqual([])
  expect(refusal(await ask(shown(txHash, { reference: own }))).reason).toBe('transfer_unbound')
})

test('with reference a reference of another resource is refused', async () => {
  const { ask, pay } = gateFixture({ binding: 'reference' })
  const reference = referenceOf(await ask({}, OTHER))
  const txHash = pay({}, { input: bound(reference) })
  expect(refusal(await ask(shown(txHash, { reference }))).reason).toBe('invalid_reference')
})

test.each([
  ['before its challenge', -31n],
  ['after its time', 301n],
])('with reference a payment %s is refused', async (_, shift) => {
  const { ask, pay, chain } = gateFixture({ binding: 'reference' })
  const reference = referenceOf(await ask())
  const blockTime = chain.time + shift
  chain.time += 400n
  // At `bearer` this second challenge would be sufficient.
  await ask()
  const txHash = pay({}, { input: bound(reference), blockTime })
  expect(refusal(await ask(shown(txHash, { reference }))).reason).toBe('payment_outside_window')
})

function signature(reference: string, txHash: Hex, change: object = {}, by = payer) {
  return by.signTypedData(
    paidRequestTypedData({
      chainId: 31_337n,
      method: 'GET',
      resource: '/weather',
      reference,
      txHash,
      ...change,
    }),
  )
}

test('with signed the payer of this request is served', async () => {
  const { ask, pay } = gateFixture({ binding: 'signed' })
  const reference = referenceOf(await ask())
  const txHash = pay()
  const signed = await signature(reference, txHash)
  admission(await ask(shown(txHash, { reference, signature: signed })))
})

test('with signed a v of 0 or 1 is read as 27 or 28', async () => {
  const { ask, pay } = gateFixture({ binding: 'signed' })
  const reference = referenceOf(await ask())
  const txHash = pay()
  const signed = await signature(reference, txHash)
  const low = `${signed.slice(0, -2)}${signed.endsWith('1b') ? '00' : '01'}`
  admission(await ask(shown(txHash, { reference, signature: low })))
})

test.each<[string, object, typeof payer]>([
  ['by somebody else', {}, thief],
  ['for another method', { method: 'POST' }, payer],
  ['for another query', { resource: '/weather?city=Bern' }, payer],
  ['for another chain', { chainId: 1n }, payer],
  ['for another transaction', { txHash: `0x${'ab'.repeat(32)}` }, payer],
  ['for another reference', { reference: 'another' }, payer],
])('with signed a signature %s is refused', async (_, change, by) => {
  const { ask, pay, claims } = gateFixture({ binding: 'signed' })
  const reference = referenceOf(await ask())
  const txHash = pay()
  const signed = await signature(reference, txHash, change, by)
  const proof = shown(txHash, { reference, signature: signed })
  expect(refusal(await ask(proof)).reason).toBe('invalid_request_signature')
  expect(claims.records()).toEqual([])
})

test('with signed a thief cannot name himself as the payer', async () => {
  const { ask, pay } = gateFixture({ binding: 'signed' })
  const reference = referenceOf(await ask())
  const txHash = pay()
  const from = thief.address.toLowerCase()
  const signed = await signature(reference, txHash, {}, thief)
  const proof = shown(txHash, { reference, signature: signed, from })
  expect(refusal(await ask(proof)).reason).toBe('transfer_missing')
  expect(refusal(await ask(shown(txHash, { reference }))).reason).toBe('invalid_request_signature')
})

const WALLET: Hex = `0x${'3a'.repeat(20)}`
const TAKEN: Hex = `0x1626ba7e${'00'.repeat(28)}`

test.each<[string, Hex, string]>([
  ['takes for its own', TAKEN, 'admitted'],
  ['refuses', `0x${'ff'.repeat(32)}`, 'invalid_request_signature'],
  ['says nothing about', '0x', 'invalid_request_signature'],
  ['answers in four bytes about', '0x1626ba7e', 'invalid_request_signature'],
])('with signed a contract paid and %s the signature (ERC-1271)', async (_, says, expected) => {
  const { ask, pay, chain } = gateFixture({ binding: 'signed' })
  const reference = referenceOf(await ask())
  const txHash = pay({ from: WALLET })
  const digest = hashTypedData(
    paidRequestTypedData({
      chainId: 31_337n,
      method: 'GET',
      resource: '/weather',
      reference,
      txHash,
    }),
  )
  const asked: Hex[] = []
  chain.contracts.set(WALLET, (data) => {
    asked.push(data)
    return says
  })
  const proof = shown(txHash, { reference, signature: `0x${'77'.repeat(90)}`, from: WALLET })
  const answer = await ask(proof)
  expect(answer.kind === 'admitted' ? 'admitted' : answer.reason).toBe(expected)
  expect(asked).toEqual([
    encodeFunctionData({
      abi: parseAbi(['function isValidSignature(bytes32,bytes)']),
      args: [digest, `0x${'77'.repeat(90)}`],
    }),
  ])
})

test('with signed a signature is valid for one reference, and a reference for its time', async () => {
  const { ask, pay, chain } = gateFixture({ binding: 'signed' })
  const reference = referenceOf(await ask())
  chain.time += 301n
  await ask()
  const txHash = pay()
  const signed = await signature(reference, txHash)
  const proof = shown(txHash, { reference, signature: signed })
  expect(refusal(await ask(proof)).reason).toBe('payment_outside_window')
})

test('with bearer the first request with the hash is served, as in the contract', async () => {
  const { ask, pay } = gateFixture()
  await ask()
  const txHash = pay()
  expect(admission(await ask(shown(txHash))).payment.payer).toBe(PAYER)
})

test.each(['reference', 'signed', 'eip3009'] as const)(
  'a challenge states the binding %s, which the contract does not define',
  async (binding) => {
    const settlement = new FakeSettlement(`0x${'0'.repeat(64)}`, PAYER)
    const { ask } = gateFixture({ binding, settlement })
    expect(JSON.parse(refusal(await ask()).body).accepts[0].extra).toMatchObject({ binding })
  },
)
