import { describe, expect, test } from 'vitest'
import { makeGate } from '../../../support/gate.ts'
import { postText } from '../../../support/node/raw-socket.ts'
import { SERVERS, ServerFixture, text } from '../../../support/node/server-fixture.ts'
import { WIRE_CASES } from '../../../support/server/rfc-9112.ts'
import { outcomeOf } from '../../../support/server/wire-exchange.ts'

const REQUEST = {
  target: '/asked?for=this',
  body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
}

describe.each(SERVERS)('the %s server follows RFC 9112', (name) => {
  const servers = new ServerFixture(name)
  const expected = ({ outcome, uws }: (typeof WIRE_CASES)[number]) =>
    name === 'node' ? outcome : (uws ?? outcome)

  test.each(WIRE_CASES)('in the case of $name ($clause)', async (one) => {
    const paths: string[] = []
    const server = await servers.serve({
      handler: ({ method, path, query, headers }) => {
        const isPlain = method === 'POST' && path === '/asked' && query === 'for=this'
        paths.push(isPlain ? 'plain' : `${method} ${path}?${query} of ${headers.get('host')}`)
        return { status: 200, body: 'answered' }
      },
    })
    const { port } = server
    const outcome = await outcomeOf(one, expected(one), { port, request: REQUEST, status: 200 })
    expect(expected(one)).toContain(outcome)
    // Nothing of a refused request, nor anything behind it, reaches the handler. After silence one plain request
    // does.
    if (typeof outcome === 'number') expect(paths).toEqual([])
    else if (outcome === 'silent') expect(paths).toEqual(['plain'])
    else expect(paths.at(-1)).toBe('plain')
  })

  test('and answers fifty requests in one write in order (9.3.2)', async () => {
    if (name === 'threads') return
    let asked = 0
    const server = await servers.serve({ handler: () => ({ status: 200, body: `<${++asked}>` }) })
    const socket = await servers.connect(server)
    socket.send(postText('{}').repeat(50))
    const answers = await socket.until('<50>')
    const order = Array.from({ length: 50 }, (_, i) => `<${i + 1}>`)
    expect(answers.match(/<\d+>/g)).toEqual(order)
  })
})

describe('pipelined requests on the node server', () => {
  const servers = new ServerFixture('node')

  test('are answered before an unreadable one is refused', async () => {
    const first = makeGate()
    const server = await servers.serve({
      handler: async ({ body }) => {
        await first.opened
        return { status: 200, body: `<${text(body)}>` }
      },
    })
    const socket = await servers.connect(server)
    socket.send(`${postText('one')}${postText('two')}nonsense\r\n\r\n`)
    first.open()
    const answers = await socket.closed()
    expect(answers.match(/HTTP\/1.1 \d+|<\w+>/g)).toEqual([
      'HTTP/1.1 200',
      '<one>',
      'HTTP/1.1 200',
      '<two>',
      'HTTP/1.1 400',
    ])
  })

  test('with an invalid chunk are refused in their place', async () => {
    const first = makeGate()
    const server = await servers.serve({
      handler: async ({ body }) => {
        await first.opened
        return { status: 200, body: `<${text(body)}>` }
      },
    })
    const socket = await servers.connect(server)
    const head = 'POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n'
    socket.send(`${postText('one')}${head}3\r\ntwo\r\nxyz\r\n${postText('three')}`)
    first.open()
    const answers = await socket.closed()
    expect(answers.match(/HTTP\/1.1 \d+|<\w+>/g)).toEqual(['HTTP/1.1 200', '<one>', 'HTTP/1.1 400'])
  })

  test('are not read after one that closes the connection (9.6)', async () => {
    const bodies: string[] = []
    const server = await servers.serve({
      handler: ({ body }) => {
        bodies.push(text(body))
        return { status: 200, body: 'answered' }
      },
    })
    const socket = await servers.connect(server)
    socket.send(postText('one', { connection: 'close' }) + postText('two'))
    await socket.closed()
    expect(bodies).toEqual(['one'])
  })

  test.each(['http/1.0', 'an upgrade that is not served'])('may be %s', async (kind) => {
    const server = await servers.serve()
    const socket = await servers.connect(server)
    const upgrade =
      'connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n'
    socket.send(
      kind === 'http/1.0'
        ? 'GET / HTTP/1.0\r\n\r\n'
        : `GET / HTTP/1.1\r\nhost: localhost\r\n${upgrade}\r\n`,
    )
    expect(await socket.until('GET ')).toContain('HTTP/1.1 200 OK')
  })
})
