import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { WorkScheduler } from '../../../../host/api/server/work-scheduler.ts'
import { postText } from '../../../support/node/raw-socket.ts'
import { SERVERS, ServerFixture, url } from '../../../support/node/server-fixture.ts'

describe.each(SERVERS)('a request body on the %s server', (name) => {
  const servers = new ServerFixture(name)

  // uWebSockets.js does not accept chunked bodies, and a test cannot choose the kernel's pieces.
  test.runIf(name === 'node')(
    'in tiny chunks is refused long before its end, and one in large chunks is accepted',
    async () => {
      const server = await servers.serve({
        maxBodyBytes: 1 << 20,
        handler: ({ body }) => ({ status: 200, body: String(body.length) }),
      })
      const head = 'POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n'
      const taken = await servers.connect(server)
      taken.send(`${head}${'1\r\nx\r\n'.repeat(4096)}${'80\r\n'}${'y'.repeat(128)}\r\n0\r\n\r\n`)
      expect(await taken.until('\r\n\r\n')).toContain('HTTP/1.1 400 ')
      const pieces = await servers.connect(server)
      pieces.send(`${head}${`80\r\n${'y'.repeat(128)}\r\n`.repeat(5000)}0\r\n\r\n`)
      expect(await pieces.until('640000')).toContain('HTTP/1.1 200 OK')
      const crumbs = await servers.connect(server)
      crumbs.send(head + '1\r\nx\r\n'.repeat(100_000))
      expect(await crumbs.closed()).toContain('request body in too many small pieces')
    },
  )

  test('counts as pending memory, is refused if there is no room, and is released', async () => {
    const work = new WorkScheduler(1_400_000)
    const maxBodyBytes = 650_000
    const server = await servers.serve({ work, maxBodyBytes })
    const holdSlowly = async (size: number) => {
      const slow = await servers.connect(server)
      const before = work.load.reservedBytes
      slow.send(`POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${size + 1}\r\n\r\n`)
      slow.send('x'.repeat(size))
      while (work.load.reservedBytes < before + size) await nextTurn()
      return slow
    }
    const slow = [await holdSlowly(600_000)]
    expect(work.load.reservedBytes).toBeLessThanOrEqual(maxBodyBytes)
    slow.push(await holdSlowly(200_000))
    const refused = await servers.connect(server)
    // One byte more than is free, so that it has no room in whatever pieces it arrives.
    refused.send(postText('z'.repeat(1_400_000 - work.load.reservedBytes + 1)))
    const answer = await refused.until('evm.max_client_bytes')
    expect(answer).toContain('HTTP/1.1 503 Service Unavailable')
    expect(answer.toLowerCase()).toContain('retry-after: 1')
    const small = await servers.connect(server)
    small.send(postText('fits'))
    await small.until('POST fits')
    for (const client of slow) client.destroy()
    while (work.load.reservedBytes > 0) await nextTurn()
  })

  test('with a declared length over the limit is refused, and the connection stays open', async () => {
    const server = await servers.serve()
    const socket = await servers.connect(server)
    socket.send(postText('x'.repeat(1001)))
    expect(await socket.until('request body too large')).toContain('HTTP/1.1 413 Payload Too Large')
    socket.send(postText('fits'))
    await socket.until('POST fits')
  })

  test.runIf(name === 'node')(
    'in chunks over the limit is refused, and the connection stays open',
    async () => {
      const server = await servers.serve()
      const socket = await servers.connect(server)
      const head = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n'
      socket.send(`${head}200\r\n${'y'.repeat(512)}\r\n200\r\n${'y'.repeat(512)}\r\n0\r\n\r\n`)
      await socket.until('request body too large')
      socket.send(postText('fits'))
      await socket.until('POST fits')
    },
  )

  test('of 6 MB from a client that sends before it reads is answered 413', async () => {
    const server = await servers.serve({ maxBodyBytes: 5 * 1024 * 1024 })
    const body = new Uint8Array(6_000_000)
    const response = await fetch(url(server), { method: 'POST', body })
    expect(response.status).toBe(413)
    expect(await response.text()).toBe('request body too large')
  })

  test('of exactly the limit is accepted in pieces', async () => {
    const server = await servers.serve({
      handler: ({ body }) => ({ status: 200, body: `${body.length}` }),
    })
    const socket = await servers.connect(server)
    const request = postText('z'.repeat(1000))
    socket.send(request.slice(0, -300))
    socket.send(request.slice(-300))
    await socket.until('\r\n\r\n1000')
  })

  test('that stalls is answered 408 and closed', async () => {
    const server = await servers.serve({ bodyIdleMs: 30 })
    const socket = await servers.connect(server)
    socket.send('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf')
    const answer = await socket.closed()
    expect(answer).toContain('HTTP/1.1 408 Request Timeout')
    expect(answer).toContain('request body timed out')
  })
})
