import { describe, expect, test } from 'vitest'
import { MAX_WAITING_MESSAGES, type WebSocketPeer } from '../../../../../host/api/server/server.ts'
import { ForwardedMessages } from '../../../../../host/api/server/threads/forwarded-messages.ts'
import type { MemoryOwner } from '../../../../../host/api/server/threads/frame-channel.ts'
import { WorkScheduler } from '../../../../../host/api/server/work-scheduler.ts'

/** Bytes counted for each message in flight, besides its own length. */
const EACH = 256

interface Sent {
  readonly message: number
  readonly arrive: () => void
}

function passing(maxHeldBytes = 1 << 30) {
  const work = new WorkScheduler(maxHeldBytes)
  const sent: Sent[] = []
  const closed: string[] = []
  const peer = {
    account: work.account('192.0.2.1'),
    close: (code: number, reason: string) => closed.push(`${code} ${reason}`),
  } as unknown as WebSocketPeer
  const passed = new ForwardedMessages(peer, (message: Uint8Array, holder: MemoryOwner) => {
    const bytes = message.length + EACH
    holder.reserve(bytes)
    sent.push({
      message: Buffer.from(message).readUInt32LE(),
      arrive: () => holder.reserve(-bytes),
    })
  })
  let count = 0
  const push = (messages: number) => {
    for (let i = 0; i < messages; i++) passed.push(Buffer.from(Uint32Array.of(count++).buffer))
  }
  return { work, sent, closed, passed, push }
}

describe('the WebSocket messages in flight to the main thread', () => {
  test('are at most 64, and more are sent as others arrive, in order', () => {
    const { work, sent, push } = passing()
    push(1000)
    expect(sent).toHaveLength(64)
    expect(work.load.reservedBytes).toBe(1000 * (4 + EACH))
    for (let i = 0; i < 1000; i++) {
      sent[i]?.arrive()
      expect(sent).toHaveLength(Math.min(1000, 65 + i))
    }
    expect(sent.map(({ message }) => message)).toEqual(Array.from({ length: 1000 }, (_, i) => i))
    expect(work.load.reservedBytes).toBe(0)
  })

  test('close the client if too many are pending', () => {
    const { closed, push } = passing()
    push(64 + MAX_WAITING_MESSAGES)
    expect(closed).toEqual([])
    push(1)
    expect(closed).toEqual(['1013 more than 20000 requests are queued'])
  })

  test('close the client if they take too much memory', () => {
    const { closed, push } = passing(1 << 16)
    push(126)
    expect(closed).toEqual([])
    push(1)
    expect(closed).toEqual(['1013 client memory limit reached'])
  })

  test('are dropped when the client disconnects, and their memory is released', () => {
    const { work, sent, passed, push } = passing()
    push(100)
    passed.drop()
    expect(work.load.reservedBytes).toBe(64 * (4 + EACH))
    for (const { arrive } of sent) arrive()
    expect(sent).toHaveLength(64)
    expect(work.load.reservedBytes).toBe(0)
  })
})
