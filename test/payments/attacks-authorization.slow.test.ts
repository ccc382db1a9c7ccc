import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Contract, compile } from '../support/contracts/solidity.ts'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import type { RawResponse } from '../support/node/raw-socket.ts'
import { type GateNode, PAY_TO, PRICE, startGateNode } from '../support/payments/gate-node.ts'
import {
  firstVersionProof,
  header64,
  type SignedAuthorization,
  secondVersionProof,
} from '../support/payments/hand-made-proof.ts'
import type { AuthorizationChoice, Payer } from '../support/payments/payer.ts'
import {
  expectRefused,
  expectServed,
  NOT_VERIFIED,
  paymentOf,
  WRONG_FORMAT,
} from './expectations.ts'

const OPTIONS = ['--consensus.block-time', '50ms']
const TARGET = '/x402/weather'
const DEPLOYER = 5

const home = makeHome()
let gate: GateNode
let payer: Payer
let thief: Payer

beforeAll(async () => {
  gate = await startGateNode(home, OPTIONS)
  payer = gate.payer(0)
  thief = gate.payer(1)
})

afterAll(async () => {
  await gate?.daemon.stop()
  removeHome(home)
})

const showFirst = (authorization: SignedAuthorization, target = TARGET): Promise<RawResponse> =>
  gate.ask('GET', target, [['x-payment', header64(firstVersionProof(gate.network, authorization))]])

async function showSecond(
  authorization: SignedAuthorization,
  challengeOf = TARGET,
  target = TARGET,
): Promise<RawResponse> {
  const { headers } = await gate.ask('GET', challengeOf)
  const [challenge = ''] = headers.get('payment-required') ?? []
  const proof = header64(secondVersionProof(challenge, authorization))
  return gate.ask('GET', target, [['payment-signature', proof]])
}

const right = (choice: Partial<AuthorizationChoice> = {}, domain?: object) =>
  payer.authorize({ to: PAY_TO, value: PRICE, ...choice }, domain)

/** Returns how many tokens the payer spends during an action. */
async function spent(by: Payer, action: () => Promise<unknown>): Promise<bigint> {
  const before = await by.balance()
  await action()
  return before - (await by.balance())
}

const now = () => BigInt(Math.floor(Date.now() / 1000))

const WRONG: readonly (readonly [string, string, () => Promise<SignedAuthorization>])[] = [
  [
    'that pays somebody else',
    'invalid_exact_evm_payload_recipient_mismatch',
    () => right({ to: thief.address }),
  ],
  [
    'of less than the price',
    'invalid_exact_evm_payload_authorization_value',
    () => right({ value: PRICE - 1n }),
  ],
  [
    'that has expired',
    'invalid_exact_evm_payload_authorization_valid_before',
    () => right({ validBefore: now() - 10n }),
  ],
  [
    'that is not valid yet',
    'invalid_exact_evm_payload_authorization_valid_after',
    () => right({ validAfter: now() + 1000n }),
  ],
  [
    'signed by somebody else',
    'invalid_exact_evm_payload_signature',
    async () => {
      const { signature } = await thief.authorize({ to: PAY_TO, value: PRICE })
      return { ...(await right()), signature }
    },
  ],
  [
    'whose amount was raised after it was signed',
    'invalid_exact_evm_payload_signature',
    async () => {
      const low = await right({ value: 1n })
      return { ...low, authorization: { ...low.authorization, value: String(PRICE) } }
    },
  ],
  ['for another chain', 'invalid_exact_evm_payload_signature', () => right({}, { chainId: 1329 })],
  [
    'for another token',
    'invalid_exact_evm_payload_signature',
    () => right({}, { verifyingContract: thief.address }),
  ],
  [
    'with a signature of another form',
    'invalid_exact_evm_payload_signature',
    async () => ({ ...(await right()), signature: `0x${'00'.repeat(65)}` }),
  ],
]

describe('an authorization transfers nothing and unlocks nothing', () => {
  test.each(WRONG)('if it is one %s', async (_, invalidReason, make) => {
    const authorization = await make()
    const cost = await spent(payer, async () => {
      expectRefused(await showFirst(authorization), NOT_VERIFIED, invalidReason)
      expectRefused(await showSecond(authorization), NOT_VERIFIED, invalidReason)
    })
    expect(cost).toBe(0n)
    expectServed(await showFirst(await right()))
  })

  test('if its account has no tokens', async () => {
    const balance = await thief.balance()
    await thief.pay(payer.address, balance)
    const authorization = await thief.authorize({ to: PAY_TO, value: PRICE })
    expectRefused(await showFirst(authorization), NOT_VERIFIED, 'insufficient_funds')
    await payer.pay(thief.address, balance)
  })

  test('if it was cancelled or used for another purpose before', async () => {
    const authorization = await right({ to: thief.address })
    await thief.carryOut(authorization)
    const same = await right({ nonce: authorization.authorization.nonce })
    expectRefused(await showFirst(same), NOT_VERIFIED, 'invalid_exact_evm_nonce_already_used')
  })

  const texts: readonly (readonly [string, object])[] = [
    ['a value in hex', { value: `0x${PRICE.toString(16)}` }],
    ['a value that is a number', { value: Number(PRICE) }],
    ['a value with an exponent', { value: '1e3' }],
    ['a nonce that is short', { nonce: '0x01' }],
    ['a payer that is none', { from: '0x' }],
    ['no end', { validBefore: undefined }],
  ]
  test.each(texts)('if it is encoded with %s', async (_, change) => {
    const { signature, authorization } = await right()
    const spoilt = { signature, authorization: { ...authorization, ...change } }
    const proof = header64(firstVersionProof(gate.network, spoilt as SignedAuthorization))
    const answer = await gate.ask('GET', TARGET, [['x-payment', proof]])
    expectRefused(answer, WRONG_FORMAT, 'invalid_payload')
  })

  test('if its payload also contains a transaction hash', async () => {
    const authorization = await right()
    const both = { ...authorization, txHash: `0x${'11'.repeat(32)}` }
    const proof = header64(firstVersionProof(gate.network, both))
    const answer = await gate.ask('GET', TARGET, [['x-payment', proof]])
    expectRefused(answer, WRONG_FORMAT, 'invalid_payload')
  })

  test('if it is of x402 version 2 and was made for another resource or other terms', async () => {
    const authorization = await right()
    expectRefused(
      await showSecond(authorization, '/weather', TARGET),
      NOT_VERIFIED,
      'resource_mismatch',
    )
    const { headers } = await gate.ask('GET', TARGET)
    const proof = secondVersionProof(headers.get('payment-required')?.[0] ?? '', authorization)
    const cheap = structuredClone(proof) as { accepted: { amount: string } }
    cheap.accepted.amount = '1'
    expectRefused(
      await gate.ask('GET', TARGET, [['payment-signature', header64(cheap)]]),
      NOT_VERIFIED,
      'invalid_payment_requirements',
    )
    expectServed(await gate.ask('GET', TARGET, [['payment-signature', header64(proof)]]))
  })
})

describe('an authorization is served once and paid once', () => {
  test('if a hundred concurrent requests present it', async () => {
    const authorization = await right()
    const cost = await spent(payer, async () => {
      const answers = await Promise.all(Array.from({ length: 100 }, () => showFirst(authorization)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      for (const { status } of answers) expect([200, 402]).toContain(status)
    })
    expect(cost).toBe(PRICE)
  })

  test('if it is presented in the headers of both versions, sequentially and concurrently', async () => {
    const authorization = await right()
    expectServed(await showFirst(authorization))
    const again = await showSecond(authorization)
    expectRefused(again, NOT_VERIFIED, 'payment_spent')
    const other = await right()
    const answers = await Promise.all([showFirst(other), showSecond(other)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 402])
  })

  test('even if its settlement transaction is presented as a transfer', async () => {
    const served = await showFirst(await right())
    const txHash = paymentOf(served)
    const payload = { txHash, amount: String(PRICE), from: payer.address }
    expectRefused(await gate.show('/weather', payload), NOT_VERIFIED, 'transfer_by_authorization')
  })

  test('even if a third party settled it first, and its payer is served', async () => {
    const authorization = await right()
    await gate.challenge(TARGET)
    const txHash = await thief.carryOut(authorization)
    expectServed(await showFirst(authorization), txHash)
    expectRefused(await showFirst(authorization), NOT_VERIFIED, 'payment_spent')
  })
})

describe('a token that accepts a used authorization without a transfer', () => {
  const other = makeHome()
  let silent: GateNode

  beforeAll(async () => {
    const first = await startGateNode(other, OPTIONS)
    const contract = compile('Payments.sol').get('SilentToken') as Contract
    const holder = first.payer(0)
    const asset = await first.payer(DEPLOYER).deploy(contract, [holder.address])
    await first.daemon.stop()
    silent = await startGateNode(other, [...OPTIONS, '--payments.asset', asset])
    expect(silent.token.toLowerCase()).toBe(asset.toLowerCase())
  })

  afterAll(async () => {
    await silent?.daemon.stop()
    removeHome(other)
  })

  test('is not trusted', async () => {
    const holder = silent.payer(0)
    const show = (proof: object) => silent.ask('GET', TARGET, [['x-payment', header64(proof)]])
    const elsewhere = await holder.authorize({ to: silent.payer(1).address, value: PRICE })
    await silent.payer(1).carryOut(elsewhere)
    const { nonce } = elsewhere.authorization
    const used = await holder.authorize({ to: PAY_TO, value: PRICE, nonce: nonce })
    const refused = await show(firstVersionProof(silent.network, used))
    expectRefused(refused, NOT_VERIFIED, 'invalid_exact_evm_nonce_already_used')
    const right = firstVersionProof(
      silent.network,
      await holder.authorize({ to: PAY_TO, value: PRICE }),
    )
    expectServed(await show(right))
    expectRefused(await show(right), NOT_VERIFIED, 'payment_spent')
  })
})

describe('the node as facilitator', () => {
  const SETTLER = devAccount(8).address
  const settlements = async () =>
    BigInt(await gate.rpcCall('eth_getTransactionCount', [SETTLER, 'latest']))

  /** Returns the reasons of `/verify` and `/settle` for a payment of x402 v2, undefined for each that accepts it. */
  async function reasonsFor(
    { authorization, signature }: SignedAuthorization,
    { amount = String(PRICE), payTo = PAY_TO }: { amount?: string; payTo?: string } = {},
    paths: readonly string[] = ['/verify', '/settle'],
  ): Promise<readonly (string | undefined)[]> {
    const requirement = {
      ...{ scheme: 'exact', network: 'eip155:31337', amount, asset: gate.token, payTo },
      ...{ maxTimeoutSeconds: 300, extra: { name: 'USDC', version: '2' } },
    }
    const accepted = {
      ...requirement,
      extra: { ...requirement.extra, assetTransferMethod: 'eip3009' },
    }
    const body = JSON.stringify({
      x402Version: 2,
      paymentPayload: { x402Version: 2, accepted, payload: { authorization, signature } },
      paymentRequirements: requirement,
    })
    const reasons = []
    for (const path of paths) {
      const init = { method: 'POST', body }
      const answer = await fetch(`http://127.0.0.1:${gate.port}${path}`, init)
      const { invalidReason, errorReason } = (await answer.json()) as Record<string, string>
      reasons.push(invalidReason ?? errorReason)
    }
    return reasons
  }

  test('pays no gas for authorizations of zero from a payer to itself', async () => {
    const before = await settlements()
    for (let count = 0; count < 5; count++) {
      const nothing = await thief.authorize({ to: thief.address, value: 0n })
      const reason = 'invalid_exact_evm_payload_authorization_value'
      const order = { amount: '0', payTo: thief.address }
      expect(await reasonsFor(nothing, order)).toEqual([reason, reason])
    }
    const dust = await thief.authorize({ to: PAY_TO, value: 1n })
    expect(await reasonsFor(dust, { amount: '1' })).toEqual([
      'invalid_exact_evm_payload_authorization_value',
      'invalid_exact_evm_payload_authorization_value',
    ])
    expect(await settlements()).toBe(before)
  })

  test('reports a settled authorization as used from both endpoints', async () => {
    const before = await settlements()
    const authorization = await right()
    expect(await reasonsFor(authorization)).toEqual([undefined, undefined])
    const used = 'invalid_exact_evm_nonce_already_used'
    expect(await reasonsFor(authorization)).toEqual([used, used])
    expect(await reasonsFor(authorization, {}, ['/settle', '/verify'])).toEqual([used, used])
    expect((await settlements()) - before).toBe(1n)
  })
})
