import { createHash } from 'node:crypto'
import net from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { postText } from '../../../support/node/raw-socket.ts'
import { ChunkedBody } from './chunked-body.ts'

// Clients on a separate thread, so that a server writes while they do not read.

/** Data with which the thread starts. It posts a `string[]` with the report of each reader. */
export interface SlowReaders {
  readonly port: number
  readonly count: number
}

/** Milliseconds that a reader pauses after its `part`th read. */
type Pace = (part: number) => number

const PACES: readonly Pace[] = [
  () => 0,
  (part) => (part % 8 === 0 ? part % 4 : 0),
  (part) => (part % 3 === 0 ? 1 : 0),
  (part) => (part % 100 === 0 ? 50 : 0),
]

/** Reads a chunked answer with strict framing. Returns the SHA-256 of its body, or the fault. */
async function read(port: number, pace: Pace): Promise<string> {
  const socket = net.connect(port, '127.0.0.1')
  socket.write(postText(''))
  const hash = createHash('sha256')
  const body = new ChunkedBody((data) => hash.update(data))
  let head: string | undefined = ''
  let part = 0
  try {
    for await (const bytes of socket as AsyncIterable<Buffer>) {
      if (head === undefined) {
        body.push(bytes)
      } else {
        head += bytes.toString('latin1')
        const end = head.indexOf('\r\n\r\n')
        if (end < 0) continue
        body.push(Buffer.from(head.slice(end + 4), 'latin1'))
        head = undefined
      }
      if (body.isEnded) break
      const away = pace(part++)
      if (away > 0) await delay(away)
    }
  } catch (thrown) {
    return String(thrown)
  } finally {
    socket.destroy()
  }
  return body.isEnded ? hash.digest('hex') : 'the answer was cut'
}

const { port, count } = workerData as SlowReaders
const readers = Array.from({ length: count }, (_, i) => read(port, PACES[i % PACES.length] as Pace))
parentPort?.postMessage(await Promise.all(readers))
