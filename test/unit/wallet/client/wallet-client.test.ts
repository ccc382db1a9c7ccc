import { createPublicKey, verify } from 'node:crypto'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  approve,
  connectWallets,
  generateAuthorizationKey,
  type WalletClientOptions,
} from '../../../../host/entry/wallet.ts'
import { type ScriptedService, startScriptedService } from './scripted-service.ts'

let service: ScriptedService
beforeAll(async () => {
  service = await startScriptedService()
})
afterAll(() => service.close())
beforeEach(() => {
  service.received.length = 0
  service.answers = []
})

const CREDENTIALS = { appId: 'app-1', appSecret: 'sécret' }

function connect(options: Partial<WalletClientOptions> = {}) {
  return connectWallets({ url: service.url, ...CREDENTIALS, ...options } as WalletClientOptions)
}

const SENT = { body: { data: { hash: '0x01', caip2: 'eip155:1329', transaction_id: 'tx' } } }

/**
 * Returns for each signature of the last request whether the key at the same index signed the payload of the
 * contract.
 */
function signedBy(publicKeys: readonly string[]): readonly boolean[] {
  const [request] = service.received.slice(-1)
  if (request === undefined) throw new Error('nothing was received')
  const { method, path, headers, body } = request
  const names = ['wallet-app-id', 'wallet-idempotency-key', 'wallet-request-expiry']
  const payload = canonicalize({
    version: 1,
    method,
    url: `${service.url}${path}`,
    body: body === undefined || Object.keys(body).length === 0 ? '' : body,
    headers: Object.fromEntries(
      names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
    ),
  }) as string
  const signatures = String(headers['wallet-authorization-signature']).split(',')
  expect(signatures.length).toBe(publicKeys.length)
  return publicKeys.map((key, i) =>
    verify(
      'sha256',
      Buffer.from(payload),
      createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' }),
      Buffer.from(signatures[i] as string, 'base64'),
    ),
  )
}

describe('a request of the wallet client', () => {
  test('has credentials, and amounts as 0x-hex', async () => {
    service.answers = [SENT]
    const result = await connect().sendTransaction({
      walletId: 'w1',
      transaction: { to: '0x01', value: 10n ** 18n, nonce: 0, chainId: 1329, gasLimit: 21_000n },
    })
    expect(result).toEqual({ hash: '0x01', caip2: 'eip155:1329', transactionId: 'tx' })
    expect(service.received).toEqual([
      {
        method: 'POST',
        path: '/v1/wallets/w1/rpc',
        headers: expect.objectContaining({
          authorization: `Basic ${Buffer.from('app-1:sécret').toString('base64')}`,
          'wallet-app-id': 'app-1',
          'wallet-idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
        }),
        body: {
          method: 'eth_sendTransaction',
          caip2: 'eip155:1329',
          params: {
            transaction: {
              to: '0x01',
              value: '0xde0b6b3a7640000',
              nonce: 0,
              chain_id: 1329,
              gas_limit: '0x5208',
            },
          },
        },
      },
    ])
  })

  test('has the names of the API, and those of an ABI unchanged, in both directions', async () => {
    const abi = [{ type: 'function', name: 'transfer', inputs: [], stateMutability: 'view' }]
    const answer = {
      id: 'p1',
      created_at: 1,
      owner_id: null,
      rules: [{ id: 'r1', conditions: [{ field_source: 'ethereum_calldata', abi }] }],
    }
    service.answers = [{ body: answer }]
    const condition = {
      fieldSource: 'ethereum_calldata',
      field: 'transfer.amount',
      operator: 'lte',
      value: '1',
      abi,
    } as const
    const rule = { name: 'r', method: '*', action: 'ALLOW', conditions: [condition] } as const
    const policy = await connect().createPolicy({ name: 'p', rules: [rule], ownerId: null })
    expect(policy).toMatchObject({
      createdAt: 1,
      ownerId: null,
      rules: [{ conditions: [{ fieldSource: 'ethereum_calldata', abi }] }],
    })
    expect(service.received[0]?.body).toEqual({
      version: '1.0',
      chain_type: 'ethereum',
      name: 'p',
      owner_id: null,
      rules: [
        {
          name: 'r',
          method: '*',
          action: 'ALLOW',
          conditions: [
            {
              field_source: 'ethereum_calldata',
              field: 'transfer.amount',
              operator: 'lte',
              value: '1',
              abi,
            },
          ],
        },
      ],
    })
  })

  test('may contain text or bytes as a message, and typed data with integers of either sign', async () => {
    service.answers = [{ body: { data: { signature: '0x02', encoding: 'hex' } } }]
    const wallets = connect()
    expect(await wallets.signMessage({ walletId: 'w1', message: 'hällo' })).toBe('0x02')
    await wallets.signMessage({ walletId: 'w1', message: Uint8Array.of(0xff, 0) })
    const types = { A: [{ name: 'x', type: 'int256' }] }
    await wallets.signTypedData({
      walletId: 'w1',
      typedData: {
        domain: { chainId: 1n },
        types,
        primaryType: 'A',
        message: { x: -5n, y: 1000n },
      },
    })
    expect(service.received.map(({ body }) => body.params)).toEqual([
      { message: 'hällo', encoding: 'utf-8' },
      { message: 'ff00', encoding: 'hex' },
      {
        typed_data: {
          domain: { chainId: '0x1' },
          types,
          primary_type: 'A',
          message: { x: '-5', y: '0x3e8' },
        },
      },
    ])
  })

  test.each([
    [{ value: 2 ** 60 }, /the input\.value is 1152921504606847000, which is not a safe integer/],
    [{ value: 0.1 }, /pass a bigint/],
    [{ value: () => 1n }, /the input\.value is a function/],
  ])('is not sent for the invalid amount %j', async (transaction, expected) => {
    const input = { walletId: 'w1', caip2: 'eip155:1', transaction } as never
    await expect(connect().sendTransaction(input)).rejects.toThrow(expected)
    expect(service.received).toEqual([])
  })

  test.each(['', '../apps', 'a/b', 'x'.repeat(65)])(
    'is not sent for the id "%s"',
    async (walletId) => {
      await expect(connect().getWallet({ walletId })).rejects.toThrow(/is not an id/)
      expect(service.received).toEqual([])
    },
  )

  test.each([
    ['ftp://127.0.0.1', /pass the URL of the wallet service/],
    ['127.0.0.1:8403', /pass the URL of the wallet service/],
    ['http://wallets.example', /would send the secret of the app in plain text/],
  ])('is not sent to the url %s', (url, expected) => {
    expect(() => connect({ url })).toThrow(expected)
  })
})

describe('a request that owners authorize', () => {
  test('is signed by each key over the whole request', async () => {
    const [a, b] = [await generateAuthorizationKey(), await generateAuthorizationKey()]
    const authorizationKeys = [a.privateKey, `wallet-auth:${b.privateKey}`]
    const wallets = connect({ authorizationKeys, url: `${service.url}/v1/` })
    const before = Date.now()
    await wallets.updateWallet({ walletId: 'w1', policyIds: ['p1'] })
    expect(signedBy([a.publicKey, b.publicKey])).toEqual([true, true])
    const expiry = Number(service.received[0]?.headers['wallet-request-expiry'])
    expect(expiry).toBeGreaterThanOrEqual(before + 15 * 60_000)
    expect(expiry).toBeLessThanOrEqual(Date.now() + 15 * 60_000)
    await wallets.deletePolicy({ policyId: 'p1' })
    expect(signedBy([a.publicKey, b.publicKey])).toEqual([true, true])
    await wallets.getWallet({ walletId: 'w1' })
    expect(service.received.at(-1)?.headers).not.toHaveProperty('wallet-authorization-signature')
  })

  test('is proposed, approved and submitted in separate steps', async () => {
    const keys = await Promise.all([1, 2, 3].map(() => generateAuthorizationKey()))
    const proposal = connect().propose('sendTransaction', {
      walletId: 'w1',
      transaction: { value: 5n, chainId: 7 },
    })
    const passedOn = JSON.parse(JSON.stringify(proposal))
    expect(passedOn).toEqual(proposal)
    const signatures = await Promise.all(keys.map((key) => approve(passedOn, key.privateKey)))
    service.answers = [SENT]
    expect((await connect().submit(proposal, signatures)).hash).toBe('0x01')
    expect(signedBy(keys.map((key) => key.publicKey))).toEqual([true, true, true])
    const elsewhere = connect({ url: 'https://wallets.example' })
    await expect(elsewhere.submit(proposal, [])).rejects.toThrow(
      /but this client is connected to https:/,
    )
  })

  test('has DER signatures that others can read, for 1,000 random r and s', async () => {
    const { privateKey, publicKey } = await generateAuthorizationKey()
    const key = createPublicKey({
      key: Buffer.from(publicKey, 'base64'),
      format: 'der',
      type: 'spki',
    })
    const proposal = connect().propose('archiveWallet', { walletId: 'w1' })
    const { operation: _, ...signed } = proposal
    const payload = canonicalize({ version: 1, ...signed, body: '' }) as string
    const lengths = new Set<number>()
    for (let i = 0; i < 1000; i++) {
      const signature = Buffer.from(await approve(proposal, privateKey), 'base64')
      expect(verify('sha256', Buffer.from(payload), key, signature)).toBe(true)
      lengths.add(signature.length)
    }
    expect(lengths.size).toBeGreaterThan(2)
  })

  test('does not show an invalid key', async () => {
    const wallets = connect({ authorizationKeys: ['wallet-auth:c2VjcmV0'] })
    const failed = await wallets.archiveWallet({ walletId: 'w1' }).catch((error: Error) => error)
    expect(failed).toMatchObject({ message: expect.stringMatching(/not a P-256 private key/) })
    expect(String((failed as Error).stack)).not.toContain('c2VjcmV0')
  })
})

describe('a request that fails', () => {
  const CREATED = { body: { id: 'w1', address: '0x01' } }

  test('is sent again with the same key and signature, up to two times', async () => {
    const { privateKey } = await generateAuthorizationKey()
    const wallets = connect({ authorizationKeys: [privateKey] })
    service.answers = [
      'hang up',
      { status: 503, headers: { 'retry-after-ms': '1' }, body: { error: 'x', code: 'y' } },
      SENT,
    ]
    await wallets.sendTransaction({ walletId: 'w1', caip2: 'eip155:1', transaction: {} })
    expect(service.received).toHaveLength(3)
    for (const name of ['wallet-idempotency-key', 'wallet-authorization-signature']) {
      expect(new Set(service.received.map(({ headers }) => headers[name])).size).toBe(1)
    }
  })

  test('is sent with the idempotency key that the caller gives', async () => {
    service.answers = [CREATED]
    await connect().createWallet({}, { idempotencyKey: 'mine' })
    expect(service.received[0]?.headers['wallet-idempotency-key']).toBe('mine')
  })

  test.each([
    [{ status: 500, headers: { 'x-should-retry': 'false' }, code: 'internal_error' }],
    [{ status: 400, code: 'policy_violation' }],
    [{ status: 401, code: 'zero_correct_authorization_signatures' }],
  ])(
    'is not sent again after %j, and the error gives the reason and the next step',
    async ({ code, ...rest }) => {
      const body = { error: 'RPC request denied', code, decision: { reason: 'no rule allows it' } }
      service.answers = [{ ...rest, body }]
      const failed = await connect()
        .signMessage({ walletId: 'w1', message: '' }, { idempotencyKey: 'k' })
        .catch((error) => error)
      expect(failed).toMatchObject({
        name: 'WalletRequestError',
        message: 'RPC request denied',
        code,
        status: rest.status,
        hint: expect.stringMatching(/\w/),
        explanation: { decision: { reason: 'no rule allows it' } },
        idempotencyKey: 'k',
      })
      expect(service.received).toHaveLength(1)
    },
  )

  test.each([
    ['hang up', 'network_error', 3],
    [{ status: 502, headers: { 'retry-after': '0' }, body: '<html>' }, 'unexpected_answer', 3],
    [{ body: '<html>' }, 'unexpected_answer', 1],
    [{ status: 307, headers: { location: '/v1/elsewhere' }, body: '' }, 'network_error', 3],
  ] as const)('with %j is reported as %s', async (answer, code, requests) => {
    service.answers = [answer]
    const failed = await connect({ retries: 2 })
      .createWallet({})
      .catch((error) => error)
    expect(failed).toMatchObject({
      code,
      idempotencyKey: requests === 1 ? undefined : expect.any(String),
    })
    expect(service.received).toHaveLength(requests)
  })

  test('is not sent again if it is a DELETE, whose execution is unknown', async () => {
    service.answers = ['hang up']
    await expect(connect().deletePolicy({ policyId: 'p1' })).rejects.toMatchObject({
      code: 'network_error',
    })
    expect(service.received).toHaveLength(1)
  })

  test('ends with the signal of the caller', async () => {
    service.answers = [{ status: 503, headers: { 'retry-after': '60' }, body: {} }]
    const controller = new AbortController()
    const pending = connect().getWallet({ walletId: 'w1' }, { signal: controller.signal })
    const given = expect(pending).rejects.toMatchObject({ code: 'aborted' })
    await expect.poll(() => service.received.length).toBe(1)
    controller.abort()
    await given
  })
})
