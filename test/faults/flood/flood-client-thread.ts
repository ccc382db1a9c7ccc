import { setMaxListeners } from 'node:events'
import net from 'node:net'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { WebSocket } from 'ws'
import type { Flood } from './flood.ts'

// Flooding clients, on a separate thread so that they do not delay the measured clients.

/** The thread's input. It floods until it receives a message, and answers that with a `FloodCount`. */
export interface FloodOrder {
  readonly flood: Flood
  readonly urls: { readonly rpc: string; readonly ws: string; readonly consensus: string }
}

/** The result of a flood. */
export interface FloodCount {
  readonly sent: number
  readonly receivedBytes: number
  readonly connections: number
}

const { flood, urls } = workerData as FloodOrder
const ending = new AbortController()
const over = ending.signal
// One listener for each connection.
setMaxListeners(0, over)
parentPort?.once('message', () => ending.abort())
let sent = 0
let receivedBytes = 0
let connections = 0

/** Limits the rate of reconnections to a node that refuses at once. */
const RECONNECT_MS = 20

/** uWebSockets.js refuses chunked bodies, so a slow body is sent in parts with a content-length. */
const isChunked = flood.chunkBytes > 0 && flood.chunkMs === 0

function head(body: Buffer): string {
  const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${body.length}`
  return `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${length}\r\n\r\n`
}

/** Yields the parts of a body, of some hundred kilobytes each if there is no pause between chunks. */
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

/** Uses one connection until it is closed or the time is over. */
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
      // Counts responses by their status line, since the end of a chunked one is not parsed.
      if (data.includes('HTTP/1.1 ')) answered++
      wake()
    })
  } else {
    socket.pause()
  }
  // Does not wait for the socket's close event, which a paused socket may not emit.
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
      // Yields even if the socket accepts everything: a body in one-byte chunks takes minutes to write, during which
      // the end of the time or a closed connection must be noticed.
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
      // Bounds the memory of the client, which is not measured.
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
