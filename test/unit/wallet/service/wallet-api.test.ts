import { describe, expect, test } from 'vitest'
import { WalletError } from '../../../../host/wallet/protocol/wallet-error.ts'
import { basic, openFixture } from './service-fixture.ts'

const NEW_WALLET = { chain_type: 'ethereum' }
const ADDRESS = '0x1111111111111111111111111111111111111111'

const transfer = (transaction: object) => ({
  method: 'eth_sendTransaction',
  caip2: 'eip155:1329',
  params: { transaction },
})

describe('the credentials of an app', () => {
  test('are accepted under both base paths and in both header families', async () => {
    const { app, ask, asked } = openFixture()
    const family = { 'wallet-app-id': undefined, 'privy-app-id': app.appId }
    expect((await ask({ body: NEW_WALLET })).status).toBe(200)
    expect((await ask({ path: '/api/v1/wallets', body: NEW_WALLET, headers: family })).status).toBe(
      200,
    )
    expect(
      asked.map(({ appId, request: { path, headers } }) => ({ appId, path, headers })),
    ).toEqual([
      { appId: app.appId, path: '/v1/wallets', headers: { 'wallet-app-id': app.appId } },
      { appId: app.appId, path: '/api/v1/wallets', headers: { 'privy-app-id': app.appId } },
    ])
  })

  const BAD: [string, Record<string, string | undefined>, string][] = [
    [
      'none',
      { authorization: undefined },
      'pass the id and the secret of the app as Basic credentials',
    ],
    [
      'another scheme',
      { authorization: 'Bearer abc' },
      'the Authorization header has no Basic credentials',
    ],
    [
      'no base64',
      { authorization: 'Basic ä' },
      'the Authorization header has no Basic credentials',
    ],
    ['no colon', { authorization: 'Basic YWJj' }, 'Basic credentials are <app id>:<app secret>'],
    ['a wrong secret', { authorization: undefined }, 'there is no app with this id and secret'],
    [
      'no app id',
      { 'wallet-app-id': undefined },
      'the header wallet-app-id or privy-app-id is missing',
    ],
    [
      'another app id',
      { 'wallet-app-id': 'other' },
      'the app id header names another app than the Basic credentials',
    ],
  ]

  test.each(BAD)('cause a 401 if there is %s', async (name, headers, error) => {
    const { app, ask, asked } = openFixture()
    const wrong =
      name === 'a wrong secret'
        ? { authorization: basic({ ...app, appSecret: `${app.appSecret}x` }) }
        : headers
    const answer = await ask({ body: NEW_WALLET, headers: wrong })
    expect(answer).toMatchObject({ status: 401, body: { error, code: 'unauthorized' } })
    expect(answer.headers['www-authenticate']).toBe('Basic realm="wallets"')
    expect(asked).toEqual([])
  })

  test('of an unknown app are answered like a wrong secret', async () => {
    const { ask } = openFixture()
    const nobody = { appId: 'nobody', appSecret: 'x' }
    const headers = { authorization: basic(nobody), 'wallet-app-id': 'nobody' }
    expect(await ask({ headers })).toMatchObject({
      status: 401,
      body: { error: 'there is no app with this id and secret' },
    })
  })

  test('are refused if two header families differ, and accepted if they are equal', async () => {
    const { app, ask } = openFixture()
    const { appId } = app
    expect((await ask({ body: NEW_WALLET, headers: { 'privy-app-id': appId } })).status).toBe(200)
    const mixed = { 'privy-request-expiry': String(Date.now() + 1000) }
    expect(await ask({ body: NEW_WALLET, headers: mixed })).toMatchObject({
      status: 400,
      body: { code: 'invalid_data', error: expect.stringContaining('send one family') },
    })
    const other = { 'privy-app-id': 'other' }
    expect((await ask({ body: NEW_WALLET, headers: other })).body.error).toBe(
      'the headers wallet-app-id and privy-app-id contradict each other: send one family',
    )
  })

  test('are answered 429 after a hundred wrong ones, and never if they are right', async () => {
    const { ask } = openFixture()
    const headers = { authorization: 'Basic YTpi', 'wallet-app-id': 'a' }
    const statuses: number[] = []
    for (let i = 0; i < 101; i++) statuses.push((await ask({ headers })).status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(100)
    const refused = await ask({ headers })
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await ask({ body: NEW_WALLET })).status).toBe(200)
  })

  test('are answered 429 with the seconds to wait if they are used too often', async () => {
    const { ask } = openFixture({ rateLimit: 3 })
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) statuses.push((await ask({ body: NEW_WALLET })).status)
    expect(statuses).toEqual([200, 200, 200, 429])
    const refused = await ask({ body: NEW_WALLET })
    expect(refused.headers['retry-after']).toBe('1')
    expect(refused.body).toMatchObject({ code: 'rate_limited', retry_after: 1 })
  })
})

describe('a wallet API request', () => {
  const REFUSED: [string, Parameters<ReturnType<typeof openFixture>['ask']>[0], number, string][] =
    [
      ['no JSON', { body: '{' }, 400, 'the body is not JSON'],
      ['an array', { body: '[]' }, 400, 'the body is not a JSON object'],
      ['no UTF-8', { body: Uint8Array.of(0x7b, 0xff, 0x7d) }, 400, 'the body is not UTF-8'],
      [
        'a form',
        { body: '{}', headers: { 'content-type': 'text/plain' } },
        400,
        'send the body as content-type: application/json',
      ],
      [
        'a member that is none',
        { body: { chain_type: 'ethereum', polcy_ids: [] } },
        400,
        'has no member polcy_ids',
      ],
      [
        'a member in two spellings',
        { body: { chain_type: 'ethereum', chainType: 'ethereum' } },
        400,
        'chainType: the member is given in two spellings: pass one of them',
      ],
      [
        '__proto__',
        { body: '{"__proto__":{"chain_type":"ethereum"}}' },
        400,
        '__proto__: is no member',
      ],
      [
        'too many levels',
        { body: `{"a":${'['.repeat(40)}${']'.repeat(40)}}` },
        400,
        'a.0.0: more than 32 levels',
      ],
      [
        'half a character',
        { body: '{"display_name":"\\ud800"}' },
        400,
        'display_name: the text contains half of a surrogate pair',
      ],
      [
        'a body over a mebibyte',
        { body: ' '.repeat((1 << 20) + 1) },
        413,
        'the body is over 1048576 bytes',
      ],
      ['a path that is none', { path: '/v2/wallets' }, 404, 'there is no /v2/wallets'],
      [
        'an id that is none',
        { method: 'GET', path: '/v1/wallets/a%2e' },
        404,
        'there is no /v1/wallets/a%2e',
      ],
      [
        'a method that is none',
        { method: 'PUT' },
        405,
        'the path has no method PUT: it has POST, GET',
      ],
      ['a GET with a body', { method: 'GET', body: {} }, 400, 'a GET has no body'],
      ['a query where none is', { query: 'a=b', body: NEW_WALLET }, 400, 'the path takes no query'],
      [
        'a parameter twice',
        { method: 'GET', query: 'limit=1&limit=2' },
        400,
        'limit: is given twice',
      ],
      [
        'a parameter that is none',
        { method: 'GET', query: 'offset=1' },
        400,
        'has no member offset',
      ],
      [
        'a wallet that is not that of the path',
        { path: '/v1/wallets/w1/rpc', body: { ...transfer({}), wallet_id: 'w2' } },
        400,
        'wallet_id: the path names another wallet',
      ],
      [
        'an expiry that is no time',
        { body: NEW_WALLET, headers: { 'wallet-request-expiry': 'soon' } },
        400,
        'a request expiry is a time in milliseconds since 1970, such as 1893456000000',
      ],
      [
        'an expired one',
        { body: NEW_WALLET, headers: { 'wallet-request-expiry': '1000' } },
        401,
        'the request has expired',
      ],
      [
        'one that never expires',
        { body: NEW_WALLET, headers: { 'wallet-request-expiry': '99999999999999' } },
        401,
        'the request expires in more than 72 hours',
      ],
      [
        'a key that is too long',
        { body: NEW_WALLET, headers: { 'wallet-idempotency-key': 'k'.repeat(257) } },
        400,
        'an idempotency key has 1 to 256 ASCII characters',
      ],
    ]

  test.each(REFUSED)('with %s is refused with a message', async (_, asking, status, error) => {
    const { ask, asked, failures } = openFixture()
    expect(await ask(asking)).toMatchObject({ status, body: { error } })
    expect(asked).toEqual([])
    expect(failures).toEqual([])
  })

  const VALUES: [string, unknown][] = [
    ['a big integer', '100000000000000000000'],
    ['a fraction', '1.5'],
    ['a decimal text', '"1000000000000000000"'],
    ['hex without 0x', '"de0b6b3a7640000"'],
    ['a negative number', '-1'],
    ['an object, as of a big integer that was not serialized', '{}'],
    ['an integer beyond a double', '9007199254740993'],
    ['33 bytes', `"0x${'1'.repeat(65)}"`],
  ]

  test.each(VALUES)(
    'with a value that is %s is refused, and the message asks for a hex string',
    async (_, value) => {
      const { ask } = openFixture()
      const body = JSON.stringify(transfer({ to: ADDRESS, value: 'V' })).replace(
        '"V"',
        String(value),
      )
      const answer = await ask({ path: '/v1/wallets/w1/rpc', body })
      expect(answer.status).toBe(400)
      expect(answer.body.error).toMatch(/^params\.transaction\.value: .*pass a hex string/)
    },
  )

  test("is accepted in camelCase, and the caller's own names are unchanged", async () => {
    const sent: unknown[] = []
    const { ask } = openFixture({
      pipeline: {
        sign: async (_, __, body) => {
          sent.push(body)
          return '0x00'
        },
      },
    })
    const answer = await ask({
      path: '/v1/wallets/w1/rpc',
      body: {
        method: 'eth_signTransaction',
        chain_type: 'ethereum',
        walletId: 'w1',
        params: { transaction: { to: ADDRESS, chainId: 1329, gasLimit: '0x5208' } },
      },
    })
    expect(answer.body).toEqual({
      method: 'eth_signTransaction',
      data: { signed_transaction: '0x00', encoding: 'rlp' },
    })
    expect(sent).toMatchObject([
      { params: { transaction: { to: ADDRESS, chain_id: 1329, gas_limit: '0x5208' } } },
    ])
    const typed = await ask({
      path: '/v1/wallets/w1/rpc',
      body: {
        method: 'eth_signTypedData_v4',
        params: {
          typed_data: {
            domain: { chainId: 1 },
            types: { Mail: [{ name: 'chainId', type: 'uint256' }] },
            primaryType: 'Mail',
            message: { chainId: '0x1', chain_id: 1 },
          },
        },
      },
    })
    expect(typed.body).toEqual({
      method: 'eth_signTypedData_v4',
      data: { signature: '0x1234', encoding: 'hex' },
    })
  })

  test('for a sent transaction returns its hash in data and beside it', async () => {
    const hash = `0x${'ab'.repeat(32)}` as const
    const record = {
      id: 't1',
      wallet_id: 'w1',
      caip2: 'eip155:1329',
      transaction_hash: hash,
      status: 'broadcasted',
      reference_id: null,
      created_at: 1,
    } as const
    const { ask } = openFixture({ pipeline: { send: async () => record } })
    const answer = await ask({ path: '/v1/wallets/w1/rpc', body: transfer({ to: ADDRESS }) })
    expect(answer.body).toEqual({
      method: 'eth_sendTransaction',
      hash,
      data: { hash, caip2: 'eip155:1329', transaction_id: 't1', reference_id: null },
    })
  })

  test('that fails after the transaction may have been sent is marked as not repeatable', async () => {
    const { ask } = openFixture({
      pipeline: {
        send: async () => {
          throw new WalletError('chain_unreachable', 'no answer', { transaction_id: 't1' })
        },
      },
    })
    const answer = await ask({ path: '/v1/wallets/w1/rpc', body: transfer({ to: ADDRESS }) })
    expect(answer).toMatchObject({
      status: 503,
      body: { error: 'no answer', code: 'chain_unreachable', transaction_id: 't1' },
    })
    expect(answer.headers['x-should-retry']).toBe('false')
  })

  test('that fails internally names no more than the request', async () => {
    const secret = new Error('a secret: /home/somebody')
    const { ask, failures } = openFixture({
      answer: () => {
        throw secret
      },
    })
    const answer = await ask({ body: NEW_WALLET })
    expect(answer.status).toBe(500)
    expect(answer.body).toEqual({
      error: `internal error of the service: see its log for ${answer.headers['x-request-id']}`,
      code: 'internal_error',
      request_id: answer.headers['x-request-id'],
    })
    expect(failures).toEqual([secret])
  })

  test('passes all signatures of the header to the signer, in order, with the query', async () => {
    const { app, ask, asked } = openFixture()
    const expiry = String(Date.now() + 60_000)
    const headers = {
      'wallet-authorization-signature': 'AA==, BB==,CC==',
      'wallet-request-expiry': expiry,
    }
    await ask({ method: 'GET', query: 'limit=2&cursor=abc', headers })
    expect(asked[0]?.request).toEqual({
      method: 'GET',
      path: '/v1/wallets?limit=2&cursor=abc',
      body: '',
      headers: { 'wallet-app-id': app.appId, 'wallet-request-expiry': expiry },
      signatures: ['AA==', 'BB==', 'CC=='],
    })
  })

  test.each(['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty', 'nonsense'])(
    'has no path parameter that is called %s',
    async (name) => {
      const { ask, failures } = openFixture()
      const answer = await ask({ method: 'GET', query: `${name}=1` })
      expect(answer).toMatchObject({
        status: 400,
        body: { error: `has no member ${name}`, code: 'invalid_data' },
      })
      expect(failures).toEqual([])
    },
  )
})
