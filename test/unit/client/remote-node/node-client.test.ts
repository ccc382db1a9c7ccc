import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { LockstepError } from '../../../../host/base/error.ts'
import { parseNodeAddress } from '../../../../host/client/remote-node/node-address.ts'
import {
  NodeClient,
  type NodeClientOptions,
} from '../../../../host/client/remote-node/node-client.ts'
import {
  type FakeBehaviour,
  type FakeNode,
  FakeRefusal,
  startFakeNode,
} from '../../../support/rpc/fake-node.ts'

const nodes: FakeNode[] = []

afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()))
})

async function serve(
  behaviour: FakeBehaviour,
  options: NodeClientOptions = {},
): Promise<{ node: FakeNode; client: NodeClient }> {
  const node = await startFakeNode(behaviour)
  nodes.push(node)
  return { node, client: new NodeClient(node.url, { backoffMs: 1, ...options }) }
}

/** Returns the code, the message without the port, and the remedy of a rejection. */
async function failure(promise: Promise<unknown>): Promise<[string, string, string]> {
  const thrown = await promise.then(
    (value) => new Error(`resolved with ${JSON.stringify(value)}`),
    (error: unknown) => error,
  )
  if (!(thrown instanceof LockstepError)) throw thrown
  return [thrown.code, thrown.message.replaceAll(/127\.0\.0\.1:\d+/g, 'HOST'), thrown.hint]
}

function send(response: ServerResponse, status: number, body: string): true {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(body)
  return true
}

const raw = (status: number, body: string): FakeBehaviour => ({
  raw: (response) => send(response, status, body),
})

describe('the address of a node', () => {
  test.each([
    ['http://127.0.0.1:8545', 'http://127.0.0.1:8545'],
    ['https://node.example/rpc/v1', 'https://node.example/rpc/v1'],
    ['https://u:secret@node.example/', 'https://node.example'],
    ['https://main.example/v3/0123456789abcdef0123456789abcdef', 'https://main.example/v3/...'],
    ['https://main.example/eth?apikey=0123#f', 'https://main.example/eth?...'],
  ])('which is %s has the name %s', (text, name) => {
    expect(parseNodeAddress(text).name).toBe(name)
  })

  test('sends user and password as a header, since fetch refuses them in a URL', () => {
    expect(parseNodeAddress('https://us%C3%A9r:p%40ss@node.example/x')).toEqual({
      url: 'https://node.example/x',
      name: 'https://node.example/x',
      headers: { authorization: `Basic ${Buffer.from('usér:p@ss').toString('base64')}` },
    })
  })

  test.each([
    ['node:secret@', 'the address of the node is a URL of node:'],
    ['//secret', 'the address of the node is no URL'],
    ['ws://u:secret@node.example', 'the address of the node is a URL of ws:'],
  ])('that is %s is refused without being printed', async (text, message) => {
    expect(await failure(Promise.resolve().then(() => new NodeClient(text)))).toEqual([
      'INVALID_ARGUMENT',
      message,
      'write it as http://127.0.0.1:8545 or https://...',
    ])
  })
})

describe('the client of a node', () => {
  test('returns results in the order of the calls, whatever the order of the answers', async () => {
    const { client, node } = await serve({
      raw: (response, calls) =>
        send(
          response,
          200,
          JSON.stringify(
            (calls as ((typeof calls)[number] & { id: number })[])
              .map(({ id, params }) => ({ jsonrpc: '2.0', id, result: params[0] }))
              .reverse(),
          ),
        ),
    })
    const calls = Array.from({ length: 7 }, (_, i) => ({ method: 'echo', params: [i] }))
    expect(await client.askAll(calls)).toEqual(calls.map((_, i) => ({ result: i })))
    expect(node.requests.map(({ length }) => length)).toEqual([7])
    expect(client.cost).toMatchObject({ requests: 1, calls: 7 })
  })

  test('halves batches until the node accepts them, whatever its error is', async () => {
    for (const refuse of [
      (response: ServerResponse) => send(response, 413, 'too large'),
      (response: ServerResponse) =>
        send(
          response,
          200,
          '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch too large"}}',
        ),
      (response: ServerResponse) => send(response, 200, `[${'1'.repeat(5000)}]`),
    ]) {
      const { client, node } = await serve(
        {
          answer: ({ params }) => params[0],
          raw: (response, calls) => calls.length > 3 && refuse(response),
        },
        { maxBytes: 4000 },
      )
      const calls = Array.from({ length: 10 }, (_, i) => ({ method: 'echo', params: [i] }))
      expect(await client.askAll(calls)).toEqual(calls.map((_, i) => ({ result: i })))
      expect(node.requests.map(({ length }) => length)).toEqual([10, 5, 3, 2, 5, 3, 2])
    }
  })

  test('retries after 429 and 5xx, and only the calls that hit a limit', async () => {
    let asked = 0
    const { client, node } = await serve({
      answer: ({ params }) =>
        params[0] === 1 && asked++ === 0
          ? new FakeRefusal(-32005, 'daily request count exceeded, request rate limited')
          : params[0],
      raw: (response) => {
        const status = [429, 503][node.requests.length - 1]
        return status !== undefined && send(response, status, 'busy')
      },
    })
    const calls = [0, 1, 2].map((i) => ({ method: 'echo', params: [i] }))
    expect(await client.askAll(calls)).toEqual([{ result: 0 }, { result: 1 }, { result: 2 }])
    expect(node.requests.map(({ length }) => length)).toEqual([3, 3, 3, 1])
  })

  test('waits before a retry as long as the node requests', async () => {
    const times: number[] = []
    const { client } = await serve({
      answer: () => '0x1',
      raw: (response) => {
        times.push(performance.now())
        if (times.length > 1) return false
        response.writeHead(429, { 'retry-after': '0.3' }).end()
        return true
      },
    })
    expect(await client.ask('eth_chainId')).toBe('0x1')
    expect((times[1] as number) - (times[0] as number)).toBeGreaterThan(295)
  })

  test('gives up after the maximum number of retries', async () => {
    const { client, node } = await serve(raw(429, ''), { retries: 2 })
    expect(await failure(client.ask('eth_chainId'))).toEqual([
      'NODE_UNREACHABLE',
      'http://HOST: eth_chainId was answered with HTTP 429',
      'the node limits its requests: wait, or use a key or a node of your own',
    ])
    expect(node.requests).toHaveLength(3)
  })

  test.each<[string, FakeBehaviour, [string, string, string]]>([
    [
      'a page',
      raw(200, '<!DOCTYPE html>\n<script>alert(1)</script>'),
      [
        'PEER_INVALID',
        'http://HOST: eth_chainId: the answer is a page, not JSON: "<!DOCTYPE html> <script>alert(1)</script>"',
        "pass the address of the node's JSON-RPC, which differs from that of its web pages",
      ],
    ],
    [
      'nothing',
      raw(200, ''),
      [
        'PEER_INVALID',
        'http://HOST: eth_chainId: the answer is not JSON, but empty',
        'check that the address is that of an Ethereum JSON-RPC, or ask another node',
      ],
    ],
    [
      'JSON of something else',
      raw(200, '{"status":"ok"}'),
      [
        'PEER_INVALID',
        String.raw`http://HOST: eth_chainId: the answer is not JSON-RPC, but "{\"status\":\"ok\"}"`,
        'check that the address is that of an Ethereum JSON-RPC, or ask another node',
      ],
    ],
    [
      'an answer to another call',
      raw(200, '{"jsonrpc":"2.0","id":99,"result":"0x1"}'),
      [
        'PEER_INVALID',
        'http://HOST: eth_chainId: an answer matches no call',
        'check that the address is that of an Ethereum JSON-RPC, or ask another node',
      ],
    ],
    [
      'a path that is not there',
      raw(404, 'no'),
      [
        'NODE_UNREACHABLE',
        'http://HOST: eth_chainId was answered with HTTP 404',
        'the node serves its JSON-RPC under another path: correct the address',
      ],
    ],
    [
      'a wrong key',
      raw(401, '{"message":"no key"}'),
      [
        'NODE_UNREACHABLE',
        'http://HOST: eth_chainId was answered with HTTP 401',
        'the node needs a key: write it into the address as its provider says',
      ],
    ],
    [
      'a refusal of many lines',
      { answer: () => new FakeRefusal(-32000, `no\u0007\n${'x'.repeat(300)}`) },
      [
        'NOT_FOUND',
        `http://HOST: eth_chainId is refused: no ${'x'.repeat(196)}... (-32000)`,
        'check the target, and that the node serves the method and has the block',
      ],
    ],
    [
      'no such method',
      {
        answer: () =>
          new FakeRefusal(-32601, 'the method eth_chainId does not exist/is not available'),
      },
      [
        'METHOD_NOT_FOUND',
        'http://HOST: eth_chainId is refused: the method eth_chainId does not exist/is not available (-32601)',
        'enable the namespace of the method on the node (geth and reth: --http.api eth,debug), or ask another node',
      ],
    ],
    [
      'no such state',
      {
        answer: () =>
          new FakeRefusal(-32000, 'missing trie node 00ff (path ) state 0x00 is not available'),
      },
      [
        'STATE_PRUNED',
        'http://HOST: eth_chainId is refused: missing trie node 00ff (path ) state 0x00 is not available (-32000)',
        'ask a node that retains the state of old blocks: an archive node (geth --gcmode archive, reth without pruning), or Lockstep',
      ],
    ],
    [
      'an answer without end',
      {
        raw: (response) => {
          const write = (): void => {
            while (!response.destroyed && response.write('9'.repeat(10_000)));
            if (!response.destroyed) response.once('drain', write)
          }
          response.writeHead(200)
          write()
          return true
        },
      },
      [
        'RESPONSE_TOO_LARGE',
        'http://HOST: the answer to eth_chainId has more than 100000 bytes',
        'ask for less in one request',
      ],
    ],
    [
      'silence',
      { raw: () => true },
      [
        'REQUEST_TIMEOUT',
        'http://HOST: eth_chainId was not answered within 0.2 s',
        'ask again, ask for less, or ask another node',
      ],
    ],
    [
      'an answer that stops half-way',
      {
        raw: (response) => {
          response.writeHead(200, { 'content-length': '50' })
          response.write('{"jsonrpc"')
          return true
        },
      },
      [
        'REQUEST_TIMEOUT',
        'http://HOST: eth_chainId was not answered within 0.2 s',
        'ask again, ask for less, or ask another node',
      ],
    ],
    [
      'a connection that is cut',
      {
        raw: (response) => {
          response.socket?.destroy()
          return true
        },
      },
      [
        'NODE_UNREACHABLE',
        'http://HOST: no answer to eth_chainId: UND_ERR_SOCKET',
        'start the node, or correct the address',
      ],
    ],
  ])('explains what is wrong with %s', async (_, behaviour, expected) => {
    const { client } = await serve(behaviour, { retries: 0, maxBytes: 100_000, timeoutMs: 200 })
    expect(await failure(client.ask('eth_chainId'))).toEqual(expected)
  })

  test('reports the number of requests after each answer', async () => {
    const told: [number, number][] = []
    const { client } = await serve(
      { answer: () => '0x1' },
      {
        batchSize: 2,
        parallel: 1,
        onProgress: ({ requests, calls }) => told.push([requests, calls]),
      },
    )
    await client.askAll(Array.from({ length: 5 }, () => ({ method: 'eth_chainId', params: [] })))
    expect(told).toEqual([
      [1, 2],
      [2, 4],
      [3, 5],
    ])
  })

  test('retries if a node that has answered before is briefly unreachable', async () => {
    const { client, node } = await serve({
      answer: () => '0x1',
      raw: (response) => {
        if (node.requests.length !== 2) return false
        response.socket?.destroy()
        return true
      },
    })
    expect(await client.ask('eth_chainId')).toBe('0x1')
    expect(await client.ask('eth_chainId')).toBe('0x1')
    expect(node.requests).toHaveLength(3)
  })

  test('stops at its signal, during a request and before a retry', async () => {
    const reason = new LockstepError('INTERRUPTED', 'the page was left')
    for (const behaviour of [{ raw: () => true }, raw(429, '')]) {
      const ending = new AbortController()
      const { client } = await serve(behaviour, { signal: ending.signal, backoffMs: 60_000 })
      const asked = failure(client.ask('eth_chainId'))
      setTimeout(() => ending.abort(reason), 20)
      expect((await asked)[1]).toBe('the page was left')
    }
  })

  test('never reveals the key that a URL contains', async () => {
    const key = '0123456789abcdef0123456789abcdef'
    const { node } = await serve({ raw: (response) => send(response, 500, key) })
    const options: NodeClientOptions = {
      retries: 0,
      fetch: (input) => Promise.reject(new TypeError(`Failed to fetch ${String(input)}`)),
    }
    const asked = new NodeClient(`${node.url}/v3/${key}?k=${key}`, options).ask('eth_chainId')
    expect(await failure(asked)).toEqual([
      'NODE_UNREACHABLE',
      'http://HOST/v3/...?...: no answer to eth_chainId: Failed to fetch http://HOST/v3/...?...',
      'start the node, or correct the address',
    ])
    expect(JSON.stringify(await asked.catch((error: Error) => [error, error.cause]))).not.toContain(
      key,
    )
  })

  test('explains in a browser which CORS setting the node needs', async () => {
    const ask = async (page: string): Promise<string> => {
      const { origin, protocol } = new URL(page)
      Object.defineProperty(globalThis, 'location', {
        value: { origin, protocol },
        configurable: true,
      })
      try {
        const options: NodeClientOptions = {
          fetch: () => Promise.reject(new TypeError('Failed to fetch')),
        }
        const [, message, hint] = await failure(
          new NodeClient('http://127.0.0.1:1', options).ask('eth_chainId'),
        )
        expect(message).toMatch(/eth_chainId: the browser received none that it may read$/)
        return hint
      } finally {
        Reflect.deleteProperty(globalThis, 'location')
      }
    }
    expect(await ask('http://127.0.0.1:9000/x')).toBe(
      'start the node, and allow this page to ask it, which browsers require: ' +
        `cors_origins = ["http://127.0.0.1:9000"] in [evm] of Lockstep's app.toml, ` +
        `--http.corsdomain 'http://127.0.0.1:9000' for geth and reth; anvil allows every page`,
    )
    expect(await ask('http://127.0.0.1:1/explorer')).toBe(
      'start the node that serves this page, then try again',
    )
    expect(await ask('file:///tmp/index.html')).toContain('cors_origins = ["null"]')
    expect(await ask('https://explorer.example')).toBe(
      'a browser does not let this https page ask a node over http unless it is on this machine: ' +
        "give the node's https address, or open the page over http",
    )
  })
})
