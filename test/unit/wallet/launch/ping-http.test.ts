import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcp, type Server as TcpServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { pingHttp } from '../../../../host/wallet/launch/ping-http.ts'

const servers: { close(): unknown }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function listening(server: TcpServer) {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const http = (handler: RequestListener) => listening(createServer(handler))
const never = () => new AbortController().signal

test('a ping succeeds for any response and for a connection that is closed', async () => {
  await pingHttp(await http((_, response) => response.writeHead(503).end()), never())
  await pingHttp(await listening(createTcp((socket) => socket.destroy())), never())
})

test('a ping fails if the server is silent or the port unused', async () => {
  const gone = createTcp()
  const url = await listening(gone)
  gone.close()
  await once(gone, 'close')
  await expect(pingHttp(url, never())).rejects.toThrow('ECONNREFUSED')
  const stop = new AbortController()
  const silent = createTcp((socket) => socket.on('error', () => {}))
  const waiting = pingHttp(await listening(silent), stop.signal)
  await once(silent, 'connection')
  stop.abort()
  await expect(waiting).rejects.toThrow('aborted')
})
