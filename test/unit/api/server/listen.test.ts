import net from 'node:net'
import { describe, expect, test } from 'vitest'
import { chooseTransport } from '../../../../host/api/server/listen.ts'
import { LockstepError } from '../../../../host/base/error.ts'
import { makeGate } from '../../../support/gate.ts'
import { postText, RawSocket } from '../../../support/node/raw-socket.ts'
import { SERVERS, ServerFixture } from '../../../support/node/server-fixture.ts'

describe.each(SERVERS)('the %s server as a listener', (name) => {
  const servers = new ServerFixture(name)

  test('closes connections over the limit', async () => {
    const server = await servers.serve({ maxConnections: 2 })
    const held = [await servers.connect(server), await servers.connect(server)]
    for (const socket of held) socket.send(postText('in'))
    for (const socket of held) await socket.until('POST in')
    const third = await servers.connect(server)
    expect(await third.closed()).toBe('')
    held[0]?.destroy()
    await expect
      .poll(async () => {
        const again = await servers.connect(server)
        again.send(postText('again'))
        return again.until('POST again').then(
          () => true,
          () => false,
        )
      })
      .toBe(true)
  })

  test('names the address that is in use', async () => {
    const holder = net.createServer()
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
    servers.cleanups.push(() => holder.close())
    const { port } = holder.address() as net.AddressInfo
    const failure = await servers.serve({ port }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(LockstepError)
    expect((failure as LockstepError).code).toBe('PORT_IN_USE')
    expect((failure as LockstepError).message).toBe(`127.0.0.1:${port} is already in use`)
  })

  test('does not share its port with a second server', async () => {
    const server = await servers.serve()
    await expect(servers.serve({ port: server.port })).rejects.toMatchObject({
      code: 'PORT_IN_USE',
    })
  })

  test('finishes the request in progress before it closes', async () => {
    const started = makeGate()
    const answer = makeGate<string>()
    const server = await servers.serve({
      handler: async () => {
        started.open()
        return { status: 200, body: await answer.opened }
      },
    })
    const idle = await servers.connect(server)
    const socket = await servers.connect(server)
    socket.send(postText('last'))
    await started.opened
    const closing = server.close(10_000)
    await expect
      .poll(() =>
        RawSocket.connect(server.port).then(
          (late) => late.destroy(),
          ({ code }) => code,
        ),
      )
      .toBe('ECONNREFUSED')
    answer.open('done')
    expect(await socket.closed()).toContain('done')
    await closing
    await idle.closed()
  })

  test('does not wait longer than the grace for a request that never ends', async () => {
    const started = makeGate()
    const server = await servers.serve({
      handler: () => {
        started.open()
        return new Promise(() => undefined)
      },
    })
    const socket = await servers.connect(server)
    socket.send(postText('stuck'))
    await started.opened
    await server.close(20)
    expect(await socket.closed()).toBe('')
  })
})

test('the server setting auto selects the first implementation that loads', async () => {
  expect(['uws', 'node']).toContain((await chooseTransport('auto')).name)
  expect((await chooseTransport('node')).name).toBe('node')
})
