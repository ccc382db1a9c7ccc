import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bytesToBigint } from '../../host/base/bytes.ts'
import { formatData, type Hex } from '../../host/base/hex.ts'
import { assemble } from '../support/engine/bytecode.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call, post, type RpcAnswer } from '../support/node/json-rpc.ts'
import { mineDynamicFee } from '../support/node/progress.ts'
import { postText, RawSocket } from '../support/node/raw-socket.ts'
import { bySet } from '../support/run/by-set.ts'
import { until } from '../support/until.ts'

/** A loop of seven steps, with the number of turns in the first word of the call. */
const LOOP = assemble(0, 'CALLDATALOAD', 'JUMPDEST', 1, 'SWAP1', 'SUB', 'DUP1', 3, 'JUMPI', 'STOP')
const STEPS_A_TURN = 7
const DEPLOY = assemble(bytesToBigint(LOOP), 0, 'MSTORE', LOOP.length, 32 - LOOP.length, 'RETURN')

const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`

interface Receipt {
  readonly status: Hex
  readonly transactionHash: Hex
  readonly contractAddress: Hex
  readonly blockNumber: Hex
}

// The fast and the full test set use different servers.
describe.each(bySet(['uws'], ['node']))('a node with traces over the %s server', (server) => {
  const home = makeHome()
  const sender = devAccount(0)
  let daemon: Daemon
  let loop: Hex
  let nonce = 0

  beforeAll(async () => {
    const options = {
      '--evm.rpc-server': server,
      '--evm.max-trace-struct-log-bytes': '4000000000',
      '--evm.simulation-gas-limit': '100000000',
      // Traces have their own time limit, which that of other methods must not shorten.
      '--evm.write-timeout': '1s',
    }
    daemon = await startDaemon({ home, arguments: Object.entries(options).flat() })
    loop = (await send({ data: formatData(DEPLOY) })).contractAddress
  }, 300_000)

  afterAll(async () => {
    await daemon?.stop()
    removeHome(home)
  })

  async function send(fields: { to?: Hex; data: Hex; gas?: bigint }): Promise<Receipt> {
    return mineDynamicFee(daemon.ready.rpc, sender, { nonce: nonce++, gas: 1_000_000n, ...fields })
  }

  const height = async () => Number(await call<Hex>(daemon.ready.rpc, 'eth_blockNumber'))

  /** Returns a call with 100 million gas: 27 million steps, some four gigabytes of struct logs. */
  const endless = (options = {}): unknown[] => [
    { to: loop, data: word(1 << 30) },
    'latest',
    { ...options },
  ]

  function request(method: string, params: unknown[], signal?: AbortSignal): Promise<Response> {
    return fetch(daemon.ready.rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      ...(signal !== undefined && { signal }),
    })
  }

  /** Returns the resident memory of the node in kilobytes. */
  function residentKb(): number {
    const status = readFileSync(`/proc/${daemon.ready.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1])
  }

  test('streams hundreds of thousands of steps completely while it makes blocks', async () => {
    const turns = bySet(50_000, 150_000)
    const { transactionHash, status } = await send({
      to: loop,
      data: word(turns),
      gas: 5_000_000n,
    })
    expect(status).toBe('0x1')
    const start = await height()
    const response = await request('debug_traceTransaction', [transactionHash])
    let steps = 0
    let tail = ''
    let blocksCame = false
    for await (const part of response.body as AsyncIterable<Uint8Array>) {
      const text = tail + Buffer.from(part).toString('latin1')
      steps += text.split('"pc":').length - 1
      tail = text.slice(-4)
      if (tail.includes('"pc":')) throw new Error('a name was counted twice')
      // The trace waits for its reader, but the chain does not.
      if (blocksCame) continue
      await until(async () => (await height()) >= start + 3)
      blocksCame = true
    }
    expect(steps).toBe(turns * STEPS_A_TURN + 3)
    expect(tail.endsWith('}}')).toBe(true)
  }, 120_000)

  test('makes blocks while two traces run continuously', async () => {
    const end = (await height()) + 3
    const run = async () => {
      while ((await height()) < end) {
        const trace = endless({ tracer: 'callTracer', timeout: '30s' })
        expect(await post(daemon.ready.rpc, 'debug_traceCall', trace)).toMatchObject({
          result: { error: 'out of gas' },
        })
      }
    }
    await Promise.all([run(), run()])
    expect(await height()).toBeGreaterThanOrEqual(end)
  }, 120_000)

  test('pauses the engine if a client stops reading, uses constant memory, and serves others', async () => {
    const port = Number(new URL(daemon.ready.rpc).port)
    const before = residentKb()
    const stalled = await RawSocket.connect(port)
    const body = { jsonrpc: '2.0', id: 1, method: 'debug_traceCall', params: endless() }
    stalled.send(postText(JSON.stringify(body)))
    await stalled.until('structLogs')
    stalled.pause()
    const end = (await height()) + 4
    while ((await height()) < end) {
      expect(
        await post(daemon.ready.rpc, 'debug_traceCall', [
          { to: loop },
          'latest',
          {
            tracer: 'noopTracer',
          },
        ]),
      ).toMatchObject({ result: {} })
    }
    // The engine's own memory is fixed. The whole output would be gigabytes.
    expect(residentKb() - before).toBeLessThan(400_000)
    stalled.destroy()
  }, 120_000)

  test('ends the trace and frees its slots if the client disconnects', async () => {
    // The maximum number of concurrent traces: two threads with four engines each.
    const running = 8
    for (let round = 0; round < bySet(1, 3); round++) {
      const leaving = new AbortController()
      await Promise.all(
        Array.from({ length: running }, async () => {
          const response = await request('debug_traceCall', endless(), leaving.signal)
          await response.body?.getReader().read()
        }),
      )
      leaving.abort()
      await until(async () => {
        const trace = [{ to: loop }, 'latest', { tracer: 'noopTracer' }]
        const all = await Promise.all(
          Array.from({ length: running }, () => post(daemon.ready.rpc, 'debug_traceCall', trace)),
        )
        return all.every(({ error }) => error === undefined)
      })
    }
  }, 120_000)

  test('closes the partial result of a trace that times out and adds the error to the response', async () => {
    const response = await request('debug_traceCall', endless({ timeout: '700ms' }))
    const answer = (await response.json()) as RpcAnswer
    expect(answer.error).toEqual({
      code: -32000,
      message: 'trace timed out after 700ms',
      data: {
        elapsed: '700ms',
        phase: expect.stringMatching(/^(run|write)$/),
        option: 'timeout',
        key: 'evm.trace_timeout',
      },
    })
    const { structLogs, gas } = answer.result as { structLogs: object[]; gas?: number }
    expect(structLogs[0]).toMatchObject({ pc: 0, op: 'PUSH1' })
    expect(gas).toBeUndefined()
  }, 120_000)

  test('answers or refuses each of many concurrent traces, and keeps making blocks', async () => {
    const trace = [{ to: loop, data: word(100) }, 'latest', { tracer: 'callTracer' }]
    const answers = await Promise.all(
      Array.from({ length: bySet(300, 1000) }, () =>
        post(daemon.ready.rpc, 'debug_traceCall', trace),
      ),
    )
    const refused = answers.filter(({ error }) => error !== undefined)
    for (const { error } of refused) {
      expect(error).toEqual({
        code: -32000,
        message: 'trace request rejected due to concurrency limit: server busy',
        data: { key: 'evm.max_concurrent_trace_calls', limit: 10 },
      })
    }
    for (const { result } of answers.filter(({ error }) => error === undefined)) {
      expect(result).toMatchObject({ type: 'CALL', to: loop })
    }
    expect(answers.length - refused.length).toBeGreaterThan(0)
    const start = await height()
    await until(async () => (await height()) > start)
  }, 120_000)

  test('stops a trace whose calls carry a megabyte of input each before memory runs out', async () => {
    const to = '0x00000000000000000000000000000000000000f1'
    const calling = assemble(
      ...['JUMPDEST', 0, 0, 1 << 20, 0, 0, 0x99, 5000, 'CALL', 'POP', 0, 'JUMP'],
    )
    const options = {
      tracer: 'callTracer',
      stateOverrides: { [to]: { code: formatData(calling) } },
    }
    expect(await post(daemon.ready.rpc, 'debug_traceCall', [{ to }, 'latest', options])).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32000,
        message: 'the calls take more than 134217728 bytes ([evm] max_trace_kept_bytes)',
        data: { key: 'evm.max_trace_kept_bytes', limit: 134_217_728 },
      },
    })
  }, 300_000)

  test('sends the same trace over WebSocket, as one fragmented message, as over HTTP', async () => {
    const socket = new WebSocket(daemon.ready.ws)
    await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }))
    const ask = async (params: unknown[]): Promise<RpcAnswer> => {
      const answer = new Promise<string>((resolve) =>
        socket.addEventListener('message', ({ data }) => resolve(String(data)), { once: true }),
      )
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_traceCall', params }))
      return JSON.parse(await answer) as RpcAnswer
    }
    const small = await ask([{ to: loop, data: word(1000) }, 'latest', {}])
    const { structLogs } = small.result as { structLogs: object[] }
    expect(structLogs).toHaveLength(1000 * STEPS_A_TURN + 3)
    // Megabytes, as over HTTP. Responses to requests made meanwhile come after it.
    const turns = bySet(8_000, 20_000)
    const long = [{ to: loop, data: word(turns) }, 'latest', {}]
    const streamed = ask(long)
    const overHttp = await (await request('debug_traceCall', long)).json()
    // Vitest's matcher compares these steps many times slower.
    expect(isDeepStrictEqual(await streamed, overHttp)).toBe(true)
    expect(
      (overHttp as RpcAnswer & { result: { structLogs: object[] } }).result.structLogs,
    ).toHaveLength(turns * STEPS_A_TURN + 3)
    expect(await ask([{ to: loop, data: word(1) }, 'latest', { tracer: 'noopTracer' }])).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {},
    })
    socket.close()
  }, 300_000)
})
