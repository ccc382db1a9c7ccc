import { JsonRpcProvider, Wallet, WebSocketProvider } from 'ethers'
import {
  createPublicClient,
  createWalletClient,
  getContractAddress,
  http,
  keccak256,
  webSocket,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compile } from '../support/contracts/solidity.ts'
import {
  type Daemon,
  initializeValidator,
  makeHome,
  removeHome,
  startDaemon,
} from '../support/node/daemon.ts'
import { devAccount, signDynamicFee } from '../support/node/dev-wallet.ts'
import { postText, RawSocket } from '../support/node/raw-socket.ts'
import { viemChain } from '../support/node/viem-chain.ts'
import { makeRandom, runSeed } from '../support/random.ts'
import { until } from '../support/until.ts'

const { abi, bytecode } = compile('Token.sol').get('Token') ?? { abi: [], bytecode: '0x' as const }
const owner = devAccount(0)
const friend = devAccount(1)

/** An endless loop, with as many struct logs as the gas allows. */
const ENDLESS = '0x5b600056'

describe('a node with two RPC workers', () => {
  const home = makeHome()
  let daemon: Daemon

  beforeAll(async () => {
    await initializeValidator(home)
    daemon = await startDaemon({
      home,
      dev: false,
      arguments: [
        ...['--evm.serving-threads', '2', '--evm.deny-list', 'net_peerCount'],
        ...['--instrumentation.prometheus', 'true'],
        ...['--instrumentation.prometheus-listen-addr', '127.0.0.1:0'],
      ],
    })
  }, 60_000)

  afterAll(async () => {
    expect(await daemon?.stop()).toBe(0)
    removeHome(home)
  })

  const body = (method: string, params: unknown = []) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

  async function ask(method: string, params: unknown = []): Promise<Record<string, unknown>> {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(daemon.ready.rpc, {
      method: 'POST',
      headers,
      body: body(method, params),
    })
    return (await response.json()) as Record<string, unknown>
  }

  const chain = () => viemChain(daemon.ready)

  test('serves viem: deployments, calls and reads over HTTP, blocks and logs over WebSocket', async () => {
    const client = createPublicClient({ chain: chain(), transport: http(), pollingInterval: 50 })
    const wallet = createWalletClient({ chain: chain(), transport: http(), account: owner })
    const live = createPublicClient({ chain: chain(), transport: webSocket() })
    const heights: bigint[] = []
    const heads = live.watchBlockNumber({ onBlockNumber: (height) => heights.push(height) })
    const hash = await wallet.deployContract({ abi, bytecode, args: [1000n] })
    const { status, contractAddress } = await client.waitForTransactionReceipt({ hash })
    expect(status).toBe('success')
    const address = contractAddress as `0x${string}`
    expect(address.toLowerCase()).toBe(
      getContractAddress({ from: owner.address, nonce: 0n }).toLowerCase(),
    )
    const logs: unknown[] = []
    const transfers = live.watchContractEvent({
      address,
      abi,
      eventName: 'Transfer',
      onLogs: (some) => logs.push(...some),
    })
    // The subscription is active after a later call on the same connection has its response.
    await live.getChainId()
    const sent = await wallet.writeContract({
      address,
      abi,
      functionName: 'transfer',
      args: [friend.address, 25n],
    })
    expect((await client.waitForTransactionReceipt({ hash: sent })).status).toBe('success')
    const balance = { address, abi, functionName: 'balanceOf', args: [friend.address] } as const
    expect(await live.readContract(balance)).toBe(25n)
    await until(() => logs.length === 1 && heights.length > 1)
    heads()
    transfers()
    const socket = await live.transport.getRpcClient()
    socket.close()
  }, 60_000)

  test('serves ethers: transactions and receipts over HTTP and WebSocket', async () => {
    const { rpc, ws } = daemon.ready
    const provider = new JsonRpcProvider(rpc, undefined, { pollingInterval: 50 })
    const live = new WebSocketProvider(ws)
    try {
      const wallet = Wallet.createRandom().connect(provider)
      expect((await provider.getNetwork()).chainId).toBe(BigInt(daemon.ready.chainId))
      expect(await live.getBalance(wallet.address)).toBe(0n)
      const block = new Promise((resolve) => live.once('block', resolve))
      expect(typeof (await block)).toBe('number')
    } finally {
      provider.destroy()
      await live.destroy()
    }
  }, 60_000)

  test('returns the same errors, denied methods and batches as with one thread', async () => {
    expect(await ask('net_peerCount')).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32601,
        message: 'the method net_peerCount does not exist/is not available',
      },
    })
    expect(await ask('web3_sha3', ['0x1'])).toMatchObject({ error: { code: -32602 } })
    expect(await ask('eth_sendRawTransaction', ['0x01'])).toMatchObject({ error: { code: -32000 } })
    const response = await fetch(daemon.ready.rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://localhost' },
      body: `[${body('eth_chainId')},${body('net_version')},${body('web3_sha3', ['0x'])}]`,
    })
    expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost')
    expect(await response.json()).toEqual([
      { jsonrpc: '2.0', id: 1, result: '0x7a69' },
      { jsonrpc: '2.0', id: 1, result: '31337' },
      {
        jsonrpc: '2.0',
        id: 1,
        result: '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
      },
    ])
    expect(await (await fetch(`${daemon.ready.rpc}/health`)).json()).toEqual({ live: true })
    expect((await fetch(`${daemon.ready.rpc}/ready`)).status).toBe(200)
  })

  test('accepts many concurrent transactions on the workers, each once, and refuses invalid ones as usual', async () => {
    const account = devAccount(2)
    const sign = (nonce: number) =>
      signDynamicFee(account, {
        nonce,
        to: friend.address,
        value: 1n,
        maxFeePerGas: 1_000_000_000_000n,
      })
    const raws = await Promise.all(Array.from({ length: 40 }, (_, nonce) => sign(nonce)))
    const answers = await Promise.all(raws.map((raw) => ask('eth_sendRawTransaction', [raw])))
    const hashes = answers.map(({ result }) => result)
    expect(hashes).toEqual(raws.map((raw) => keccak256(raw)))
    const again = await ask('eth_sendRawTransaction', [raws[39]])
    expect(String((again.error as { message: string }).message)).toMatch(
      /already known|nonce too low/,
    )
    await until(async () => {
      const { result } = await ask('eth_getTransactionReceipt', [hashes[39]])
      return result !== null
    })
    expect(await ask('eth_sendRawTransaction', [raws[0]])).toMatchObject({
      error: { code: -32000, message: 'nonce too low: next nonce 40, tx nonce 0' },
    })
    expect((await ask('eth_getTransactionCount', [account.address, 'latest'])).result).toBe('0x28')
  }, 60_000)

  test('validates a long batch of transactions and recovers their senders on a worker', async () => {
    const account = devAccount(8)
    const raws = await Promise.all(
      Array.from({ length: 200 }, (_, nonce) =>
        signDynamicFee(account, {
          chainId: daemon.ready.chainId + (nonce === 199 ? 1 : 0),
          nonce,
          to: friend.address,
          value: 1n,
          gas: nonce === 198 ? 20_999n : 21_000n,
          maxFeePerGas: 1_000_000_000_000n,
        }),
      ),
    )
    const response = await fetch(daemon.ready.rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `[${raws.map((raw) => body('eth_sendRawTransaction', [raw])).join()}]`,
    })
    const answers = (await response.json()) as { result?: string; error?: { message: string } }[]
    expect(answers.slice(0, 198).map(({ result }) => result)).toEqual(
      raws.slice(0, 198).map((raw) => keccak256(raw)),
    )
    expect(answers[198]?.error?.message).toMatch(/^intrinsic gas too low/)
    expect(answers[199]?.error?.message).toMatch(/^invalid sender/)
    await until(async () => {
      const { result } = await ask('eth_getTransactionCount', [account.address, 'latest'])
      return result === '0xc6'
    })
    // The recovery thread of the main thread had no work: all senders were recovered on the worker.
    const metrics = /Metrics +(\S+)/.exec(daemon.output())?.[1] as string
    const text = await (await fetch(metrics)).text()
    expect(text).toContain('lockstep_block_phase_seconds_sum{phase="recover"} 0\n')
  }, 60_000)

  test('streams a trace of more than 30 MB completely', async () => {
    const parameters = [
      { to: owner.address, gas: '0x1e8480' },
      'latest',
      { stateOverrides: { [owner.address]: { code: ENDLESS } } },
    ]
    const response = await fetch(daemon.ready.rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: body('debug_traceCall', parameters),
    })
    let bytes = 0
    let end = Buffer.alloc(0)
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      bytes += chunk.length
      end = Buffer.concat([end, chunk.subarray(-200)]).subarray(-200)
    }
    expect(bytes).toBeGreaterThan(30_000_000)
    expect(end.toString()).toMatch(/\],"gas":2000000,"failed":true,"returnValue":"0x"\}\}$/)
  }, 120_000)

  const seed = runSeed()
  test(`never returns state older than a head that the client has seen on any connection (seed ${seed})`, async () => {
    const random = makeRandom(seed)
    const port = Number(new URL(daemon.ready.rpc).port)
    const first = Number((await ask('eth_blockNumber')).result)
    let seen = first
    let asked = 0
    const see = (height: number, atLeast: number) => {
      expect(height).toBeGreaterThanOrEqual(atLeast)
      seen = Math.max(seen, height)
    }
    const live = new WebSocket(daemon.ready.ws)
    live.onopen = () => live.send(body('eth_subscribe', ['newHeads']))
    live.onmessage = ({ data }) => {
      const { params } = JSON.parse(data) as { params?: { result: { number: string } } }
      if (params !== undefined) see(Number(params.result.number), first)
    }
    const client = async () => {
      const socket = await RawSocket.connect(port)
      try {
        while (seen < first + 5) {
          const atLeast = seen
          const kind = Math.floor(random() * 3)
          const request = [
            body('eth_blockNumber'),
            body('eth_getBlockByNumber', ['latest', false]),
            body('eth_getBlockByNumber', [`0x${atLeast.toString(16)}`, false]),
          ][kind] as string
          const before = socket.received.length
          socket.send(postText(request))
          await until(() => /\}\s*$/.test(socket.received.slice(before)))
          const answer = socket.received.slice(before)
          const { result } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
          see(Number(kind === 0 ? result : result.number), atLeast)
          asked++
        }
      } finally {
        socket.destroy()
      }
    }
    await Promise.all(Array.from({ length: 8 }, client))
    live.close()
    expect(asked).toBeGreaterThan(100)
  }, 60_000)

  test('shows the effects of a block in every later response on any connection', async () => {
    const account = devAccount(3)
    const paid = `0x${'5e'.repeat(20)}` as const
    const port = Number(new URL(daemon.ready.rpc).port)
    const sockets = await Promise.all(Array.from({ length: 8 }, () => RawSocket.connect(port)))
    try {
      for (let nonce = 0; nonce < 8; nonce++) {
        const raw = await signDynamicFee(account, {
          nonce,
          to: paid,
          value: 1n,
          maxFeePerGas: 1_000_000_000_000n,
        })
        const { result: hash } = await ask('eth_sendRawTransaction', [raw])
        const isMined = async () => (await ask('eth_getTransactionReceipt', [hash])).result !== null
        await until(isMined)
        await Promise.all(
          sockets.map(async (socket) => {
            const before = socket.received.length
            const calls = [
              ['eth_getBalance', [paid, 'latest']],
              ['eth_getTransactionCount', [account.address, 'latest']],
              ['eth_getTransactionByHash', [hash]],
            ].map(([method, params]) => body(method as string, params))
            socket.send(postText(`[${calls.slice(0, 2).join()}]`))
            await until(() => /\]\s*$/.test(socket.received.slice(before)))
            const answer = socket.received.slice(before)
            const results = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
            const count = `0x${(nonce + 1).toString(16)}`
            expect(results).toMatchObject([{ result: count }, { result: count }])
            const next = socket.received.length
            socket.send(postText(calls[2] as string))
            await until(() => /\}\s*$/.test(socket.received.slice(next)))
            expect(socket.received.slice(next)).toContain('"blockHash":"0x')
          }),
        )
      }
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  }, 60_000)

  test(`returns the same responses on a worker as on the main thread (seed ${seed})`, async () => {
    const random = makeRandom(seed)
    const below = (limit: number) => Math.floor(random() * limit)
    const one = <Value>(values: readonly Value[]) => values[below(values.length)] as Value
    const last = Number((await ask('eth_blockNumber')).result)
    const quantity = (number: number) => `0x${number.toString(16)}`
    const blocks = await Promise.all(
      Array.from({ length: last + 1 }, async (_, height) => {
        const { result } = await ask('eth_getBlockByNumber', [quantity(height), false])
        return result as { hash: string; transactions: string[] }
      }),
    )
    const transactions = blocks.flatMap((block) => block.transactions)
    expect(transactions.length).toBeGreaterThan(40)
    const height = () =>
      one([quantity(below(last + 1)), quantity(last + 1_000), 'earliest', 'x', 3])
    const address = () => one([owner.address, friend.address, `0x${'5e'.repeat(20)}`, '0x12', null])
    const hash = () => one([...transactions, `0x${'ab'.repeat(32)}`, '0x'])
    const blockHash = () => one([...blocks.map((block) => block.hash), `0x${'ab'.repeat(32)}`])
    const index = () => one(['0x0', '0x1', '0x99', '-1'])
    const call = () => ({ from: owner.address, to: address(), data: one(['0x', '0x18160ddd']) })
    const requests: (() => [string, unknown[]])[] = [
      () => ['eth_getBalance', [address(), height()]],
      () => ['eth_getCode', [address(), height()]],
      () => ['eth_getStorageAt', [address(), index(), height()]],
      () => ['eth_getTransactionCount', [address(), height()]],
      () => ['eth_getBlockByNumber', [height(), one([true, false])]],
      () => ['eth_getBlockByHash', [blockHash(), one([true, false])]],
      () => ['eth_getHeaderByNumber', [height()]],
      () => ['eth_getBlockReceipts', [height()]],
      () => ['eth_getBlockTransactionCountByHash', [blockHash()]],
      () => ['eth_getTransactionByHash', [hash()]],
      () => ['eth_getRawTransactionByHash', [hash()]],
      () => ['eth_getTransactionReceipt', [hash()]],
      () => ['eth_getTransactionByBlockNumberAndIndex', [height(), index()]],
      () => ['eth_getRawTransactionByBlockHashAndIndex', [blockHash(), index()]],
      () => ['eth_getLogs', [{ fromBlock: height(), toBlock: height() }]],
      () => ['eth_getLogs', [{ blockHash: blockHash() }]],
      () => ['eth_call', [call(), height()]],
      () => ['eth_estimateGas', [call(), height()]],
      () => ['eth_createAccessList', [call(), height()]],
      () => ['eth_getStorageValues', [{ [owner.address]: [index()] }, height()]],
    ]
    const results = { given: 0, refused: 0 }
    for (let i = 0; i < 400; i++) {
      const [method, params] = one(requests)()
      const here = await ask(method, params)
      // A batch that contains a request for the main thread runs there as a whole.
      const response = await fetch(daemon.ready.rpc, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `[${body(method, params)},${body('txpool_status')}]`,
      })
      const [there] = (await response.json()) as unknown[]
      expect(here, JSON.stringify([method, params])).toEqual(there)
      results[here.error === undefined ? 'given' : 'refused']++
    }
    expect(results.given).toBeGreaterThan(100)
    expect(results.refused).toBeGreaterThan(20)
  }, 60_000)

  test('counts the requests that the workers answered in its metrics', async () => {
    const count = async () => {
      const text = await (await fetch(daemon.ready.metrics as string)).text()
      const line = /^lockstep_rpc_requests_total\{method="net_listening",code="0"\} (\d+)$/m
      return Number(line.exec(text)?.[1] ?? 0)
    }
    const before = await count()
    for (let i = 0; i < 20; i++) expect((await ask('net_listening')).result).toBe(true)
    await until(async () => (await count()) === before + 20)
  })
})
