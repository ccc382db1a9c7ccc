import { hashTypedData, keccak256, stringToBytes } from 'viem'
import { expect, test } from 'vitest'
import { formatData } from '../../../../host/base/hex.ts'
import { nobleRecovery } from '../../../../host/evm/chain-types/noble-recovery.ts'
import {
  paidRequestDigest,
  paidRequestTypedData,
  referenceCommitment,
  signedRequest,
} from '../../../../host/payments/protocol/request-signature.ts'

const REQUEST = {
  chainId: 1_329n,
  method: 'GET',
  resource: '/weather?city=Z%C3%BCrich',
  reference: 'AAAA_reference-of-a-challenge',
  txHash: `0x${'ab'.repeat(32)}`,
} as const

test("the digest equals viem's hash of the typed data (EIP-712)", () => {
  const digest = formatData(paidRequestDigest(REQUEST, nobleRecovery.keccak256))
  expect(digest).toBe(hashTypedData(paidRequestTypedData(REQUEST)))
})

test.each([
  { chainId: 1_328n },
  { method: 'POST' },
  { resource: '/weather' },
  { reference: 'AAAA_reference-of-another' },
  { txHash: `0x${'ac'.repeat(32)}` as const },
])('the digest changes with %o', (change) => {
  const digest = formatData(paidRequestDigest({ ...REQUEST, ...change }, nobleRecovery.keccak256))
  expect(digest).not.toBe(hashTypedData(paidRequestTypedData(REQUEST)))
})

test('the commitment to a reference is its Keccak-256', () => {
  expect(referenceCommitment('reference', nobleRecovery.keccak256)).toBe(
    keccak256(stringToBytes('reference')),
  )
})

test('the signed part of a request is its method and its path with the query', () => {
  expect(signedRequest('get', new URL('http://127.0.0.1:8402/a/b?c=d#e'))).toEqual({
    method: 'GET',
    resource: '/a/b?c=d',
  })
})
