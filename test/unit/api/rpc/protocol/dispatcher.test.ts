import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { RpcContext } from '../../../../../host/api/rpc/call/context.ts'
import { type Method, method } from '../../../../../host/api/rpc/call/method.ts'
import { JsonStream, RawJson } from '../../../../../host/api/rpc/call/result.ts'
import { Dispatcher } from '../../../../../host/api/rpc/protocol/dispatcher.ts'
import { WorkScheduler } from '../../../../../host/api/server/work-scheduler.ts'
import type { BorrowedView } from '../../../../../host/base/borrowed-view.ts'
import { LockstepError } from '../../../../../host/base/error.ts'
import type { JsonChunks } from '../../../../../host/base/json-chunks.ts'
import type { DevChain } from '../../../../../host/chain/dev/dev-chain.ts'
import { FakeNode } from '../../../../support/chain/fake-chain.ts'
import { lend } from '../../../../support/lender.ts'

const open: FakeNode[] = []

function node(...args: ConstructorParameters<typeof FakeNode>): FakeNode {
  const made = new FakeNode(...args)
  open.push(made)
  return made
}

afterEach(() => {
  for (const one of open.splice(0)) one.close()
})

const CALLER = {
  transport: 'http' as const,
  signal: new AbortController().signal,
  subscriber: undefined,
  account: new WorkScheduler(1 << 28).account('192.0.2.1'),
}

const error = (id: unknown, code: number, message: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})

const chainId = (id: unknown) => ({ jsonrpc: '2.0', id, result: '0x531' })
const ask = (id: unknown, name = 'eth_chainId') => ({ jsonrpc: '2.0', id, method: name })

describe('a single JSON-RPC request', () => {
  test.each([
    ['', -32700, 'parse error'],
    ['{', -32700, 'parse error'],
    ['{"jsonrpc":"2.0","id":1,"method":"eth_chainId"} x', -32700, 'parse error'],
    ['\u0000', -32700, 'parse error'],
    ['42', -32600, 'invalid request'],
    ['null', -32600, 'invalid request'],
    ['"eth_chainId"', -32600, 'invalid request'],
    ['{}', -32600, 'invalid request'],
    ['{"jsonrpc":"2.0","method":7}', -32600, 'invalid request'],
  ])('is refused if it is %j', async (body, code, message) => {
    expect(await node().answer(body)).toEqual(error(null, code, message))
  })

  test('must have version 2.0 and a method name', async () => {
    const fake = node()
    for (const bad of [{ jsonrpc: '1.0' }, { jsonrpc: 2 }, { method: '' }, { method: ['x'] }]) {
      const body = JSON.stringify({ ...ask(9), ...bad })
      expect(await fake.answer(body)).toEqual(error(9, -32600, 'invalid request'))
    }
  })

  test.each([0, 1, -7, 1.5, 'abc', 'a"b', '', null])('is answered with its id %j', async (id) => {
    expect(await node().answer(JSON.stringify(ask(id)))).toEqual(chainId(id))
  })

  test.each(['{"a":1}', '[1]', '[]', '{}', '{"id":7}'])(
    'with an id that is %s is invalid and not executed',
    async (id) => {
      const fake = node()
      const body = `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`
      expect(await fake.answer(body)).toEqual(error(null, -32600, 'invalid request'))
      expect(await fake.answer(`[${body}]`)).toEqual([error(null, -32600, 'invalid request')])
      expect(fake.answers).toEqual([])
    },
  )

  test.each([
    '1e400',
    '-0',
    '1.0',
    '12345678901234567890123',
    '1E+2',
    '"\\u0041"',
    'true',
    'false',
    'null',
    '"id"',
  ])('is answered with its id %s as it was written', async (id) => {
    const fake = node()
    const answer = (body: string) => fake.dispatcher.answer(Buffer.from(body), CALLER)
    const result = `{"jsonrpc":"2.0","id":${id},"result":"0x531"}`
    const bodies = [
      `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`,
      `{"jsonrpc":"2.0","method":"eth_chainId","params":[],"id" : ${id} }`,
      `{"id":${id},"jsonrpc":"2.0","method":"eth_chainId","id2":7,"params":[]}`,
      `{"id":9,"jsonrpc":"2.0","method":"eth_chainId","id":${id}}`,
      `{"id":${id},"jsonrpc":"2.0","method":"eth_chainId","x":{"id":8,"y":[{"id":[1]}]}}`,
    ]
    for (const body of bodies) expect(await answer(body)).toBe(result)
    expect(await answer(`[7, ${bodies.join(' ,\n')}]`)).toBe(
      `[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}},${bodies
        .map(() => result)
        .join(',')}]`,
    )
  })

  test('is answered with its id as written, even if the text is not the bytes or invalid', async () => {
    const { dispatcher } = node()
    const quoted = (...bytes: readonly number[]) => Buffer.from([0x22, ...bytes, 0x22])
    const ids = [
      ...['é', '😀', 'a'].map((text) => quoted(...Buffer.from(text))),
      ...[quoted(0xff), quoted(0xe2, 0x82), quoted(0x61, 0xc3), quoted(0xf0, 0x9f, 0xff)],
    ]
    for (const id of ids) {
      for (const before of [quoted(0x61), quoted(0xc3, 0xa9), quoted(0xff)]) {
        const parts = ['{', before, ':1,"jsonrpc":"2.0","id":', id, ',"method":"eth_chainId"}']
        const body = Buffer.concat(parts.map((part) => Buffer.from(part)))
        const answer = await dispatcher.answer(body, CALLER)
        expect(answer).toBe(`{"jsonrpc":"2.0","id":${id},"result":"0x531"}`)
      }
    }
  })

  test('is answered with its id, even if its member name has escapes', async () => {
    const body = '{"jsonrpc":"2.0","\\u0069d":5,"method":"eth_chainId"}'
    expect(await node().answer(body)).toEqual(chainId(5))
  })

  test('may have params that are absent, null or an empty array, but not an object', async () => {
    const fake = node()
    for (const params of [undefined, null, []]) {
      expect(await fake.answer(JSON.stringify({ ...ask(1), params }))).toEqual(chainId(1))
    }
    const answer = await fake.answer(JSON.stringify({ ...ask(1), params: {} }))
    expect(answer).toEqual(error(1, -32602, 'non-array args'))
  })

  test('without an id is executed and not answered', async () => {
    const fake = node()
    const { id, ...notification } = ask(1)
    expect(id).toBe(1)
    expect(await fake.answer(JSON.stringify(notification))).toBeUndefined()
    expect(fake.answers).toEqual([{ method: 'eth_chainId', code: 0 }])
  })

  test('is refused for unknown, denied and inherited method names', async () => {
    const fake = node()
    for (const name of ['eth_nothing', 'eth_coinbase', '__proto__', 'constructor', 'toString']) {
      const message = `the method ${name} does not exist/is not available`
      expect(await fake.answer(JSON.stringify(ask(1, name)))).toEqual(error(1, -32601, message))
    }
    expect(fake.answers[0]).toEqual({ method: 'unknown', code: -32601 })
  })

  test('may call the methods of development chains under --dev only', async () => {
    const run = () => 'mined'
    const methods = [method('evm_mine', { params: [], result: '', dev: true, run })]
    const body = JSON.stringify(ask(1, 'evm_mine'))
    const { context } = node()
    const answer = async (on: RpcContext) => {
      const text = await new Dispatcher(on, methods).answer(Buffer.from(body), CALLER)
      return JSON.parse(text as string)
    }
    expect(await answer(context)).toEqual(
      error(
        1,
        -32601,
        'the method evm_mine does not exist/is not available: this node is not a development chain (start it with --dev)',
      ),
    )
    const dev = {} as DevChain
    expect(await answer({ ...context, dev })).toEqual({ jsonrpc: '2.0', id: 1, result: 'mined' })
  })

  test('cannot subscribe over HTTP', async () => {
    const fake = node()
    const body = JSON.stringify({ ...ask(1, 'eth_subscribe'), params: ['newHeads'] })
    expect(await fake.answer(body)).toEqual(error(1, -32601, 'notifications not supported'))
  })

  test('has its nesting limited before it is parsed', async () => {
    const nested = (depth: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":${'['.repeat(depth)}${']'.repeat(depth)}}`
    const tooDeep = error(null, -32700, 'parse error: nested deeper than 128 levels')
    for (const depth of [128, 200_000, 2_500_000]) {
      expect(await node().answer(nested(depth))).toEqual(tooDeep)
    }
    const text = 'too many arguments, want at most 0'
    expect(await node().answer(nested(127))).toEqual(error(1, -32602, text))
  })

  test.each([
    ['elements', '0,'.repeat(1000)],
    ['objects', '{},'.repeat(500)],
    ['members', `{${'"a":0,'.repeat(500)}"b":0},`],
  ])('has its %s counted before it is parsed, and the error names the limit', async (_, values) => {
    const fake = node({ requestValues: 500 })
    const body = `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[${values}0]}`
    expect(await fake.answer(body)).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: {
        code: -32005,
        message:
          'limit exceeded: the request contains more than 500 values (evm.max_request_values)',
        data: { limit: 500, key: 'evm.max_request_values' },
      },
    })
  })

  test('never makes the dispatcher throw', async () => {
    const fake = node()
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc
            .json()
            .map(
              (params) => `{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":${params}}`,
            ),
        ),
        async (body) => {
          await fake.answer(body)
          expect(fake.defects).toEqual([])
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe('a JSON-RPC batch', () => {
  test('is answered in order without notifications', async () => {
    const batch = [ask(1), { jsonrpc: '2.0', method: 'eth_chainId' }, 5, ask('x', 'nope')]
    expect(await node().answer(JSON.stringify(batch))).toEqual([
      chainId(1),
      error(null, -32600, 'invalid request'),
      error('x', -32601, 'the method nope does not exist/is not available'),
    ])
  })

  test('is an error if it is empty, and unanswered if it has only notifications', async () => {
    const fake = node()
    expect(await fake.answer('[]')).toEqual(error(null, -32600, 'empty batch'))
    expect(await fake.answer('[{"jsonrpc":"2.0","method":"eth_chainId"}]')).toBeUndefined()
  })

  test('may have 1,000 requests, and 1,001 are refused as a whole', async () => {
    const fake = node()
    const batch = Array.from({ length: 1001 }, (_, id) => ask(id + 1))
    const answers = (await fake.answer(JSON.stringify(batch.slice(1)))) as unknown[]
    expect(answers).toHaveLength(1000)
    expect(answers[999]).toEqual(chainId(1001))
    fake.answers.length = 0
    expect(await fake.answer(JSON.stringify(batch))).toEqual([error(1, -32600, 'batch too large')])
    expect(fake.answers).toEqual([])
  })

  test('is not executed further once the answers are too large', async () => {
    const fake = node({ responseBytes: 100 })
    const batch = [ask(1), ask(2), ask(3), ask(4)]
    const answers = (await fake.answer(JSON.stringify(batch))) as { id: number; error?: unknown }[]
    expect(answers.map(({ id }) => id)).toEqual([1, 2, 3, 4])
    expect(answers[0]).toEqual(chainId(1))
    expect(answers[3]).toEqual(error(4, -32003, 'response too large'))
  })
})

describe('a method handler', () => {
  function withMethod(run: Method['run'], limits = {}) {
    const fake = node(limits)
    const dispatcher = new Dispatcher(fake.context, [
      method('test_run', { params: [], result: '', run: run as never }),
    ])
    const answer = async (): Promise<string> => {
      const got = await dispatcher.answer(Buffer.from(JSON.stringify(ask(1, 'test_run'))), CALLER)
      if (typeof got === 'string') return got
      let text = ''
      for await (const { borrowed } of got ?? []) text += Buffer.from(borrowed).toString()
      return text
    }
    return { fake, answer, dispatcher }
  }

  test('that is aborted by its caller is no defect, but one that throws another error is', async () => {
    const leaving = new AbortController()
    leaving.abort()
    for (const [thrown, defects] of [
      [leaving.signal.reason, []],
      [new Error('broken'), [new Error('broken')]],
    ]) {
      const { fake, dispatcher } = withMethod(() => Promise.reject(thrown))
      const body = Buffer.from(JSON.stringify(ask(1, 'test_run')))
      await dispatcher.answer(body, { ...CALLER, signal: leaving.signal })
      expect(fake.defects).toEqual(defects)
    }
  })

  test('that has a bug is reported, and the client learns nothing about it', async () => {
    const secret = new TypeError('secret')
    for (const run of [
      () => {
        throw secret
      },
      () => Promise.reject(secret),
    ]) {
      const { fake, answer } = withMethod(run)
      expect(JSON.parse(await answer())).toEqual(error(1, -32603, 'internal error'))
      expect(fake.defects).toEqual([secret])
    }
  })

  test('that returns a non-JSON result is reported as a bug', async () => {
    for (const run of [() => 1n, async () => ({ value: 1n })]) {
      const { fake, answer } = withMethod(run)
      expect(JSON.parse(await answer())).toEqual(error(1, -32603, 'internal error'))
      expect(fake.defects).toHaveLength(1)
    }
  })

  test('returns data of an error only if the code allows it', async () => {
    const data = { earliest: 7, wei: 255n }
    const pruned = withMethod(() => {
      throw new LockstepError('STATE_PRUNED', 'gone', { data })
    })
    expect(JSON.parse(await pruned.answer()).error).toEqual({
      code: 4444,
      message: 'gone',
      data: { earliest: 7, wei: '0xff' },
    })
    const other = withMethod(() => {
      throw new LockstepError('CONFIG_INVALID', 'bad', { data })
    })
    expect(JSON.parse(await other.answer()).error).toEqual({ code: -32000, message: 'bad' })
  })

  test('that takes too long is answered -32002', async () => {
    const { answer } = withMethod(() => new Promise(() => undefined), { methodTimeoutMs: 10 })
    expect(JSON.parse(await answer())).toEqual(error(1, -32002, 'request timed out'))
  })

  test('that exceeds the response limit is answered -32003', async () => {
    const { answer } = withMethod(() => 'x'.repeat(200), { responseBytes: 100 })
    expect(JSON.parse(await answer())).toEqual(error(1, -32003, 'response too large'))
  })

  test('may return undefined, which is null, and raw JSON, which is unchanged', async () => {
    expect(await withMethod(() => undefined).answer()).toBe(
      '{"jsonrpc":"2.0","id":1,"result":null}',
    )
    const raw = withMethod(() => new RawJson('{ "a": 1 }'))
    expect(await raw.answer()).toBe('{"jsonrpc":"2.0","id":1,"result":{ "a": 1 }}')
  })

  test('may return a stream, which is forwarded in pieces, and whole within a batch', async () => {
    const pieces = ['[1,', '2]'].map((piece) => Buffer.from(piece))
    const { answer, dispatcher } = withMethod(() => new JsonStream(lend(pieces)))
    expect(await answer()).toBe('{"jsonrpc":"2.0","id":1,"result":[1,2]}')
    const batch = await dispatcher.answer(Buffer.from(JSON.stringify([ask(1, 'test_run')])), CALLER)
    expect(batch).toBe('[{"jsonrpc":"2.0","id":1,"result":[1,2]}]')
  })

  test('may return a stream over the budget of its batch, which is not collected', async () => {
    let pulled = 0
    function* endless() {
      for (;;) {
        pulled++
        yield Buffer.alloc(64, 0x20)
      }
    }
    const { dispatcher } = withMethod(() => new JsonStream(lend(endless())), { responseBytes: 256 })
    const batch = await dispatcher.answer(Buffer.from(JSON.stringify([ask(1, 'test_run')])), CALLER)
    expect(JSON.parse(batch as string)).toEqual([error(1, -32003, 'response too large')])
    expect(pulled).toBeLessThan(6)
  })

  test('shares the budget of its batch with concurrent streams', async () => {
    let inMemory = 0
    let most = 0
    function* long() {
      let pulled = 0
      try {
        while (pulled < 100) {
          pulled++
          most = Math.max(most, ++inMemory)
          yield Buffer.alloc(1 << 20, 0x20)
        }
      } finally {
        inMemory -= pulled
      }
    }
    const { dispatcher } = withMethod(() => new JsonStream(lend(long())))
    const account = new WorkScheduler(64 << 20).account('192.0.2.1')
    const batch = Array.from({ length: 20 }, (_, id) => ask(id, 'test_run'))
    const answer = await dispatcher.answer(Buffer.from(JSON.stringify(batch)), {
      ...CALLER,
      account,
    })
    const codes = (JSON.parse(answer as string) as { error: { code: number } }[]).map(
      ({ error }) => error.code,
    )
    // Each has room for 25 MB, and a client for half of the free memory at a time.
    expect(new Set(codes)).toEqual(new Set([-32005]))
    expect(most).toBeLessThan(64 + batch.length)
    expect(account.reservedBytes).toBe(0)
  })

  test('whose stream fails has its error beside the closed result, and in a batch only the error', async () => {
    const late = new LockstepError('LIMIT_EXCEEDED', 'too much', { data: { key: 'evm.some_key' } })
    async function* pieces(): AsyncGenerator<BorrowedView, Error | undefined> {
      yield { borrowed: Buffer.from('[1]') }
      return late
    }
    const { answer, dispatcher, fake } = withMethod(() => new JsonStream(pieces()))
    const shown = { code: -32000, message: 'too much', data: { key: 'evm.some_key' } }
    expect(JSON.parse(await answer())).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: [1],
      error: shown,
    })
    const batch = await dispatcher.answer(Buffer.from(JSON.stringify([ask(1, 'test_run')])), CALLER)
    expect(JSON.parse(batch as string)).toEqual([{ jsonrpc: '2.0', id: 1, error: shown }])
    expect(fake.answers.map(({ code }) => code)).toEqual([-32000, -32000])
  })

  test('whose stream ends in the middle is truncated, as one that is not read', async () => {
    async function* pieces(): AsyncGenerator<BorrowedView, undefined> {
      yield { borrowed: Buffer.from('[1') }
      throw new LockstepError('ENGINE_FAULT', 'gone')
    }
    await expect(withMethod(() => new JsonStream(pieces())).answer()).rejects.toThrow('gone')
    let left = 0
    const unread: JsonChunks = {
      [Symbol.asyncIterator]: () => unread,
      next: () => new Promise(() => undefined),
      return: async () => {
        left++
        return { done: true, value: undefined }
      },
    }
    const { dispatcher } = withMethod(() => new JsonStream(unread))
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'test_run' }))
    expect(await dispatcher.answer(body, CALLER)).toBeUndefined()
    expect(left).toBe(1)
  })

  /**
   * Returns the answers to a batch of four calls: each is the maximum number that ran concurrently so far, or
   * undefined if it timed out.
   */
  async function runFour(flags: { hasOwnTimeLimit?: boolean; isSerialInBatch?: boolean }) {
    let running = 0
    let most = 0
    const run = async () => {
      running++
      most = Math.max(most, running)
      await new Promise((resolve) => setTimeout(resolve, 50))
      running--
      return most
    }
    const methods = [method('test_run', { params: [], result: '', ...flags, run })]
    const dispatcher = new Dispatcher(node({ methodTimeoutMs: 1 }).context, methods)
    const batch = JSON.stringify([1, 2, 3, 4].map((id) => ask(id, 'test_run')))
    const answer = await dispatcher.answer(Buffer.from(batch), CALLER)
    const results = (JSON.parse(answer as string) as { result?: number }[]).map(
      ({ result }) => result,
    )
    return { results, most }
  }

  test('with its own time limit has no common limit, and runs concurrently in a batch', async () => {
    expect(await runFour({ hasOwnTimeLimit: true })).toEqual({ results: [4, 4, 4, 4], most: 4 })
  })

  test('that is serial in a batch runs one after another, within the common time limit', async () => {
    const { results } = await runFour({ isSerialInBatch: true })
    expect(results).toEqual([undefined, undefined, undefined, undefined])
  })

  test('that is serial with its own time limit, as a trace, has no common limit', async () => {
    const both = { hasOwnTimeLimit: true, isSerialInBatch: true }
    expect(await runFour(both)).toEqual({ results: [1, 1, 1, 1], most: 1 })
  })

  test('that is ready at once is answered at once', () => {
    const fake = node()
    const answer = fake.dispatcher.answer(Buffer.from(JSON.stringify(ask(1))), CALLER)
    expect(answer).toBe('{"jsonrpc":"2.0","id":1,"result":"0x531"}')
  })
})
