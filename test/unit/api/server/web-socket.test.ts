import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { Origins } from '../../../../host/api/server/origins.ts'
import type { Server, WebSocketPeer } from '../../../../host/api/server/server.ts'
import { WorkScheduler } from '../../../../host/api/server/work-scheduler.ts'
import { makeGate } from '../../../support/gate.ts'
import { SERVERS, ServerFixture, text, url } from '../../../support/node/server-fixture.ts'
import { until } from '../../../support/until.ts'

describe.each(SERVERS)('WebSocket of the %s server', (name) => {
  const servers = new ServerFixture(name)

  function echo() {
    const closed = makeGate<WebSocketPeer>()
    return {
      closed,
      handler: {
        onOpen: (peer: WebSocketPeer) => peer.send(`hello ${peer.remoteAddress}`),
        onMessage: (peer: WebSocketPeer, message: Uint8Array) => peer.send(text(message)),
        onClose: (peer: WebSocketPeer) => closed.open(peer),
      },
    }
  }

  function open(server: Server) {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/any/path`)
    servers.cleanups.push(() => socket.close())
    const messages: string[] = []
    const closed = makeGate<CloseEvent>()
    socket.onmessage = (event) => messages.push(String(event.data))
    socket.onclose = (event) => closed.open(event)
    return { socket, messages, closed: closed.opened }
  }

  test('exchanges messages on the HTTP port', async () => {
    const { handler, closed } = echo()
    const server = await servers.serve({ webSocket: handler })
    const client = open(server)
    await expect.poll(() => client.messages).toEqual(['hello 127.0.0.1'])
    client.socket.send('ping')
    client.socket.send(new Uint8Array([0x68, 0x69]))
    await expect.poll(() => client.messages).toEqual(['hello 127.0.0.1', 'ping', 'hi'])
    expect(await (await fetch(url(server))).text()).toBe('GET ')
    client.socket.close()
    expect((await closed.opened).signal.aborted).toBe(true)
  })

  test('accepts a message as long as a body, and closes with 1009 for one over the limit', async () => {
    const maxBodyBytes = 5 * 1024 * 1024
    const work = new WorkScheduler(1 << 28)
    const server = await servers.serve({ work, webSocket: echo().handler, maxBodyBytes })
    const client = open(server)
    await expect.poll(() => client.messages.length).toBe(1)
    client.socket.send('x'.repeat(maxBodyBytes))
    await expect.poll(() => client.messages[1]?.length).toBe(maxBodyBytes)
    client.socket.send('x'.repeat(maxBodyBytes + 1))
    expect(await client.closed).toMatchObject({ code: 1009, reason: 'message too big' })
    // Above twice the limit the libraries close by themselves; uWebSockets.js sends no close frame.
    const other = open(server)
    await expect.poll(() => other.messages.length).toBe(1)
    other.socket.send('x'.repeat(2 * maxBodyBytes + 1))
    expect([1006, 1009]).toContain((await other.closed).code)
  })

  test('closes a client that does not read with 1013 if there is no room for its messages', async () => {
    const work = new WorkScheduler(1 << 20)
    let peer: WebSocketPeer | undefined
    const server = await servers.serve({
      work,
      webSocket: {
        onOpen: (opened) => {
          peer = opened
        },
        onMessage: () => {},
        onClose: () => {},
      },
    })
    const socket = await servers.connect(server)
    socket.send(
      'GET / HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n' +
        'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    await socket.until('\r\n\r\n')
    socket.pause()
    let sent = 0
    while (peer?.signal.aborted === false) {
      peer.send('x'.repeat(64 * 1024))
      sent++
      await nextTurn()
      expect(sent).toBeLessThan(1000)
    }
    while (work.load.reservedBytes > 0) await nextTurn()
  })

  test('limits the unfinished messages of all clients together, and releases them when clients disconnect', async () => {
    const work = new WorkScheduler(8 << 20)
    let opened = 0
    let closed = 0
    const server = await servers.serve({
      work,
      maxBodyBytes: 1 << 20,
      webSocket: {
        onOpen: () => opened++,
        onMessage: () => undefined,
        onClose: () => closed++,
      },
    })
    // Unfinished text, masked with zeros.
    const begun = Buffer.alloc(900_000)
    begun.set([0x01, 0xff])
    begun.writeBigUInt64BE(BigInt(begun.length - 14), 2)
    const clients = await Promise.all(Array.from({ length: 30 }, () => servers.connect(server)))
    for (const client of clients) {
      client.send(
        'GET / HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n' +
          'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      )
      await client.until('\r\n\r\n')
      client.send(begun)
    }
    // Each client holds twice 0.9 MB, and may use half of the free memory.
    await until(() => opened === 30 && closed >= 26)
    expect(work.load.reservedBytes).toBeLessThanOrEqual(8 << 20)
    expect(work.reserved.total).toBeLessThanOrEqual(8 << 20)
    for (const client of clients) client.destroy()
    await until(() => closed === 30 && work.load.reservedBytes === 0 && work.reserved.total === 0)
  })

  test('delivers a fragmented message followed by others, and counts nothing of it afterwards', async () => {
    const work = new WorkScheduler(1 << 24)
    const server = await servers.serve({ work, webSocket: echo().handler })
    const socket = await servers.connect(server)
    socket.send(
      'GET / HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n' +
        'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    await socket.until('hello')
    const frame = (first: number, text: string) =>
      Buffer.from([first, 0x80 | text.length, 0, 0, 0, 0, ...Buffer.from(text)])
    const ping = frame(0x89, 'ping')
    socket.send(
      Buffer.concat([frame(0x01, 'one '), ping, frame(0x80, 'two'), frame(0x81, 'three')]),
    )
    await socket.until('one two')
    await socket.until('three')
    // Only the packet is counted, until the next one arrives.
    expect(work.load.reservedBytes).toBeLessThan(200)
    socket.destroy()
    await until(() => work.load.reservedBytes === 0)
  })

  test('finishes a streamed message whose next piece is there each time the client reads on', async () => {
    const piece = new Uint8Array(256 * 1024).fill(0x78)
    const count = 80
    async function* pieces() {
      for (let i = 0; i < count; i++) yield { borrowed: piece }
    }
    const server = await servers.serve({
      webSocket: {
        onOpen: () => {},
        onMessage: (peer: WebSocketPeer) =>
          void peer.stream(pieces()).then(() => peer.send('behind it')),
        onClose: () => {},
      },
    })
    const client = open(server)
    await once(client.socket, 'open')
    client.socket.send('all')
    await until(() => client.messages.length === 2)
    expect(client.messages.map(({ length }) => length)).toEqual([count * piece.length, 9])
  })

  test('closes with the code and reason given', async () => {
    const server = await servers.serve({
      webSocket: { ...echo().handler, onMessage: (peer) => peer.close(1008, 'because') },
    })
    const client = open(server)
    await expect.poll(() => client.messages.length).toBe(1)
    client.socket.send('go')
    expect(await client.closed).toMatchObject({ code: 1008, reason: 'because' })
  })

  test('refuses upgrades without a handler or from a forbidden origin', async () => {
    const upgrade = (origin: string) =>
      `GET / HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\norigin: ${origin}\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
    const bare = await servers.connect(await servers.serve())
    bare.send(upgrade('http://a.example'))
    expect(await bare.until('no WebSocket here')).toContain('HTTP/1.1 400 Bad Request')
    const origins = new Origins(['http://a.example'])
    const server = await servers.serve({ webSocket: { ...echo().handler, origins } })
    const refused = await servers.connect(server)
    refused.send(upgrade('http://b.example'))
    expect(await refused.until('origin not allowed')).toContain('HTTP/1.1 403 Forbidden')
    const accepted = await servers.connect(server)
    accepted.send(upgrade('http://a.example'))
    await accepted.until('HTTP/1.1 101 Switching Protocols')
  })

  test('drops a client that does not read', async () => {
    const dropped = makeGate()
    const opened = makeGate<WebSocketPeer>()
    const server = await servers.serve({
      webSocket: {
        onOpen: (peer) => opened.open(peer),
        onMessage: () => undefined,
        onClose: () => dropped.open(),
      },
    })
    const socket = await servers.connect(server)
    socket.send(
      'GET / HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    const peer = await opened.opened
    socket.pause()
    const megabyte = 'm'.repeat(1 << 20)
    let sent = 0
    while (!peer.signal.aborted && sent < 64) {
      peer.send(megabyte)
      sent++
      await new Promise((resolve) => setImmediate(resolve))
    }
    // The RPC worker reports it later.
    await until(() => peer.signal.aborted)
    expect(sent).toBeGreaterThanOrEqual(8)
    socket.destroy()
    await dropped.opened
    peer.send('ignored')
  })

  test('sends a close frame when the server stops', async () => {
    const server = await servers.serve({ webSocket: echo().handler })
    const client = open(server)
    await expect.poll(() => client.messages.length).toBe(1)
    const closing = server.close(1000)
    expect((await client.closed).code).toBe(1001)
    await closing
  })

  test('frees the slot of a closed connection', async () => {
    const { handler, closed } = echo()
    const server = await servers.serve({ webSocket: handler, maxConnections: 1 })
    const client = open(server)
    await expect.poll(() => client.messages.length).toBe(1)
    client.socket.close()
    await closed.opened
    const next = open(server)
    await expect.poll(() => next.messages.length).toBe(1)
  })
})
