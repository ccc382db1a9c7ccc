import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import {
  type ChannelFrame,
  FrameChannel,
} from '../../../../../host/api/server/threads/frame-channel.ts'
import { makeRandom, runSeed } from '../../../../support/random.ts'

/** Returns two ends and the frames in flight from the first. */
function pair() {
  const frames: ChannelFrame<number>[] = []
  const heard: number[] = []
  const near = new FrameChannel<number, never>(
    (frame) => frames.push(frame),
    () => undefined,
  )
  const far: FrameChannel<never, number> = new FrameChannel<never, number>(
    (frame) => near.receive(frame),
    (message) => heard.push(message),
  )
  return { near, far, frames, heard }
}

class Held {
  bytes = 0

  reserve(bytes: number): void {
    this.bytes += bytes
  }
}

describe('a frame channel between threads', () => {
  const seed = runSeed()

  test(`delivers messages once and in order, those of one event loop turn in one frame; seed ${seed}`, async () => {
    const random = makeRandom(seed)
    const { near, far, frames, heard } = pair()
    const held = new Held()
    let sent = 0
    for (let turn = 1; turn <= 200; turn++) {
      const count = 1 + Math.floor(random() * 5)
      let bytes = 0
      for (let i = 0; i < count; i++) {
        near.send(sent++)
        if (random() < 0.5) continue
        near.reserve(held, 10)
        bytes += 10
      }
      await nextTurn()
      const [frame, ...others] = frames.splice(0)
      expect(others).toEqual([])
      expect(frame?.sequence).toBe(turn)
      expect(frame?.messages).toHaveLength(count)
      expect(held.bytes).toBe(bytes)
      far.receive(frame as ChannelFrame<number>)
      await nextTurn()
      expect(held.bytes).toBe(0)
    }
    expect(heard).toEqual(Array.from({ length: sent }, (_, i) => i))
  })

  test.each([
    ['one is missing', 3, 0],
    ['one comes twice', 1, 0],
    ['one answers what was never sent', 2, 1],
  ])('detects that %s', async (_, sequence, handled) => {
    const { far, heard } = pair()
    far.receive({ sequence: 1, handled: 0, wantsAnswer: false, messages: [7] })
    expect(() =>
      far.receive({ sequence, handled, wantsAnswer: false, messages: [8] }),
    ).toThrowError(expect.objectContaining({ code: 'ENGINE_FAULT' }))
    expect(heard).toEqual([7])
  })

  test('releases its reservation when the other side ends', async () => {
    const { near, frames } = pair()
    const held = new Held()
    near.send(1)
    near.reserve(held, 100)
    await nextTurn()
    near.send(2)
    near.reserve(held, 20)
    expect(held.bytes).toBe(120)
    near.close()
    expect(held.bytes).toBe(0)
    near.send(3)
    near.reserve(held, 5)
    await nextTurn()
    expect([held.bytes, frames.length]).toEqual([0, 1])
  })
})
