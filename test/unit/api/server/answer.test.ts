import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { WorkScheduler } from '../../../../host/api/server/work-scheduler.ts'
import { makeGate } from '../../../support/gate.ts'
import { lend } from '../../../support/lender.ts'
import { postText } from '../../../support/node/raw-socket.ts'
import { SERVERS, ServerFixture, url } from '../../../support/node/server-fixture.ts'
import type { SlowReaders } from './slow-readers-thread.ts'

/** Concurrent readers and the bytes sent to each: more than the kernel buffers. */
const READERS = 32
const STREAMED = randomBytes(6 << 20, 1)
const DIGEST = createHash('sha256').update(STREAMED).digest('hex')

/** Returns pseudorandom bytes that depend only on the seed. */
function randomBytes(count: number, seed: number): Uint8Array {
  let state = seed
  const words = Uint32Array.from({ length: count / 4 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state
  })
  return new Uint8Array(words.buffer)
}

/** Bytes that fill the buffers of the kernel. */
const FILLING = 5 << 20

/**
 * Yields the bytes of the answer. Up to FILLING, each piece fits uWebSockets.js' buffer of 16 KiB, but not together
 * with its chunk line. The later sizes are around those that are written at once. If the kernel's buffers end between
 * a chunk line and its piece, the library sends the line twice. A tenth of the readers sees this when pieces are
 * written as they come (20.51 on Linux).
 */
function* pieces(): Generator<Uint8Array> {
  const sizes = [256 * 1024, 1, 15 * 1024, 15 * 1024 + 1, 64 * 1024 - 1, 0, 16 * 1024, 200_000]
  for (let at = 0, i = 0; at < STREAMED.length; i++) {
    const size = at > FILLING ? (sizes[i % sizes.length] as number) : at === 0 ? 1 : 16 * 1024 - 4
    yield STREAMED.subarray(at, at + size)
    at += size
  }
}

const SLOW_READERS = new URL('slow-readers-thread.ts', import.meta.url)

/** Returns what readers on another thread report about an answer: its digest, or the fault. */
async function readSlowly(port: number): Promise<readonly string[]> {
  const workerData: SlowReaders = { port, count: READERS }
  const worker = new Worker(SLOW_READERS, { workerData })
  const [said] = (await once(worker, 'message')) as [string[]]
  return said
}

describe.each(SERVERS)('the responses of the %s server', (name) => {
  const servers = new ServerFixture(name)

  test('count as pending memory until they have been read', async () => {
    const work = new WorkScheduler(1 << 25)
    const size = 1 << 24
    const server = await servers.serve({
      work,
      handler: () => ({ status: 200, body: 'x'.repeat(size) }),
    })
    const socket = await servers.connect(server)
    socket.pause()
    socket.send(postText(''))
    while (work.load.reservedBytes < size) await nextTurn()
    socket.resume()
    await socket.length(size)
    while (work.load.reservedBytes > 0) await nextTurn()
  })

  test('are sent whole if they are large and the client reads late', async () => {
    const body = 'ab'.repeat(8_000_000)
    const server = await servers.serve({ handler: () => ({ status: 200, body }) })
    const socket = await servers.connect(server)
    socket.pause()
    socket.send(postText(''))
    await new Promise((resolve) => setImmediate(resolve))
    socket.resume()
    const head = (await socket.until('\r\n\r\n')).indexOf('\r\n\r\n') + 4
    expect((await socket.length(head + body.length)).length).toBe(head + body.length)
  })

  test('request the next chunk of a stream only as the client reads', async () => {
    let produced = 0
    let returned = false
    const chunk = new Uint8Array(1 << 20).fill(97)
    async function* endless() {
      try {
        for (;;) {
          produced++
          yield { borrowed: chunk }
        }
      } finally {
        returned = true
      }
    }
    const server = await servers.serve({ handler: () => ({ status: 200, body: endless() }) })
    const socket = await servers.connect(server)
    socket.pause()
    socket.send(postText(''))
    let before = -1
    await expect
      .poll(
        () => {
          const still = produced === before && produced > 0
          before = produced
          return still
        },
        { interval: 100 },
      )
      .toBe(true)
    // Only what the kernel buffers on both sides of a loopback connection.
    expect(produced).toBeLessThan(32)
    socket.destroy()
    await expect.poll(() => returned).toBe(true)
  })

  test('send a stream as chunks and end it', async () => {
    async function* parts() {
      yield { borrowed: Buffer.from('[1') }
      yield { borrowed: Buffer.from('') }
      await new Promise((resolve) => setImmediate(resolve))
      yield { borrowed: Buffer.from(',2]') }
    }
    const server = await servers.serve({ handler: () => ({ status: 200, body: parts() }) })
    expect(await (await fetch(url(server))).text()).toBe('[1,2]')
  })

  test('yield between chunks of a stream that never waits', async () => {
    // A slice has time for one or two chunks.
    let milliseconds = 0
    const work = new WorkScheduler(1 << 28, () => {
      milliseconds += 3
      return milliseconds
    })
    let turns = 0
    let isOver = false
    const count = async () => {
      for (; !isOver; turns++) await nextTurn()
    }
    const seen: number[] = []
    async function* ready() {
      for (let i = 0; i < 20; i++) {
        seen.push(turns)
        yield { borrowed: Buffer.from('x') }
      }
    }
    const server = await servers.serve({ work, handler: () => ({ status: 200, body: ready() }) })
    const counted = count()
    expect(await (await fetch(url(server))).text()).toBe('x'.repeat(20))
    isOver = true
    await counted
    expect(new Set(seen).size).toBeGreaterThan(10)
  })

  test('send borrowed pieces in order and whole to slow readers', async () => {
    const server = await servers.serve({
      handler: () => ({ status: 200, body: lend(pieces()) }),
    })
    expect(new Set(await readSlowly(server.port))).toEqual(new Set([DIGEST]))
  }, 60_000)

  test('close the connection when a stream fails', async () => {
    const read = makeGate()
    async function* broken() {
      yield { borrowed: Buffer.from('part') }
      await read.opened
      throw new Error('secret')
    }
    const server = await servers.serve({ handler: () => ({ status: 200, body: broken() }) })
    const socket = await servers.connect(server)
    socket.send(postText(''))
    await socket.until('part')
    read.open()
    const answer = await socket.closed()
    expect(answer).not.toContain('secret')
    expect(answer.endsWith('0\r\n\r\n')).toBe(false)
  })

  test('abort their signal when the client disconnects', async () => {
    const started = makeGate()
    const aborted = makeGate()
    const server = await servers.serve({
      handler: ({ signal }) => {
        signal.addEventListener('abort', () => aborted.open())
        started.open()
        return new Promise(() => undefined)
      },
    })
    const socket = await servers.connect(server)
    socket.send(postText('wait'))
    await started.opened
    socket.destroy()
    await aborted.opened
  })
})
