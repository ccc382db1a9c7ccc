import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Server, ServerOptions, WebSocketPeer } from '../../../../../host/api/server/server.ts'
import { RpcWorkerPool } from '../../../../../host/api/server/threads/rpc-worker-pool.ts'
import { WorkScheduler } from '../../../../../host/api/server/work-scheduler.ts'
import { makeGate } from '../../../../support/gate.ts'
import { freePort } from '../../../../support/http-server.ts'
import { postText, RawSocket } from '../../../../support/node/raw-socket.ts'
import { text } from '../../../../support/node/server-fixture.ts'
import { until } from '../../../../support/until.ts'

const WORKER = new URL('dying-serving-worker.ts', import.meta.url)
const EXITING = fileURLToPath(new URL('exiting-server-main.ts', import.meta.url))

const GET = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`
const UPGRADE =
  'GET / HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n' +
  'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'

interface Serving {
  readonly server: Server
  readonly work: WorkScheduler
  readonly deaths: Error[]
}

/** Starts a server. `onStart` is called for each thread that is about to start. */
async function serve(
  options: Partial<ServerOptions> = {},
  onStart: () => void = () => undefined,
): Promise<Serving> {
  const deaths: Error[] = []
  const work = new WorkScheduler(1 << 24)
  const threads = new RpcWorkerPool({
    threads: 2,
    script: WORKER,
    start: () => {
      onStart()
      return { data: undefined, transfer: [], onExit: () => undefined }
    },
    onNote: () => undefined,
    onQuestion: async () => undefined,
    onDeath: (error) => deaths.push(error),
  })
  const server = await threads.listener(true)({
    work,
    host: '127.0.0.1',
    port: 0,
    maxBodyBytes: 1 << 20,
    bodyIdleMs: 5000,
    maxConnections: 100,
    handler: ({ body }) => ({ status: 200, body: `heard ${text(body)}.` }),
    ...options,
  })
  onTestFinished(async () => {
    await server.close(0)
    await threads.close()
  })
  return { server, work, deaths }
}

async function connect({ port }: Server): Promise<RawSocket> {
  const socket = await RawSocket.connect(port)
  onTestFinished(() => socket.destroy())
  return socket
}

/** Returns the RPC worker of a connection. */
async function threadOf(socket: RawSocket): Promise<string> {
  const before = socket.received.length
  socket.send(GET('/thread'))
  await until(() => /thread \d+\.$/.test(socket.received.slice(before)))
  return socket.received.slice(before).replace(/^.*thread /s, '')
}

/** Opens connections until each of two threads has some. */
async function connectBoth(server: Server): Promise<ReadonlyMap<string, readonly RawSocket[]>> {
  const byThread = new Map<string, RawSocket[]>()
  await until(async () => {
    const socket = await connect(server)
    const thread = await threadOf(socket)
    byThread.set(thread, [...(byThread.get(thread) ?? []), socket])
    return byThread.size === 2 && [...byThread.values()].every((sockets) => sockets.length >= 2)
  })
  return byThread
}

describe('RPC workers', () => {
  test('share the connections of one port', async () => {
    const { server } = await serve()
    const byThread = await connectBoth(server)
    expect(byThread.size).toBe(2)
  })

  // Workers bind the port after the main thread has checked it. A second node could find it free in between.
  test('of two nodes that start on one port at the same time report to one that it is in use', async () => {
    const port = await freePort()
    let second: Promise<unknown> | undefined
    const first = await serve({ port }, () => {
      second ??= serve({ port }).catch((thrown: unknown) => thrown)
    })
    expect(first.server.port).toBe(port)
    expect(await second).toMatchObject({ code: 'PORT_IN_USE' })
    await first.server.close(0)
    expect((await serve({ port })).server.port).toBe(port)
  })

  test('that die lose only their own connections, and are replaced', async () => {
    const aborted = makeGate()
    const started = makeGate()
    const peers = new Set<WebSocketPeer>()
    const closed: WebSocketPeer[] = []
    const { server, work, deaths } = await serve({
      handler: ({ path, signal, body }) => {
        if (path !== '/wait') return { status: 200, body: `heard ${text(body)}.` }
        signal.addEventListener('abort', () => aborted.open())
        started.open()
        return new Promise(() => undefined)
      },
      webSocket: {
        onOpen: (peer) => peers.add(peer),
        onMessage: () => undefined,
        onClose: (peer) => closed.push(peer),
      },
    })
    const byThread = await connectBoth(server)
    const [lost = [], kept = []] = [...byThread.values()]
    const [waits, dies] = lost as [RawSocket, RawSocket]
    const sockets = await Promise.all(
      Array.from({ length: 16 }, async () => {
        const socket = await connect(server)
        socket.send(UPGRADE)
        await socket.until('\r\n\r\n')
        return socket
      }),
    )
    await until(() => peers.size === sockets.length)
    waits.send(GET('/wait'))
    await started.opened
    dies.send(GET('/die'))
    await aborted.opened
    for (const socket of lost) await socket.closed()
    await until(() => deaths.length === 1)
    expect(deaths[0]?.message).toMatch(/^an RPC worker died: Error: a defect of the thread/)
    for (const peer of closed) expect(peer.signal.aborted).toBe(true)
    expect(closed.length).toBeLessThan(sockets.length)
    for (const socket of kept) {
      socket.send(postText('me'))
      await socket.until('heard me.')
    }
    const before = [...byThread.keys()]
    await until(async () => !before.includes(await threadOf(await connect(server))))
    for (const socket of kept) socket.destroy()
    await until(() => work.load.reservedBytes === 0)
    expect(deaths).toHaveLength(1)
  })

  test('that died leave no slot taken, so that the usual number of clients is admitted', async () => {
    const { server, deaths } = await serve({ maxConnections: 8 })
    // Refused while both threads are down, and closed by a thread that is ending or still full.
    const connectAny = () =>
      RawSocket.connect(server.port).then(
        (socket) => [socket],
        () => [],
      )
    const isServed = async (socket: RawSocket) => {
      socket.send(postText('in'))
      return socket.until('heard in.').then(
        () => true,
        () => false,
      )
    }
    for (let death = 1; death <= 3; death++) {
      const sockets: RawSocket[] = []
      let served: RawSocket | undefined
      await until(async () => {
        const socket = await connectAny()
        sockets.push(...socket)
        for (const one of socket) if (await isServed(one)) served = one
        return served !== undefined
      })
      for (let i = 0; i < 5; i++) sockets.push(...(await connectAny()))
      served?.send(GET('/die'))
      await until(() => deaths.length === death)
      for (const socket of sockets) socket.destroy()
    }
    await until(async () => {
      const sockets = (await Promise.all(Array.from({ length: 8 }, connectAny))).flat()
      const served = await Promise.all(sockets.map(isServed))
      const isFull = served.length === 8 && served.every((one) => one)
      if (isFull) {
        for (const one of await connectAny()) expect(await isServed(one)).toBe(false)
      }
      for (const socket of sockets) socket.destroy()
      return isFull
    })
  })

  test('share one memory limit for clients that flood over connections of all workers', async () => {
    const maxHeldBytes = 4 << 20
    const work = new WorkScheduler(maxHeldBytes)
    let most = 0
    const { server } = await serve({
      work,
      webSocket: { onOpen: () => undefined, onMessage: () => undefined, onClose: () => undefined },
    })
    const floods = await Promise.all(
      Array.from({ length: 32 }, async () => {
        const socket = await connect(server)
        // Unfinished bodies of half a megabyte each: sixteen megabytes in all.
        socket.send('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n\r\n')
        socket.send('x'.repeat(500_000))
        return socket
      }),
    )
    const refused = () => floods.filter(({ received }) => received.includes(' 503 ')).length
    await until(() => {
      most = Math.max(most, work.load.reservedBytes)
      return refused() > 16
    })
    const honest = await connect(server)
    honest.send(postText('still'))
    await honest.until('heard still.')
    // Two threads may each admit a body at the same time.
    expect(most).toBeLessThanOrEqual(maxHeldBytes + 2 * (1 << 20))
    for (const flood of floods) flood.destroy()
    await until(() => work.load.reservedBytes === 0)
  })

  test('count messages that the main thread has not received, and close clients that send more', async () => {
    const work = new WorkScheduler(1 << 20)
    let heard = 0
    const { server } = await serve({
      work,
      webSocket: {
        onOpen: () => undefined,
        onMessage: () => heard++,
        onClose: () => undefined,
      },
    })
    const socket = await connect(server)
    socket.send(UPGRADE)
    await socket.until('\r\n\r\n')
    // One message of 64 KiB, masked with zeros, sent repeatedly while the main thread does not read.
    const head = Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    const message = Buffer.concat([head, Buffer.alloc(65_536)])
    socket.send(Buffer.concat(Array.from({ length: 40 }, () => message)))
    const end = performance.now() + 10_000
    const sleeper = new Int32Array(new SharedArrayBuffer(4))
    // Let the kernel take it first.
    await new Promise((resolve) => setImmediate(resolve))
    while (work.load.reservedBytes < 1 << 19 && performance.now() < end)
      Atomics.wait(sleeper, 0, 0, 5)
    expect(work.load.reservedBytes).toBeGreaterThanOrEqual(1 << 19)
    await until(() => work.load.reservedBytes === 0)
    expect(heard).toBeLessThanOrEqual(40)
  })

  test('that close with requests in progress answer or abort each of them at the end of the grace period', async () => {
    const answer = makeGate<string>()
    let waiting = 0
    const { server } = await serve({
      handler: async ({ path }) => {
        waiting++
        if (path === '/never') return new Promise(() => undefined)
        return { status: 200, body: await answer.opened }
      },
    })
    const byThread = await connectBoth(server)
    const answered: RawSocket[] = []
    const cut: RawSocket[] = []
    for (const [first, second] of byThread.values()) {
      first?.send(GET('/late'))
      second?.send(GET('/never'))
      answered.push(first as RawSocket)
      cut.push(second as RawSocket)
    }
    await until(() => waiting === 4)
    const closing = server.close(500)
    answer.open('at last')
    for (const socket of answered) expect(await socket.closed()).toContain('at last')
    for (const socket of cut) expect(await socket.closed()).not.toContain('at last')
    await closing
    await expect(RawSocket.connect(server.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  test.each([
    ['exit', 3],
    ['throw', 1],
  ])('a process with open connections that ends by %s has its own exit code', async (how, code) => {
    const child = spawn(process.execPath, [EXITING, how], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let port = ''
    child.stdout.on('data', (chunk) => {
      port += chunk
    })
    const exited = once(child, 'exit')
    await until(() => port.endsWith('\n'))
    const socket = await RawSocket.connect(Number(port))
    socket.send(GET('/end'))
    await socket.closed()
    expect(await exited).toEqual([code, null])
  })
})
