import { expect, test } from 'vitest'
import { ReceivedBody } from '../../../../../host/api/server/threads/received-body.ts'
import { SentBody } from '../../../../../host/api/server/threads/sent-body.ts'
import type { BorrowedView } from '../../../../../host/base/borrowed-view.ts'
import { makeDice } from '../../../../fuzz/dice.ts'
import { runSeed } from '../../../../support/random.ts'

/** Yields chunks of these sizes in one shared buffer, which is overwritten when the next one is requested. */
async function* bodyOf(sizes: readonly number[]): AsyncGenerator<BorrowedView> {
  const bytes = new Uint8Array(Math.max(...sizes))
  for (const [i, size] of sizes.entries()) {
    bytes.fill(0xff)
    bytes.fill(i % 251, 0, size)
    yield { borrowed: bytes.subarray(0, size) }
  }
}

/** Passes a body between two ends as threads do: transferred buffers are detached at the sender. */
function passBody(body: AsyncIterable<BorrowedView>) {
  const made = new Set<number>()
  let isBroken = false
  const received: ReceivedBody = new ReceivedBody(
    (spare) => {
      const message = structuredClone({ spare }, { transfer: spare === undefined ? [] : [spare] })
      void sent.pull(message.spare)
    },
    () => sent.drop(),
  )
  let spares = 0
  const sent = new SentBody(body, {
    chunk: (bytes) => {
      made.add(bytes.buffer.byteLength)
      if (bytes.length < bytes.buffer.byteLength) spares++
      received.push(structuredClone(bytes, { transfer: [bytes.buffer] }))
    },
    end: () => received.finish('whole'),
    broken: () => {
      isBroken = true
      received.finish('broken')
    },
  })
  void sent.pull()
  return { received, made, isBroken: () => isBroken, spares: () => spares }
}

test(`a forwarded body arrives unchanged for any chunk sizes (seed ${runSeed()})`, async () => {
  const dice = makeDice(runSeed())
  for (let run = 0; run < 50; run++) {
    const sizes = Array.from({ length: 1 + dice.below(30) }, () => dice.below(2_000))
    const { received } = passBody(bodyOf(sizes))
    const read: string[] = []
    for await (const { borrowed } of received) read.push(Buffer.from(borrowed).toString('hex'))
    const expected = sizes.map((size, i) => Buffer.alloc(size, i % 251).toString('hex'))
    // Empty chunks would end an answer and are not sent.
    expect(read).toEqual(expected.filter((text) => text !== ''))
  }
})

test('a forwarded chunk reuses the buffer of one that was read', async () => {
  const { received, made, spares } = passBody(bodyOf([1000, 1000, 10, 20, 30, 40, 50]))
  let last: Uint8Array | undefined
  for await (const { borrowed } of received) {
    // The previous chunk was returned with the request for the next one.
    if (last !== undefined) expect(last.length).toBe(0)
    last = borrowed
  }
  expect([...made]).toEqual([1000])
  expect(spares()).toBe(5)
})

test('a forwarded body that fails is aborted at that point', async () => {
  const { received, isBroken } = passBody(
    (async function* () {
      yield* bodyOf([5])
      throw new Error('no more')
    })(),
  )
  const read: number[] = []
  await expect(
    (async () => {
      for await (const { borrowed } of received) read.push(borrowed.length)
    })(),
  ).rejects.toThrow('the response body was aborted')
  expect(read).toEqual([5])
  expect(isBroken()).toBe(true)
})
