import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { WorkerContext } from '../../../../../host/api/rpc/call/context.ts'
import { workerMethod } from '../../../../../host/api/rpc/call/method.ts'
import { ETH_READ_METHODS } from '../../../../../host/api/rpc/eth/read-methods.ts'
import { METHODS } from '../../../../../host/api/rpc/methods.ts'
import { SHORT_BYTES } from '../../../../../host/api/rpc/protocol/long-request.ts'
import {
  type WorkerAnswer,
  WorkerDispatcher,
} from '../../../../../host/api/rpc/protocol/worker-dispatcher.ts'
import { WORKER_METHODS } from '../../../../../host/api/rpc/worker-methods.ts'
import { WorkScheduler } from '../../../../../host/api/server/work-scheduler.ts'
import type { SubmissionOutcome } from '../../../../../host/chain/consensus/mempool/transaction-pool.ts'
import { FakeNode } from '../../../../support/chain/fake-chain.ts'
import { runSeed } from '../../../../support/random.ts'

const open: FakeNode[] = []

afterEach(() => {
  for (const one of open.splice(0)) one.close()
})

/** Returns a node, and an RPC worker that has only what such threads have. */
function nodeAndThread() {
  const node = new FakeNode()
  open.push(node)
  const { chain, rules, limits, clientVersion, denied } = node.context
  const answers: object[] = []
  const context: WorkerContext = {
    chain: {
      get latest() {
        return chain.latest
      },
    },
    rules: { chainId: rules.chainId },
    dev: undefined,
    limits,
    submit: (raw) => node.context.submit(raw),
    work: new WorkScheduler(1 << 28),
    clientVersion,
    denied,
    observer: {
      onAnswer: (method, code) => answers.push({ method, code }),
      onDefect: () => undefined,
      onSubmit: () => undefined,
    },
  }
  return { node, answers, context, thread: dispatcher(context) }
}

/** Returns a dispatcher that submits transactions one by one. */
function dispatcher(
  context: WorkerContext,
  methods = WORKER_METHODS,
): WorkerDispatcher<WorkerContext> {
  const submit = async (raw: Uint8Array): Promise<SubmissionOutcome> => {
    try {
      return await context.submit(raw)
    } catch (thrown) {
      return thrown as Error
    }
  }
  return new WorkerDispatcher(context, methods, (raws) => Promise.all(raws.map(submit)))
}

const CALLER = {
  transport: 'http' as const,
  signal: new AbortController().signal,
  subscriber: undefined,
  account: new WorkScheduler(1 << 28).account('192.0.2.1'),
}

const SUBMISSIONS = [
  '{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0x1234"]}',
  '{ "params" : [ "0xABcd" ] ,\n"id":"a b","method":"eth_sendRawTransaction", "jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","id":123456789012345,"method":"eth_sendRawTransaction","params":["0x"]}',
]
const ODD_SUBMISSIONS = [
  '{"jsonrpc":"2.0","id":1234567890123456789,"method":"eth_sendRawTransaction","params":["0x12"]}',
  '{"jsonrpc":"2.0","id":1.50,"method":"eth_sendRawTransaction","params":["0x12"]}',
  '{"jsonrpc":"2.0","id":01,"method":"eth_sendRawTransaction","params":["0x12"]}',
  '{"jsonrpc":"2.0","id":null,"method":"eth_sendRawTransaction","params":["0x12"]}',
  '{"jsonrpc":"2.0","id":1,"id":2,"method":"eth_sendRawTransaction","params":["0x12"]}',
  '{"jsonrpc":"2.0","id":"\\u0041","method":"eth_sendRawTransaction","params":["0x12"]}',
  '{"jsonrpc":"2.0","id":"ü","method":"eth_sendRawTransaction","params":["0x12"]}',
  '{"jsonrpc":"2.0","method":"eth_sendRawTransaction","params":["0x12"]}',
  '{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0x123"]}',
  '{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0X12"]}',
  '{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0x12","0x34"]}',
  '{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction"}',
  '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
  '{"jsonrpc":"1.0","id":1,"method":"eth_sendRawTransaction","params":["0x12"]}',
  '7',
  '{',
]

const OWN = WORKER_METHODS.map(({ name }) => name)

const member = fc.oneof(
  fc.record(
    {
      jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '1.0', 2),
      id: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.constant([1])),
      method: fc.oneof(
        { weight: 8, arbitrary: fc.constantFrom(...OWN) },
        { weight: 1, arbitrary: fc.constantFrom('eth_gasPrice', 'eth_nothing', 'eth_coinbase') },
        { weight: 1, arbitrary: fc.jsonValue() },
      ),
      params: fc.oneof(
        fc.constant([]),
        fc.constant(['0x1234']),
        fc.constant(['0x123']),
        fc.jsonValue(),
      ),
    },
    { requiredKeys: ['method'] },
  ),
  fc.jsonValue(),
)

/** A batch of transactions in any order of members, with occasional invalid ones. */
const transactions = fc
  .array(
    fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom(...SUBMISSIONS) },
      { weight: 1, arbitrary: fc.constantFrom(...ODD_SUBMISSIONS) },
    ),
    { minLength: 1, maxLength: 40 },
  )
  .map((calls) => `[${calls.join(',')}]`)

const short = fc.oneof(
  transactions,
  member.map((one) => JSON.stringify(one)),
  fc.array(member, { maxLength: 12 }).map((batch) => JSON.stringify(batch)),
  fc.string(),
)
/** One body in five is too long to be read at once. */
const body = fc.oneof(
  { weight: 4, arbitrary: short },
  { weight: 1, arbitrary: short.map((text) => text + ' '.repeat(SHORT_BYTES)) },
)

describe('the answer of an RPC worker', () => {
  const seed = runSeed()

  test(`equals that of the main thread byte for byte, and is counted the same; seed ${seed}`, async () => {
    const { node, thread, answers } = nodeAndThread()
    let own = 0
    await fc.assert(
      fc.asyncProperty(body, async (text) => {
        answers.length = 0
        node.answers.length = 0
        const bytes = Buffer.from(text)
        const here = await thread.answer(bytes, CALLER)
        if (here === undefined) {
          expect(answers).toEqual([])
          return
        }
        own++
        const [said, expected] = [await here.answer, await node.dispatcher.answer(bytes, CALLER)]
        expect(said).toBe(expected)
        // Batch members that wait may be counted in another order.
        expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
          new Set(node.answers.map((answer) => JSON.stringify(answer))),
        )
        expect(answers).toHaveLength(node.answers.length)
      }),
      { seed, numRuns: 2000 },
    )
    expect(own).toBeGreaterThan(100)
    expect(CALLER.account.reservedBytes).toBe(0)
  })

  test('is left to the main thread for requests that are denied, too deep, empty, too many or need state', async () => {
    const { thread, node } = nodeAndThread()
    const call = (method: string, params: unknown = []) =>
      JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const batch = Array.from({ length: node.context.limits.batchRequests + 1 }, () =>
      call('net_version'),
    )
    for (const text of [
      call('eth_coinbase'),
      call('eth_gasPrice'),
      `${'['.repeat(200)}${']'.repeat(200)}`,
      '[]',
      '',
      `[${batch.join()}]`,
      `[${call('eth_chainId')},${call('eth_gasPrice')}]`,
    ]) {
      expect(await thread.answer(Buffer.from(text), CALLER)).toBeUndefined()
      const long = Buffer.from(text + ' '.repeat(SHORT_BYTES))
      expect(await thread.answer(long, CALLER)).toBeUndefined()
    }
    const values = node.context.limits.requestValues
    const many = call(
      'web3_sha3',
      Array.from({ length: values }, () => 0),
    )
    expect(await thread.answer(Buffer.from(many), CALLER)).toBeUndefined()
    expect(CALLER.account.reservedBytes).toBe(0)
    expect(thread.answer(Buffer.from(call('eth_chainId')), CALLER)).toEqual({
      answer: '{"jsonrpc":"2.0","id":1,"result":"0x531"}',
    })
  })

  test('waits until other clients have been served', async () => {
    const { context, answers } = nodeAndThread()
    const work = new WorkScheduler(1 << 28)
    Object.defineProperty(work, 'hasTimeForShort', { value: false })
    const busy = dispatcher({ ...context, work })
    let begin = () => {}
    const turn = new Promise<void>((resolve) => {
      begin = resolve
    })
    const account = { yield: () => turn, admits: () => true, reserve: () => undefined }
    const caller = { ...CALLER, account: account as unknown as typeof CALLER.account }
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
    const own = busy.answer(Buffer.from(body), caller) as WorkerAnswer
    await new Promise((resolve) => setImmediate(resolve))
    expect(answers).toEqual([])
    begin()
    expect(await own.answer).toBe('{"jsonrpc":"2.0","id":1,"result":"0x531"}')
    // The main thread may have to answer this request, which a worker cannot find out later.
    const pending = body.replace('[]', '["pending"]')
    expect(busy.answer(Buffer.from(pending), caller)).toBeUndefined()
  })

  test('is given at once after one slow call, and later if every call is slow', () => {
    const { context } = nodeAndThread()
    let milliseconds = 0
    const wait = workerMethod('test_wait', {
      params: [],
      result: 'true',
      run: () => {
        for (const end = performance.now() + milliseconds; performance.now() < end; );
        return true
      },
    })
    const thread = dispatcher(context, [wait])
    // A separate client quota for each call, so that no client delays another.
    const ask = () => {
      const account = new WorkScheduler(1 << 28).account('192.0.2.3')
      account.yield()
      const turns = vi.spyOn(account, 'yield')
      thread.answer(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"test_wait"}'), {
        ...CALLER,
        account,
      })
      return turns.mock.calls.length
    }
    for (let i = 0; i < 3; i++) expect(ask()).toBe(0)
    milliseconds = 20
    ask()
    milliseconds = 0
    expect(ask()).toBe(0)
    milliseconds = 20
    for (let i = 0; i < 3; i++) ask()
    expect(ask()).toBe(1)
  })

  test('to a look-up is given at once, however long the last ones took', () => {
    const { context } = nodeAndThread()
    let isSlow = true
    const find = workerMethod('test_find', {
      params: [],
      result: 'true',
      mayForwardLate: true,
      run: () => {
        for (const end = performance.now() + 20; isSlow && performance.now() < end; );
        return true
      },
    })
    const thread = dispatcher(context, [find])
    const ask = () =>
      thread.answer(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"test_find"}'), CALLER)
    const found = { answer: '{"jsonrpc":"2.0","id":1,"result":true}' }
    for (let i = 0; i < 8; i++) ask()
    isSlow = false
    expect(ask()).toEqual(found)
  })

  test('to a long request reserves memory of the client, and is dropped if the client disconnects', async () => {
    const { context } = nodeAndThread()
    let finish = (_: Uint8Array) => {}
    const submit = () =>
      new Promise<Uint8Array>((resolve) => {
        finish = resolve
      })
    const thread = dispatcher({ ...context, submit })
    const account = context.work.account('192.0.2.2')
    const params = [`0x${'00'.repeat(SHORT_BYTES)}`]
    const body = Buffer.from(
      JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_sendRawTransaction', params }),
    )
    const own = (await thread.answer(body, { ...CALLER, account })) as WorkerAnswer
    expect(account.reservedBytes).toBeGreaterThanOrEqual(2 * body.length)
    finish(new Uint8Array(32))
    expect(await own.answer).toBe(`{"jsonrpc":"2.0","id":7,"result":"0x${'00'.repeat(32)}"}`)
    expect(account.reservedBytes).toBe(0)
    const gone = { ...CALLER, account, signal: AbortSignal.abort() }
    expect(await thread.answer(body, gone)).toEqual({ answer: undefined })
    expect(account.reservedBytes).toBe(0)
  })

  test('is given for exactly the methods that the table marks', () => {
    const own = [...WORKER_METHODS, ...ETH_READ_METHODS].map(({ name }) => name)
    const marked = METHODS.filter(({ onAnyWorker: anywhere }) => anywhere).map(({ name }) => name)
    expect(marked.sort()).toEqual(own.sort())
  })
})
