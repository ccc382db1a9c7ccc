import { expect, test } from 'vitest'
import { RecordingSigner } from '../../../../host/wallet/page/recording-signer.ts'
import type { Decision } from '../../../../host/wallet/policy/decision.ts'
import { WalletError } from '../../../../host/wallet/protocol/wallet-error.ts'
import type { SignerLink, SignerRequest } from '../../../../host/wallet/signer/signer-link.ts'

const DECISION: Decision = { allowed: true, reason: 'rule pay allows it', rules: [], charges: [] }
const TOO_FEW = 'insufficient_correct_authorization_signatures'

function asked(request: Partial<SignerRequest['request']> = {}): SignerRequest {
  return {
    appId: 'app',
    requestId: 'request',
    request: {
      method: 'POST',
      path: '/v1/wallets/w1/rpc',
      body: '{"method":"personal_sign"}',
      headers: {},
      signatures: [],
      ...request,
    },
  } as SignerRequest
}

/** Returns a watched signer with configured answers. */
function fixture() {
  const state: { error?: WalletError; now: number } = { now: 1_000 }
  async function answer<T>(value: T): Promise<T> {
    if (state.error !== undefined) throw state.error
    return value
  }
  const link: SignerLink = {
    identify: async () => ({ appId: 'app', walletId: 'w' }),
    ask: () => answer({}),
    authorize: async () => void (await answer({})),
    precheck: () => answer([]),
    sign: () =>
      answer({ signed: { kind: 'signature', signature: '0x12' }, decision: DECISION } as const),
    close: async () => undefined,
  }
  return { state, watched: new RecordingSigner(link, () => state.now) }
}

test('signatures and denials by policies are listed, newest first', async () => {
  const { state, watched } = fixture()
  await watched.sign(asked())
  state.now = 2_000
  state.error = new WalletError('policy_violation', undefined, { reason: 'value gt 5', rules: [] })
  const denied = asked({ path: '/v1/wallets/w2/export', body: '{}' })
  await expect(watched.ask(denied)).rejects.toBe(state.error)
  const common = { appId: 'app', rules: [] }
  expect(watched.decisions()).toEqual([
    {
      ...common,
      at: 2_000,
      walletId: 'w2',
      method: 'export',
      allowed: false,
      reason: 'value gt 5',
    },
    {
      ...common,
      at: 1_000,
      walletId: 'w1',
      method: 'personal_sign',
      allowed: true,
      reason: 'rule pay allows it',
    },
  ])
})

test('the latest 50 decisions are kept', async () => {
  const { watched } = fixture()
  for (let i = 0; i < 60; i++) await watched.sign(asked({ path: `/v1/wallets/w${i}/rpc` }))
  expect(watched.decisions().map(({ walletId }) => walletId)).toEqual(
    Array.from({ length: 50 }, (_, i) => `w${59 - i}`),
  )
})

test('a request with too few signatures is pending until it has enough', async () => {
  const { state, watched } = fixture()
  state.error = new WalletError(TOO_FEW, '1 has signed: 2 have to')
  await expect(watched.sign(asked())).rejects.toBe(state.error)
  state.now = 5_000
  // The same request again, signed by another signer only.
  await expect(watched.sign(asked({ signatures: ['other'] }))).rejects.toBe(state.error)
  expect(watched.waiting()).toEqual([
    {
      since: 1_000,
      until: 3_601_000,
      appId: 'app',
      request: 'POST /v1/wallets/w1/rpc personal_sign',
      missing: '1 has signed: 2 have to',
    },
  ])
  state.error = undefined as never
  await watched.sign(asked({ signatures: ['one', 'other'] }))
  expect(watched.waiting()).toEqual([])
})

test('a pending request is dropped when it expires', async () => {
  const { state, watched } = fixture()
  state.error = new WalletError(TOO_FEW)
  const headers = { 'wallet-app-id': 'app', 'wallet-request-expiry': '3000' }
  await expect(watched.sign(asked({ headers }))).rejects.toThrow()
  expect(watched.waiting()).toMatchObject([{ until: 3_000 }])
  state.now = 3_000
  expect(watched.waiting()).toEqual([])
})

test('other refusals are listed neither as decisions nor as pending, and an invalid body is harmless', async () => {
  const { state, watched } = fixture()
  state.error = new WalletError('zero_correct_authorization_signatures')
  await expect(watched.sign(asked({ body: 'null' }))).rejects.toBe(state.error)
  expect([watched.decisions(), watched.waiting()]).toEqual([[], []])
  state.error = new WalletError('policy_violation')
  for (const body of ['null', '', '[]', '{"method":5}']) {
    await expect(watched.sign(asked({ body }))).rejects.toBe(state.error)
  }
  expect(watched.decisions().map(({ method }) => method)).toEqual(['rpc', 'rpc', 'rpc', 'rpc'])
})
