import { expect, test } from 'vitest'
import { type FragmentSocket, MessageQueue } from '../../../../host/api/server/message-queue.ts'
import type { BorrowedView } from '../../../../host/base/borrowed-view.ts'
import { makeGate } from '../../../support/gate.ts'

/** A socket that records what it sends, and has room when the test says so. */
class NotedSocket implements FragmentSocket {
  readonly sent: string[] = []
  held = 0
  isClosed = false
  isBroken = false
  gate = makeGate()

  sendText(text: string): void {
    this.sent.push(text)
  }

  sendFragment(bytes: Uint8Array, isFirst: boolean, isLast: boolean): void {
    this.sent.push(`${isFirst ? '<' : ''}${Buffer.from(bytes).toString()}${isLast ? '>' : ''}`)
  }

  whenRead(): Promise<void> {
    return this.gate.opened
  }

  reserve(bytes: number): void {
    this.held += bytes
  }

  abortMessage(): void {
    this.isBroken = true
  }
}

async function* pieces(asked: string[], ...texts: string[]): AsyncGenerator<BorrowedView> {
  for (const text of texts) {
    asked.push(text)
    if (text === 'fails') throw new Error('cut')
    yield { borrowed: Buffer.from(text) }
  }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('no message is sent between the fragments of another, and queued messages keep their order', async () => {
  const socket = new NotedSocket()
  const queue = new MessageQueue(socket)
  const asked: string[] = []
  queue.send('before')
  const streams = [queue.stream(pieces(asked, 'a', '', 'b')), queue.stream(pieces(asked, 'c'))]
  await settle()
  queue.send('x')
  queue.send('yz')
  expect([socket.sent, socket.held, asked]).toEqual([['before', '<a'], 3, ['a']])
  socket.gate.open()
  await Promise.all(streams)
  expect(socket.sent).toEqual(['before', '<a', 'b', '>', 'x', 'yz', '<c', '>'])
  expect(socket.held).toBe(0)
})

test('a message that fails is not completed, and those behind it are not sent', async () => {
  const socket = new NotedSocket()
  socket.gate.open()
  const queue = new MessageQueue(socket)
  await queue.stream(pieces([], 'a', 'fails'))
  expect([socket.sent, socket.isBroken]).toEqual([['<a'], true])
})

test('a client that disconnects ends the messages that are streamed to it', async () => {
  const socket = new NotedSocket()
  const queue = new MessageQueue(socket)
  const asked: string[] = []
  const stream = queue.stream(pieces(asked, 'a', 'b', 'c'))
  await settle()
  socket.isClosed = true
  socket.gate.open()
  await stream
  expect([socket.sent, asked, socket.isBroken]).toEqual([['<a'], ['a'], false])
})
