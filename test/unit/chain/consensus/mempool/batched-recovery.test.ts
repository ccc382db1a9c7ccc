import { describe, expect, test } from 'vitest'
import { BatchedRecovery } from '../../../../../host/chain/consensus/mempool/batched-recovery.ts'
import {
  ANSWER_BYTES,
  type BatchRecovery,
  REQUEST_BYTES,
} from '../../../../../host/evm/engine/batch-recovery.ts'

/** Answers each digest with its first bytes, and records the size of each batch. */
function recording() {
  const batches: number[] = []
  const recovery: Pick<BatchRecovery, 'recover'> = {
    recover: (requests) => {
      const count = requests.length / REQUEST_BYTES
      batches.push(count)
      const answers = new Uint8Array(count * ANSWER_BYTES)
      for (let i = 0; i < count; i++) {
        answers[i * ANSWER_BYTES] = 1
        answers.set(
          requests.subarray(i * REQUEST_BYTES, i * REQUEST_BYTES + 20),
          i * ANSWER_BYTES + 1,
        )
      }
      return answers
    },
  }
  const turns = new BatchedRecovery(recovery)
  const ask = (...numbers: readonly number[]) => {
    const requests = new Uint8Array(numbers.length * REQUEST_BYTES)
    for (const [i, number] of numbers.entries()) {
      requests.fill(number, i * REQUEST_BYTES, (i + 1) * REQUEST_BYTES)
    }
    return turns.recover(requests)
  }
  return { batches, ask }
}

const answersOf = (...numbers: readonly number[]) =>
  Uint8Array.from(numbers.flatMap((number) => [1, ...Array(20).fill(number)]))

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('the batching of signature recovery', () => {
  test('collects the requests of consecutive event loop turns', async () => {
    const { batches, ask } = recording()
    const found: Promise<Uint8Array>[] = []
    for (let i = 0; i < 24; i++) {
      found.push(ask(i))
      if (i % 8 === 7) await turn()
    }
    const addresses = await Promise.all(found)
    expect(addresses).toEqual(Array.from({ length: 24 }, (_, i) => answersOf(i)))
    expect(batches).toEqual([24])
  })

  test('ends a batch after a turn without requests', async () => {
    const { batches, ask } = recording()
    const first = ask(1)
    await turn()
    await turn()
    expect(batches).toEqual([1])
    expect(await first).toEqual(answersOf(1))
    await ask(2)
    expect(batches).toEqual([1, 1])
  })

  test('splits at 128 requests, but never a group that was requested together', async () => {
    const { batches, ask } = recording()
    await Promise.all(Array.from({ length: 200 }, (_, i) => ask(i)))
    expect(batches).toEqual([128, 72])
    batches.length = 0
    const numbers = Array.from({ length: 60 }, (_, i) => i)
    const found = await Promise.all([ask(...numbers), ask(7, 8), ask(...numbers), ask(...numbers)])
    expect(batches).toEqual([122, 60])
    expect(found[1]).toEqual(answersOf(7, 8))
    expect(found[3]).toEqual(answersOf(...numbers))
  })
})
