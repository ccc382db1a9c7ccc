import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { AuthorizationProof } from '../../../../host/payments/protocol/proof.ts'
import {
  type FacilitatorAccess,
  FacilitatorRules,
  type LeastAmount,
  type PayeeLimits,
} from '../../../../host/payments/settle/facilitator-rules.ts'
import { readFacilitatorTokens } from '../../../../host/payments/settle/facilitator-tokens.ts'
import { nonceOf, signAuthorization } from '../../../support/payments/signed-authorization.ts'
import { until } from '../../../support/until.ts'
import {
  FACILITATED_TERMS,
  FROM,
  firstPayment,
  PAYEE,
  PAYER,
  REQUIREMENT_1,
  REQUIREMENT_2,
  secondPayment,
  startFacilitator,
} from './facilitator-fixture.ts'

const TOKEN = 'a1b2c3d4'.repeat(8)
const ANY: FacilitatorAccess = { isOpen: true }

function rulesOf(
  access: FacilitatorAccess,
  least: LeastAmount = { amount: 1n },
  limits?: PayeeLimits,
) {
  return () => new FacilitatorRules(access, least, limits, () => 0)
}

function orderOf(proof: AuthorizationProof, requirement: object = {}) {
  return proof.version === 1
    ? {
        paymentPayload: firstPayment(proof),
        paymentRequirements: { ...REQUIREMENT_1, ...requirement },
      }
    : {
        x402Version: 2,
        paymentPayload: {
          ...secondPayment(proof),
          accepted: { ...REQUIREMENT_2, ...requirement },
        },
        paymentRequirements: { ...REQUIREMENT_2, ...requirement },
      }
}

type Started = Awaited<ReturnType<typeof startFacilitator>>

/** Returns the common reason of `/verify` and `/settle` for an order, or undefined if it is valid. */
async function reasonOf({ ask }: Started, order: object): Promise<string | undefined> {
  const verified = JSON.parse((await ask('/verify', order)).body)
  if (verified.isValid) return undefined
  const settled = JSON.parse((await ask('/settle', order)).body)
  expect([settled.success, settled.errorReason, settled.errorMessage]).toEqual([
    false,
    verified.invalidReason,
    verified.invalidMessage,
  ])
  return verified.invalidReason
}

test('a facilitator with an empty list of payees does not open', () => {
  for (const access of [{}, { payees: [] }, { tokens: [] }, { payees: [], tokens: [] }]) {
    expect(() => new FacilitatorRules(access, { amount: 1n })).toThrow(
      'the facilitator would pay gas for anyone',
    )
  }
})

test('five authorizations of zero, with which a payer pays itself, cost no gas', async () => {
  const started = await startFacilitator()
  for (let nonce = 1; nonce <= 5; nonce++) {
    const proof = await started.sign(2, nonce, { to: FROM, value: 0n })
    const order = orderOf(proof, { payTo: FROM, amount: '0' })
    expect(await reasonOf(started, order)).toBe('invalid_exact_evm_payload_authorization_value')
  }
  const own = await started.sign(2, 6, { to: FROM })
  expect(await reasonOf(started, orderOf(own, { payTo: FROM }))).toBe(
    'invalid_exact_evm_payload_recipient_mismatch',
  )
  const nothing = await started.sign(1, 7, { value: 0n })
  expect(await reasonOf(started, orderOf(nothing, { maxAmountRequired: '0' }))).toBe(
    'invalid_exact_evm_payload_authorization_value',
  )
  expect(started.chain.sent).toBe(0)
})

test('nothing is settled for payees that are not listed', async () => {
  const started = await startFacilitator({ rules: rulesOf({ payees: [FROM] }) })
  for (const version of [1, 2] as const) {
    const order = orderOf(await started.sign(version))
    expect(await reasonOf(started, order)).toBe('invalid_payment_requirements')
  }
  const own = await startFacilitator({ rules: rulesOf({ payees: [FROM, PAYEE] }) })
  expect(await reasonOf(own, orderOf(await own.sign(2)))).toBeUndefined()
})

test('a caller without a known token can neither verify nor settle', async () => {
  const { ask, sign, chain } = await startFacilitator({ rules: rulesOf({ tokens: [TOKEN] }) })
  const order = orderOf(await sign(2))
  const wrong = [undefined, '', 'Bearer', 'Bearer ', `Basic ${TOKEN}`, `Bearer ${TOKEN}0`, TOKEN]
  for (const authorization of wrong) {
    for (const path of ['/verify', '/settle']) {
      const answer = await ask(path, order, 'POST', authorization)
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([
        401,
        'Bearer realm="facilitator"',
      ])
      expect(answer.body).not.toContain(TOKEN)
    }
  }
  expect(chain.sent).toBe(0)
  expect((await ask('/supported', '', 'GET')).status).toBe(200)
  const known = await ask('/verify', order, 'POST', `Bearer ${TOKEN}`)
  expect(JSON.parse(known.body)).toEqual({ isValid: true, payer: FROM })
})

test('if payees and tokens are configured, both must match', async () => {
  const rules = rulesOf({ tokens: [TOKEN], payees: [FROM] })
  const { ask, sign } = await startFacilitator({ rules })
  const answer = await ask('/verify', orderOf(await sign(2)), 'POST', `Bearer ${TOKEN}`)
  expect(JSON.parse(answer.body)).toMatchObject({ invalidReason: 'invalid_payment_requirements' })
})

test('the minimum amount covers the gas of a settlement at the current price', async () => {
  let offered = 2n * 10n ** 9n
  const chain = { maxFeePerGas: async () => offered }
  // 150,000 gas at 1 gwei cost 0.00015 native tokens. One native token is worth half a token of six decimals.
  const least: LeastAmount = { chain, tokenPrice: 5n * 10n ** 17n, decimals: 6 }
  const started = await startFacilitator({ rules: rulesOf(ANY, least) })
  const reasonFor = async (nonce: number, value: bigint) => {
    const proof = await started.sign(2, nonce, { value })
    return reasonOf(started, orderOf(proof, { amount: `${value}` }))
  }
  expect(await reasonFor(1, 299n)).toBe('invalid_exact_evm_payload_authorization_value')
  expect(await reasonFor(2, 300n)).toBeUndefined()
  offered *= 2n
  expect(await reasonFor(3, 300n)).toBe('invalid_exact_evm_payload_authorization_value')
  expect(await reasonFor(4, 600n)).toBeUndefined()
  expect(started.chain.sent).toBe(0)
})

test.each([
  ['has expired', { validBefore: 1_800_000_005n }, 'valid_before'],
  ['is not valid yet', { validAfter: 1_800_000_100n, validBefore: 1_800_000_900n }, 'valid_after'],
])('an authorization that %s is refused by verify and settle', async (_, fields, reason) => {
  const started = await startFacilitator()
  const order = orderOf(await started.sign(2, 1, fields))
  expect(await reasonOf(started, order)).toBe(`invalid_exact_evm_payload_authorization_${reason}`)
})

test.each([
  [{ chainId: 1n }],
  [{ token: { name: 'USDC', version: '1' } }],
  [{ token: { name: 'USD Coin', version: '2' } }],
  [{ asset: PAYEE }],
])(
  'an authorization that is signed for another domain (%o) is refused by verify and settle',
  async (other) => {
    const started = await startFacilitator()
    const terms = { ...FACILITATED_TERMS, ...other }
    const fields = { version: 2 as const, nonce: nonceOf(1) }
    const proof = await signAuthorization(PAYER, terms, started.chain.now(), fields)
    expect(await reasonOf(started, orderOf(proof))).toBe('invalid_exact_evm_payload_signature')
  },
)

test('a settled authorization is reported as used by /verify and /settle', async () => {
  const started = await startFacilitator()
  for (const [version, reason] of [
    [2, 'invalid_exact_evm_nonce_already_used'],
    // The fixed list of reasons in version 1's published clients has no such name.
    [1, 'invalid_transaction_state'],
  ] as const) {
    const order = orderOf(await started.sign(version, version))
    expect(await reasonOf(started, order)).toBeUndefined()
    const answer = await started.settle(order)
    expect(JSON.parse(answer.body)).toMatchObject({ success: true })
    // It counts as being settled until the answer is delivered.
    expect(await reasonOf(started, order)).toBe('duplicate_settlement')
    await answer.delivered()
    expect(await reasonOf(started, order)).toBe(reason)
    const elsewhere = version === 1 ? { resource: 'https://other.example/' } : {}
    expect(await reasonOf(started, orderOf(await started.sign(version, version), elsewhere))).toBe(
      reason,
    )
  }
  expect(started.chain.sent).toBe(2)
})

test('an authorization that a third party settled first is reported once', async () => {
  const started = await startFacilitator()
  const order = orderOf(await started.sign(2))
  const lost = await started.settle(order)
  await lost.failed()
  expect(await reasonOf(started, order)).toBeUndefined()
  const told = await started.ask('/settle', order)
  expect(told.body).toBe(lost.body)
  await told.delivered()
  expect(await reasonOf(started, order)).toBe('invalid_exact_evm_nonce_already_used')
  expect(started.chain.sent).toBe(1)
})

test('a flood of valid payments to one payee is limited, concurrently and per minute', async () => {
  const limits = { perMinute: 3, inFlight: 2 }
  const started = await startFacilitator({ rules: rulesOf(ANY, { amount: 1n }, limits) })
  const { ask, chain, sign } = started
  const orders = []
  for (let nonce = 1; nonce <= 10; nonce++) orders.push(orderOf(await sign(2, nonce)))
  const asked = orders.map((order) => ask('/settle', order))
  await until(() => chain.pooled === 2)
  expect(await reasonOf(started, orderOf(await sign(2, 20)))).toBe('settle_exact_node_failure')
  await chain.mine()
  const bodies = (await Promise.all(asked)).map(({ body }) => JSON.parse(body))
  expect(bodies.filter(({ success }) => success)).toHaveLength(2)
  const refused = bodies.filter(({ success }) => !success)
  expect(new Set(refused.map(({ errorReason }) => errorReason))).toEqual(
    new Set(['settle_exact_node_failure']),
  )
  expect(JSON.parse((await started.settle(orderOf(await sign(2, 21)))).body).success).toBe(true)
  expect(await reasonOf(started, orderOf(await sign(2, 22)))).toBe('settle_exact_node_failure')
  expect(chain.sent).toBe(3)
})

test('members that a payer adds to accepted.extra are ignored, and others are refused', async () => {
  const started = await startFacilitator()
  const base = orderOf(await started.sign(2)) as ReturnType<typeof orderOf> & {
    paymentPayload: { accepted: object }
  }
  const accepting = (accepted: object) => ({
    ...base,
    paymentPayload: { ...base.paymentPayload, accepted: { ...REQUIREMENT_2, ...accepted } },
  })
  const { extra } = REQUIREMENT_2
  for (const added of [{ assetTransferMethod: 'eip3009' }, { note: { deep: [1] } }]) {
    const order = accepting({ extra: { ...extra, ...added } })
    expect(await reasonOf(started, order)).toBeUndefined()
  }
  for (const changed of [
    { extra: { ...extra, assetTransferMethod: 'permit2' } },
    { extra: { ...extra, version: '1' } },
    { amount: '999' },
    { maxTimeoutSeconds: 301 },
    { payTo: FROM },
    { added: true },
  ]) {
    expect(await reasonOf(started, accepting(changed)), JSON.stringify(changed)).toBe(
      'invalid_payment_requirements',
    )
  }
})

test('facilitator tokens are read from a private file, and no error quotes one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tokens-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'tokens')
  const write = (text: string, mode = 0o600) => {
    rmSync(path, { force: true })
    writeFileSync(path, text, { mode })
  }
  write(`# shop\n${TOKEN}\n\n ${TOKEN}== \n`)
  expect(await readFacilitatorTokens(path)).toEqual([TOKEN, `${TOKEN}==`])
  for (const [text, problem, mode] of [
    ['# nothing\n', 'holds no token', 0o600],
    [`${TOKEN}\nshort-secret`, 'has no valid token in line 2', 0o600],
    [TOKEN, 'has mode 0644', 0o644],
  ] as const) {
    write(text, mode)
    const error = await readFacilitatorTokens(path).catch((thrown: Error) => thrown)
    expect(`${error}`).toContain(problem)
    expect(`${error}`).not.toContain('short-secret')
  }
})
