import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LockstepError } from '../../../../host/base/error.ts'
import type { PoolSubmission } from '../../../../host/chain/consensus/mempool/transaction-pool.ts'
import {
  answerSubmissions,
  decodeSubmissions,
  encodeSubmissions,
  SubmissionBatcher,
} from '../../../../host/node/serve/submissions.ts'
import { runSeed } from '../../../support/random.ts'

const seed = runSeed()

const submission: fc.Arbitrary<PoolSubmission> = fc.record({
  raw: fc.uint8Array({ maxLength: 300 }),
  checked: fc.option(
    fc.record({
      hash: fc.uint8Array({ minLength: 32, maxLength: 32 }),
      from: fc.uint8Array({ minLength: 20, maxLength: 20 }),
    }),
    { nil: undefined },
  ),
})

describe('transactions forwarded to the pool', () => {
  test(`arrive unchanged and do not share memory; seed ${seed}`, () => {
    fc.assert(
      fc.property(fc.array(submission), (submissions) => {
        const decoded = decodeSubmissions(encodeSubmissions(submissions))
        expect(decoded).toEqual(submissions)
        for (const { raw, checked } of decoded) {
          const own = raw.length + (checked === undefined ? 0 : 32 + 20)
          expect(raw.buffer.byteLength).toBe(own)
          if (checked !== undefined) expect(checked.hash.buffer).toBe(raw.buffer)
        }
      }),
      { seed },
    )
  })

  test('of one event loop turn are sent in one request, and each gets its own result', async () => {
    const asked: number[] = []
    const turns = new SubmissionBatcher((bytes) => {
      asked.push(decodeSubmissions(bytes).length)
      return answerSubmissions(bytes, async (submissions) =>
        submissions.map(({ raw, checked }) => {
          const kind = raw[0] as number
          if (kind === 1)
            return new LockstepError('TRANSACTION_REJECTED', 'nonce too low', { hint: 'wait' })
          if (kind === 2) return new TypeError('a defect')
          return checked?.hash ?? Uint8Array.of(kind, kind)
        }),
      )
    })
    const checked = { hash: new Uint8Array(32).fill(9), from: new Uint8Array(20) }
    const [some, others] = await Promise.all([
      turns.submit([
        { raw: Uint8Array.of(0), checked },
        { raw: Uint8Array.of(1), checked },
      ]),
      turns.submit([
        { raw: Uint8Array.of(2), checked: undefined },
        { raw: Uint8Array.of(3), checked: undefined },
      ]),
    ])
    expect(some[0]).toEqual(checked.hash)
    expect(some[1]).toMatchObject({
      code: 'TRANSACTION_REJECTED',
      message: 'nonce too low',
      hint: 'wait',
    })
    expect(others[0]).toMatchObject({ message: expect.stringContaining('a defect') })
    expect(others[0]).not.toBeInstanceOf(LockstepError)
    expect(others[1]).toEqual(Uint8Array.of(3, 3))
    await turns.submit([{ raw: Uint8Array.of(0), checked }])
    expect(asked).toEqual([4, 1])
  })

  test('fail together if their request fails', async () => {
    const turns = new SubmissionBatcher(() => Promise.reject(new Error('the line is gone')))
    const one = () => turns.submit([{ raw: new Uint8Array(1), checked: undefined }])
    const ends = await Promise.allSettled([one(), one()])
    expect(ends).toMatchObject([
      { reason: { message: 'the line is gone' } },
      { reason: { message: 'the line is gone' } },
    ])
  })
})
