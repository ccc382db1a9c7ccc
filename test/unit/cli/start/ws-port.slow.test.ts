import { afterAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { serveHttp } from '../../../support/http-server.ts'
import { makeHome, removeHome, startDaemon } from '../../../support/node/daemon.ts'

const home = makeHome()
afterAll(() => removeHome(home))

/** Returns the answer of a WebSocket to `eth_chainId`. */
function chainIdAt(url: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url)
    socket.on('error', reject)
    socket.on('open', () => socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'))
    socket.on('message', (data) => {
      resolve(JSON.parse(String(data)).result)
      socket.close()
    })
  })
}

const ownPort = (output: string): string | undefined =>
  /WebSocket has a port of its own url=(ws:\S+)/.exec(output)?.[1]

test('ws_port serves WebSocket only, beside http_port and without it', async () => {
  const { ready, output, stop } = await startDaemon({ home })
  const alone = ownPort(output()) ?? ''
  expect(alone).not.toBe(ready.ws)
  for (const url of [alone, ready.ws]) expect(await chainIdAt(url)).toBe('0x7a69')
  const plain = await fetch(alone.replace('ws:', 'http:'), { method: 'POST', body: '{}' })
  expect([plain.status, await plain.text()]).toEqual([426, 'this port serves only WebSocket\n'])
  expect(await stop()).toBe(0)

  const off = await startDaemon({ home, arguments: ['--evm.http-enabled=false'] })
  expect(off.ready.rpc).toBeNull()
  expect(off.ready.ws).toBe(ownPort(off.output()))
  expect(await chainIdAt(off.ready.ws)).toBe('0x7a69')
  expect(await off.stop()).toBe(0)
})

test('a configured ws_port that is in use is refused', async () => {
  const { port, close } = await serveHttp()
  try {
    await expect(startDaemon({ home, arguments: ['--evm.ws-port', String(port)] })).rejects.toThrow(
      /node ended with 75 /,
    )
  } finally {
    await close()
  }
})
