import { once } from 'node:events'
import { existsSync, linkSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type IpcServer, listenIpc } from '../../../../host/api/server/ipc-server.ts'
import type { WebSocketPeer } from '../../../../host/api/server/server.ts'
import { WorkScheduler } from '../../../../host/api/server/work-scheduler.ts'
import { until } from '../../../support/until.ts'

let folder: string
let path: string
let work: WorkScheduler
let peers: WebSocketPeer[]
const servers: IpcServer[] = []
const sockets: net.Socket[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-ipc-'))
  path = join(folder, 'node.ipc')
  work = new WorkScheduler(1 << 28)
  peers = []
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) await server.close()
  rmSync(folder, { recursive: true })
})

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** Opens a server that sends back each text. */
async function listen(options: Partial<Parameters<typeof listenIpc>[0]> = {}): Promise<IpcServer> {
  const handler = {
    onOpen: (peer: WebSocketPeer) => void peers.push(peer),
    onMessage: (peer: WebSocketPeer, message: Uint8Array) => peer.send(textOf(message)),
    onClose: (peer: WebSocketPeer) => {
      peers = peers.filter((other) => other !== peer)
    },
  }
  const server = await listenIpc({
    path,
    work,
    maxBodyBytes: 1000,
    maxConnections: 4,
    handler,
    ...options,
  })
  servers.push(server)
  return server
}

async function connect() {
  const socket = net.connect(path)
  sockets.push(socket)
  const client = { socket, received: '', isClosed: false }
  socket.on('data', (bytes) => {
    client.received += bytes
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    client.isClosed = true
  })
  await once(socket, 'connect')
  return client
}

test('each text gets its response, in order, with a line break behind it', async () => {
  await listen()
  const client = await connect()
  client.socket.write('{"a":1}[2] {"b"')
  await until(() => client.received.length > 0)
  client.socket.write(':3}')
  await until(() => client.received === '{"a":1}\n[2]\n{"b":3}\n')
})

test('a streamed response is one line, and texts sent meanwhile follow it', async () => {
  await listen()
  const client = await connect()
  await until(() => peers.length === 1)
  const [peer] = peers as [WebSocketPeer]
  async function* pieces() {
    yield { borrowed: new TextEncoder().encode('[1,') }
    peer.send('{"later":true}')
    yield { borrowed: new TextEncoder().encode('2]') }
  }
  await peer.stream(pieces())
  await until(() => client.received === '[1,2]\n{"later":true}\n')
})

describe('the socket', () => {
  test('belongs to this user alone, and is removed with the server', async () => {
    const mask = process.umask()
    const server = await listen()
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(process.umask()).toBe(mask)
    const client = await connect()
    await server.close()
    await until(() => client.isClosed)
    expect(existsSync(path)).toBe(false)
  })

  test('replaces one that a killed process has left', async () => {
    const left = net.createServer()
    const other = join(folder, 'other.ipc')
    left.listen(other)
    await once(left, 'listening')
    // A hard link remains when the server removes its own path.
    linkSync(other, path)
    left.close()
    await once(left, 'close')
    expect(statSync(path).isSocket()).toBe(true)
    await listen()
    const client = await connect()
    client.socket.write('[]')
    await until(() => client.received === '[]\n')
  })

  test('is not taken from another process that listens there', async () => {
    await listen()
    await expect(listen()).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      message: `evm.ipc_path ${path}: another process listens there`,
    })
    const client = await connect()
    client.socket.write('[]')
    await until(() => client.received === '[]\n')
  })

  test('does not replace a file', async () => {
    writeFileSync(path, 'precious')
    await expect(listen()).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: `evm.ipc_path ${path}: exists and is not a socket`,
    })
    expect(statSync(path).size).toBe(8)
  })

  test('needs a path that the system can bind', async () => {
    const long = join(folder, 'x'.repeat(120))
    await expect(listen({ path: long })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: `evm.ipc_path ${long}: the path of a socket has at most 103 bytes`,
    })
    const absent = join(folder, 'absent', 'node.ipc')
    await expect(listen({ path: absent })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  })
})

describe('a client', () => {
  test('that sends no JSON gets a response to it, and the connection ends', async () => {
    await listen()
    const client = await connect()
    client.socket.write('[1]GET / HTTP/1.1\r\n\r\n[2]')
    await until(() => client.isClosed)
    expect(client.received).toBe('[1]\nG\n')
  })

  test.each([
    ['in one text', (size: number) => `["${'x'.repeat(size)}"]`],
    ['in a text that never ends', (size: number) => `["${'x'.repeat(size)}`],
    ['in brackets', (size: number) => '['.repeat(size)],
  ])('that sends more than the limit %s loses its connection and its memory', async (_, make) => {
    await listen()
    const client = await connect()
    client.socket.write(make(2000))
    await until(() => client.isClosed && peers.length === 0)
    expect([client.received, work.load.reservedBytes]).toEqual(['', 0])
  })

  test('that leaves in the middle of a text leaves nothing reserved', async () => {
    await listen()
    const client = await connect()
    client.socket.write('{"begun":')
    await until(() => work.load.reservedBytes > 0)
    client.socket.destroy()
    await until(() => peers.length === 0)
    expect(work.load.reservedBytes).toBe(0)
  })

  test('that does not read is disconnected before it fills the memory', async () => {
    await listen({ maxBodyBytes: 1 << 20 })
    const client = await connect()
    client.socket.pause()
    await until(() => peers.length === 1)
    const [peer] = peers as [WebSocketPeer]
    for (let sent = 0; sent < 40; sent++) peer.send('x'.repeat(1 << 20))
    expect(peer.signal.aborted).toBe(true)
    await until(() => peers.length === 0)
    expect(work.load.reservedBytes).toBe(0)
  })

  test('beyond the limit of connections is disconnected', async () => {
    await listen({ maxConnections: 2 })
    const clients = [await connect(), await connect(), await connect()]
    await until(() => clients[2]?.isClosed === true)
    expect(clients.map(({ isClosed }) => isClosed)).toEqual([false, false, true])
    clients[0]?.socket.write('[]')
    await until(() => clients[0]?.received === '[]\n')
  })
})
