import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TransactionSerializableLegacy } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveHttp } from '../support/http-server.ts'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call, post, type RpcAnswer } from '../support/node/json-rpc.ts'
import { reachHeight } from '../support/node/progress.ts'

const sender = devAccount(0)

describe('a running node answers bad input with an error and keeps running:', () => {
  const home = makeHome()
  let daemon: Daemon

  beforeAll(async () => {
    daemon = await startDaemon({ home })
  }, 60_000)

  afterAll(async () => {
    await daemon?.stop()
    removeHome(home)
  })

  async function postBody(body: string): Promise<{ status: number; text: string }> {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(daemon.ready.rpc, { method: 'POST', headers, body })
    return { status: response.status, text: await response.text() }
  }

  async function sign(changes: Partial<TransactionSerializableLegacy> = {}): Promise<string> {
    return sender.signTransaction({
      type: 'legacy',
      chainId: daemon.ready.chainId,
      nonce: 0,
      to: devAccount(1).address,
      value: 1n,
      gas: 21_000n,
      gasPrice: 100_000_000_000n,
      ...changes,
    })
  }

  const sendRaw = (raw: string): Promise<RpcAnswer> =>
    post(daemon.ready.rpc, 'eth_sendRawTransaction', [raw])

  test('it refuses malformed JSON', async () => {
    const { status, text } = await postBody('{"jsonrpc":"2.0","method":')
    expect(status).toBe(200)
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700 } })
  })

  test.each([
    ['a number for a request', '42'],
    ['a request without a method', '{"jsonrpc":"2.0","id":1}'],
    ['a method that is no string', '{"jsonrpc":"2.0","id":1,"method":7}'],
    ['an empty batch', '[]'],
  ])('it refuses %s', async (_, body) => {
    const { text } = await postBody(body)
    expect(JSON.parse(text)).toMatchObject({ error: { code: -32600 } })
  })

  test('it refuses a body of 6 MB', async () => {
    const { status, text } = await postBody(`"${'a'.repeat(6 * 1024 * 1024)}"`)
    expect(status).toBe(413)
    expect(text).toContain('request body too large')
  })

  test('it refuses a batch of 1,001 requests', async () => {
    const request = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
    const { text } = await postBody(JSON.stringify(new Array(1001).fill(request)))
    expect(text).toContain('batch too large')
    expect(text.length).toBeLessThan(200)
  })

  test('it refuses an unknown method', async () => {
    expect(await post(daemon.ready.rpc, 'eth_coffee', [])).toMatchObject({
      error: { code: -32601, message: 'the method eth_coffee does not exist/is not available' },
    })
  })

  test.each([
    ['no address', [], 'missing value for required argument 0'],
    ['a number for an address', [7, 'latest'], 'invalid argument 0'],
    ['a short address', ['0x1234', 'latest'], 'invalid argument 0'],
    ['an unknown tag', [sender.address, 'newest'], 'invalid argument 1'],
    ['a quantity of 300 bits', [sender.address, `0x${'f'.repeat(75)}`], 'invalid argument 1'],
    ['too many arguments', [sender.address, 'latest', 1], 'too many arguments, want at most 2'],
  ])('it refuses eth_getBalance with %s', async (_, params, message) => {
    expect(await post(daemon.ready.rpc, 'eth_getBalance', params)).toMatchObject({
      error: { code: -32602, message: expect.stringContaining(message) },
    })
  })

  test('it refuses a height that does not exist yet', async () => {
    const { error } = await post(daemon.ready.rpc, 'eth_getBalance', [sender.address, '0xffffff'])
    expect(error?.code).toBe(-32000)
    expect(error?.message).toBe('header not found')
  })

  test.each([
    ['wrong chain id', { chainId: 5 }, /invalid chain id for signer: have 5 want 31337/],
    ['gas price zero', { gasPrice: 0n }, /underpriced|less than block base fee/],
    ['more gas than a block', { gas: 2n ** 40n }, /exceeds block gas limit/],
    ['too little gas', { gas: 20_999n }, /intrinsic gas too low: gas 20999, minimum needed 21000/],
    ['no funds', { value: 10n ** 30n }, /insufficient funds for gas \* price \+ value/],
  ])('it refuses a transaction with %s', async (_, changes, text) => {
    expect(await sendRaw(await sign(changes))).toMatchObject({
      error: { code: -32000, message: expect.stringMatching(text) },
    })
  })

  test('it refuses a transaction with an invalid signature', async () => {
    const raw = await sign()
    const broken = `${raw.slice(0, -64)}${'f'.repeat(64)}`
    expect(await sendRaw(broken)).toMatchObject({
      error: {
        code: -32000,
        message: expect.stringMatching(/invalid (transaction v, r, s|sender)/),
      },
    })
  })

  test.each([
    ['nothing', '0x'],
    ['text', '0xzz'],
    ['an unknown type', '0x7fc0'],
    ['a cut transaction', '0x02f86b'],
  ])('it refuses raw transaction bytes that contain %s', async (_, raw) => {
    const { error } = await sendRaw(raw)
    expect([-32000, -32602]).toContain(error?.code)
  })

  test('it refuses a blob transaction', async () => {
    const raw = `0x03${'c0'}`
    expect((await sendRaw(raw)).error?.message).toMatch(/blobs not supported on this chain|rlp/)
  })

  test('it queues a transaction with a nonce gap at no cost', async () => {
    const before = await call(daemon.ready.rpc, 'eth_getBalance', [sender.address, 'latest'])
    const { result } = await sendRaw(await sign({ nonce: 9 }))
    expect(result).toMatch(/^0x[0-9a-f]{64}$/)
    const head = Number(await call(daemon.ready.rpc, 'eth_blockNumber'))
    await reachHeight(daemon.ready.rpc, head + 2)
    expect(await call(daemon.ready.rpc, 'eth_getTransactionReceipt', [result])).toBeNull()
    const params = [sender.address, 'latest']
    expect(await call(daemon.ready.rpc, 'eth_getBalance', params)).toBe(before)
    expect(await call(daemon.ready.rpc, 'eth_getTransactionCount', params)).toBe('0x0')
  })

  test('another process cannot start in the same home', async () => {
    const { code, stderr } = await runCommand([
      ...['start', '--dev', '--home', home, '--evm.http-port', '0'],
      ...['--rpc.laddr', 'tcp://127.0.0.1:0'],
    ])
    expect(code).toBe(75)
    expect(stderr).toContain(home)
    expect(stderr).toContain('failed to initialize database: resource temporarily unavailable')
    expect(stderr).not.toContain('    at ')
  })

  test('it still responds afterwards, and stops cleanly', async () => {
    expect(await call(daemon.ready.rpc, 'eth_chainId')).toBe('0x7a69')
    expect(await daemon.stop('SIGINT')).toBe(0)
  })
})

describe('a node that cannot start reports the reason:', () => {
  test('a home without a genesis is refused', async () => {
    const home = makeHome()
    try {
      const { code, stderr } = await runCommand(['start', '--home', home])
      expect(code).toBe(78)
      expect(stderr).toContain(home)
      expect(stderr).toContain('lockstep init')
    } finally {
      removeHome(home)
    }
  })

  test('a genesis that is not JSON is refused', async () => {
    const home = makeHome()
    try {
      mkdirSync(join(home, 'config'), { recursive: true })
      await runCommand(['init', 'moniker', '--chain-id', '1329', '--home', home])
      writeFileSync(join(home, 'config', 'genesis.json'), '{')
      const { code, stderr } = await runCommand(['start', '--home', home])
      expect(code).toBe(78)
      expect(stderr).toContain('genesis.json')
    } finally {
      removeHome(home)
    }
  })

  test('a port that is in use is refused', async () => {
    const home = makeHome()
    const { port, close } = await serveHttp()
    try {
      const { code, stderr } = await runCommand([
        ...['start', '--dev', '--home', home, '--evm.http-port', String(port)],
        ...['--rpc.laddr', 'tcp://127.0.0.1:0'],
      ])
      expect(code).toBe(75)
      expect(stderr).toContain(`127.0.0.1:${port}`)
    } finally {
      await close()
      removeHome(home)
    }
  })
})
