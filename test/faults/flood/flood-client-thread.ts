import { setMaxListeners } from 'node:events'
import net from 'node:net'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { WebSocket } from 'ws'
import type { Flood } from './flood.ts'

// Clients on a thread of their own: those who are measured must not wait for those who flood.

/** What the thread starts with. It floods until it is sent a message, and answers that with a `FloodCount`. */
export interface FloodOrder {
  readonly flood: Flood
  readonly urls: { readonly rpc: string; readonly ws: string; readonly consensus: string }
}

/** What became of it. */
export interface FloodCount {
  readonly sent: number
  readonly receivedBytes: number
  readonly connections: number
}

const { flood, urls } = workerData as FloodOrder
const ending = new AbortController()
const over = ending.signal
// One for each connection.
setMaxListeners(0, over)
parentPort?.once('message', () => ending.abort())
let sent = 0
let receivedBytes = 0
let connections = 0

/** A node that refuses at once is not to be asked as fast as it can refuse. */
const RECONNECT_MS = 20

/** uWebSockets.js takes no chunks: a body that is to arrive slowly is sent in parts of its length. */
const isChunked = flood.chunkBytes > 0 && flood.chunkMs === 0

function head(body: Buffer): string {
  const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${body.length}`
  return `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${length}\r\n\r\n`
}

/** The parts in which a body is written, some hundred kilobytes each where nothing waits between its chunks. */
function* parts(body: Buffer): Generator<Buffer | string> {
  if (flood.chunkBytes === 0) {
    yield body
    return
  }
  const perPart = Math.ceil(65_536 / flood.chunkBytes)
  if (!isChunked) {
    for (let at = 0; at < body.length; at += flood.chunkBytes) {
      yield body.subarray(at, at + flood.chunkBytes)
    }
    return
  }
  let part = ''
  let chunks = 0
  for (let at = 0; at < body.length; at += flood.chunkBytes) {
    const chunk = body.subarray(at, at + flood.chunkBytes)
    part += `${chunk.length.toString(16)}\r\n${chunk.toString('latin1')}\r\n`
    if (++chunks % perPart !== 0) continue
    yield part
    part = ''
  }
  yield `${part}0\r\n\r\n`
}

/** One connection until it is closed or the time is up. */
async function talk(url: URL): Promise<void> {
  const socket = net.connect(Number(url.port), url.hostname)
  connections++
  let isClosed = false
  let wake = () => {}
  socket.on('error', () => {})
  socket.on('close', () => {
    isClosed = true
    wake()
  })
  socket.on('drain', () => wake())
  const change = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  let answered = 0
  if (flood.reads) {
    socket.on('data', (data) => {
      receivedBytes += data.length
      // An answer begins with its status line; of those in chunks the end is not looked for.
      if (data.includes('HTTP/1.1 ')) answered++
      wake()
    })
  } else {
    socket.pause()
  }
  // Without waiting for the socket's own word: that of a paused one may not come.
  const leave = () => {
    isClosed = true
    socket.destroy()
    wake()
  }
  over.addEventListener('abort', leave)
  for (let i = 0; !isClosed && !over.aborted; i++) {
    const body = Buffer.from(flood.bodies[i % flood.bodies.length] as string, 'latin1')
    socket.write(head(body))
    for (const part of parts(body)) {
      if (!socket.write(part)) await change()
      // Even where the socket takes all at once: a body in chunks of a byte is minutes of writing, in which the
      // word that the time is up, or that the node has hung up, must be heard.
      await (flood.chunkMs > 0 ? delay(flood.chunkMs) : nextTurn())
      if (isClosed || over.aborted) break
    }
    sent++
    if (!flood.reads) {
      if (i + 1 >= flood.burst) break
      continue
    }
    while (!isClosed && answered <= i) await change()
  }
  while (!isClosed && !over.aborted) await change()
  over.removeEventListener('abort', leave)
  socket.destroy()
}

async function talkWebSocket(url: URL): Promise<void> {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  connections++
  let isClosed = false
  let wake = () => {}
  const change = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  let answered = 0
  socket.on('error', () => {})
  socket.on('close', () => {
    isClosed = true
    wake()
  })
  socket.on('message', (data) => {
    receivedBytes += (data as Buffer).length
    answered++
    wake()
  })
  const leave = () => {
    isClosed = true
    socket.terminate()
    wake()
  }
  over.addEventListener('abort', leave)
  await new Promise<void>((resolve) => {
    socket.on('open', resolve)
    socket.on('close', () => resolve())
    over.addEventListener('abort', () => resolve())
  })
  if (!flood.reads) socket.pause()
  while (!isClosed && !over.aborted) {
    answered = 0
    for (let i = 0; i < flood.burst && !isClosed; i++) {
      socket.send(flood.bodies[i % flood.bodies.length] as string, { fin: !flood.isUnfinished })
      sent++
      // The client's own memory is not what is measured.
      while (!isClosed && socket.bufferedAmount > 1 << 22) await delay(1)
    }
    if (!flood.reads || flood.isUnfinished) break
    while (!isClosed && answered < flood.burst && !over.aborted) await change()
  }
  while (!isClosed) await change()
  over.removeEventListener('abort', leave)
}

async function keepTalking(): Promise<void> {
  while (!over.aborted) {
    if (flood.server === 'ws') await talkWebSocket(new URL(urls.ws))
    else await talk(new URL(flood.server === 'http' ? urls.rpc : urls.consensus))
    await delay(RECONNECT_MS)
  }
}

await Promise.all(Array.from({ length: flood.connections }, keepTalking))
const count: FloodCount = { sent, receivedBytes, connections }
parentPort?.postMessage(count)
