import { encodeErrorResult, type Hex, parseAbi, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { ActionError } from '../../../host/toolkit/action-error.ts'
import { scaled } from '../../../host/toolkit/provider/price-feed.ts'
import { openToolkit, type ToolkitOptions } from '../../../host/toolkit/provider/toolkit.ts'
import { RecordingWallet, ScriptedNode } from './scripted-node.ts'

const OTHER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const TOKEN = '0xcA11bde05977b3631167028862bE2a173976CA11'
const HASH = `0x${'ab'.repeat(32)}` as const
const FEED = 'ab'.repeat(32)
const word = (value: bigint) => toHex(value, { size: 32 })

async function open(
  answers: ConstructorParameters<typeof ScriptedNode>[0] = {},
  options: Partial<ToolkitOptions> = {},
) {
  const node = new ScriptedNode(answers)
  const wallet = new RecordingWallet()
  const toolkit = await openToolkit({
    network: {
      chainId: 31337,
      rpcUrl: 'http://127.0.0.1:1',
      contracts: { wrappedNative: TOKEN },
    },
    wallet: () => wallet,
    node,
    ...options,
  })
  return { node, wallet, toolkit, call: toolkit.call.bind(toolkit) }
}

const failure = async (promise: Promise<unknown>): Promise<ActionError> => {
  const thrown = await promise.then(
    () => undefined,
    (error) => error,
  )
  expect(thrown).toBeInstanceOf(ActionError)
  return thrown
}

describe('the wrapped native token', () => {
  test('is wrapped and unwrapped at the address of the network', async () => {
    const { call, wallet } = await open({ '0x70a08231': word(5n * 10n ** 18n) })
    await call('native_wrap', { amount: '2' })
    await call('native_unwrap', { amount: '0.5' })
    expect(wallet.sent).toMatchObject([
      { to: TOKEN, value: 2n * 10n ** 18n, data: '0xd0e30db0' },
      { to: TOKEN, value: 0n, data: `0x2e1a7d4d${word(5n * 10n ** 17n).slice(2)}` },
    ])
    expect((await failure(call('native_unwrap', { amount: '6' }))).code).toBe('INSUFFICIENT_FUNDS')
  })
})

describe('an NFT collection in the toolkit', () => {
  const owned = (owner: string) => ({ '0x6352211e': word(BigInt(owner)) })

  test('transfers a token that the wallet owns', async () => {
    const { call, wallet } = await open({
      ...owned('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'),
    })
    await call('erc721_transfer', { collection: TOKEN, tokenId: '0x7', to: OTHER })
    expect(wallet.sent[0]?.data.slice(0, 10)).toBe('0x42842e0e')
    expect(wallet.sent[0]?.data.slice(-64)).toBe(word(7n).slice(2))
  })

  test('refuses to transfer a token that another account owns', async () => {
    const { call, wallet } = await open(owned(OTHER))
    const asked = call('erc721_transfer', { collection: TOKEN, tokenId: '7', to: OTHER })
    expect((await failure(asked)).message).toContain(`belongs to ${OTHER}, not to the wallet`)
    expect(wallet.sent).toEqual([])
  })

  test.each(['-1', '1.5', '', '0x', 'seven', `${2n ** 256n}`])(
    'refuses the token %o',
    async (tokenId) => {
      const { call } = await open()
      const error = await failure(call('erc721_owner', { collection: TOKEN, tokenId }))
      expect(error.code).toBe('INVALID_ARGUMENT')
    },
  )
})

describe('a contract in the toolkit', () => {
  const read = (signature: string, args: readonly unknown[] = []) => ({
    contract: TOKEN,
    function: signature,
    args,
  })

  test('is read by a signature, with values as JSON', async () => {
    const { call, node } = await open({
      '0x70a08231': word(2n ** 255n),
    })
    const { data } = await call(
      'contract_read',
      read('function balanceOf(address owner) view returns (uint256)', [OTHER]),
    )
    expect(data.result).toEqual([(2n ** 255n).toString()])
    expect(node.asked.at(-1)?.params[0]).toMatchObject({
      to: TOKEN,
      data: `0x70a08231${word(BigInt(OTHER)).slice(2)}`,
    })
  })

  test.each([
    ['no signature', 'drop everything', []],
    ['a mistyped address', 'f(address)', [OTHER.replace('C8', 'c8')]],
    ['an integer that does not fit', 'f(uint8)', ['256']],
    ['an integer that is not exact', 'f(uint256)', [2 ** 53]],
    ['a negative one', 'f(uint256)', ['-1']],
    ['bytes of another length', 'f(bytes4)', ['0x00']],
    ['too few arguments', 'f(uint256,uint256)', ['1']],
    ['a text for a list', 'f(uint256[])', ['1']],
    ['a list of another length', 'f(uint256[2])', [['1']]],
    ['a list for a text', 'f(string)', [['x']]],
    ['an object', 'f(uint256)', [{ toString: 'x' }]],
    ['a long signature', `f(${'uint256,'.repeat(500)}uint256)`, []],
  ])('refuses %s', async (_, signature, args) => {
    const { call } = await open()
    const error = await failure(call('contract_read', read(signature, args)))
    expect(error.code).toBe('INVALID_ARGUMENT')
  })

  test.each([
    ['nothing', '0x'],
    ['an offset beyond it', `0x${'ff'.repeat(32)}`],
    ['a list that claims 2^64 members', `${word(32n)}${word(2n ** 64n).slice(2)}`],
  ])('does not fit its signature if it returns %s', async (_, answer) => {
    const { call } = await open({ '0x26121ff0': answer })
    const error = await failure(call('contract_read', read('f() view returns (string[])')))
    expect([error.code, error.next]).toEqual([
      'CHAIN_REFUSED',
      expect.stringContaining('return types'),
    ])
  })

  test('is simulated: a failure is explained and nothing is sent', async () => {
    const { call, wallet } = await open()
    const { data } = await call('contract_simulate', {
      ...read('f()'),
      value: '1.5',
    })
    expect(data).toMatchObject({ succeeds: false, value: '1.5', reason: 'it gives no reason' })
    expect(wallet.sent).toEqual([])
  })
})

describe('a trace that is explained in words', () => {
  const frame = (others: object) => ({
    type: 'CALL',
    from: OTHER.toLowerCase(),
    to: TOKEN.toLowerCase(),
    gasUsed: '0x5208',
    input: '0x',
    ...others,
  })
  const reason = (text: string): Hex =>
    encodeErrorResult({
      abi: parseAbi(['error Error(string)']),
      errorName: 'Error',
      args: [text],
    })
  const explain = async (trace: unknown) => {
    const { call } = await open({ debug_traceTransaction: trace })
    return call('transaction_explain', { hash: HASH })
  }

  test('names the call that caused a failure, ignoring caught ones', async () => {
    const [caught, thrown] = [reason('caught'), reason('thrown')]
    const error = 'execution reverted'
    const { data, text } = await explain(
      frame({
        error,
        output: thrown,
        value: '0xde0b6b3a7640000',
        input: '0xa9059cbb',
        calls: [
          frame({ type: 'STATICCALL', error, output: caught, to: OTHER.toLowerCase() }),
          frame({ type: 'DELEGATECALL', error, output: thrown, to: OTHER.toLowerCase() }),
          frame({ type: 'CALL' }),
        ],
      }),
    )
    expect(data).toMatchObject({
      succeeded: false,
      calls: 4,
      failure: { contract: OTHER, depth: 1, reason: 'reverts with "thrown"' },
    })
    expect(text.split('\n').slice(1)).toEqual([
      `${OTHER} calls ${TOKEN}, transfer(address,uint256), with 1 ETH - fails: reverts with "thrown"`,
      `  ${OTHER} reads from ${OTHER} - fails: reverts with "caught"`,
      `  ${OTHER} runs the code of ${OTHER} - fails: reverts with "thrown"`,
      `  ${OTHER} calls ${TOKEN}`,
    ])
  })

  test('describes failures without a reason', async () => {
    const { data } = await explain(frame({ error: 'out of gas' }))
    expect(data.failure).toMatchObject({ depth: 0, reason: 'out of gas' })
  })

  test('is truncated after thousands of calls', async () => {
    const calls = Array.from({ length: 5000 }, () => frame({}))
    const { data, text } = await explain(frame({ calls }))
    expect(data).toMatchObject({ succeeded: true, calls: 5001, failure: null })
    expect(data.steps).toHaveLength(60)
    expect(text).toContain('(4941 further calls)')
  })

  test.each([null, {}, 'x', [], frame({ to: 'x' })])('is not made from %o', async (trace) => {
    expect((await failure(explain(trace))).code).toBe('CHAIN_REFUSED')
  })

  test('of a pending transaction says that no block has it', async () => {
    const { call } = await open({
      eth_getTransactionReceipt: null,
      eth_getTransactionByHash: null,
    })
    const error = await failure(call('transaction_explain', { hash: HASH }))
    expect(error.message).toContain('the node knows no transaction')
  })
})

describe('prices in the toolkit', () => {
  const served = (body: unknown, status = 200) => {
    const asked: string[] = []
    const fetch = async (input: unknown) => {
      asked.push(String(input))
      return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status })
    }
    return { asked, priceFeed: { url: 'http://127.0.0.1:9/', fetch } as never }
  }
  const price = (age: number) => ({
    parsed: [
      {
        id: FEED,
        price: {
          price: '6140993501000',
          conf: '3287868567',
          expo: -8,
          publish_time: Math.floor(Date.now() / 1000) - age,
        },
      },
    ],
  })

  test('are exact and have a confidence and an age', async () => {
    const { asked, priceFeed } = served(price(5))
    const { call } = await open({}, { priceFeed })
    const { data } = await call('price_get', { id: `0x${FEED.toUpperCase()}` })
    expect(data).toMatchObject({ price: '61409.93501', confidence: '32.87868567' })
    expect(asked).toEqual([
      `http://127.0.0.1:9/v2/updates/price/latest?ids%5B%5D=${FEED}&parsed=true`,
    ])
  })

  test.each([
    ['an old price', price(120), 200, 'FEED_FAILED'],
    ['another price', { parsed: [] }, 200, 'NOT_FOUND'],
    ['an unknown price', 'Price ids not found', 404, 'NOT_FOUND'],
    ['an error', 'no', 500, 'FEED_FAILED'],
    ['no JSON', '<html>', 200, 'FEED_FAILED'],
    [
      'a price that is a number',
      { parsed: [{ id: FEED, price: { price: 1 } }] },
      200,
      'FEED_FAILED',
    ],
  ])('are refused if they are %s', async (_, body, status, code) => {
    const { call } = await open({}, { priceFeed: served(body, status).priceFeed })
    expect((await failure(call('price_get', { id: FEED }))).code).toBe(code)
  })

  test('are searched by a symbol, and their texts are cleaned', async () => {
    const { asked, priceFeed } = served([
      { id: FEED, attributes: { display_symbol: 'BTC\u202e/USD\n', description: 'BITCOIN' } },
    ])
    const { call } = await open({}, { priceFeed })
    const { data } = await call('price_search', { query: 'BTC' })
    expect(data.feeds).toEqual([{ id: FEED, symbol: 'BTC/USD', description: 'BITCOIN' }])
    expect(asked).toEqual(['http://127.0.0.1:9/v2/price_feeds?query=BTC&asset_type=crypto'])
  })

  test.each([
    ['5', -1, '0.5'],
    ['-5', -3, '-0.005'],
    ['100', -2, '1'],
    ['7', 2, '700'],
    ['0', -8, '0'],
  ])('are exact: %s times 10^%i is %s', (digits, exponent, shown) => {
    expect(scaled(digits, exponent)).toBe(shown)
  })
})
