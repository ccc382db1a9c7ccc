import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { equalBytes } from '../../../../host/base/bytes.ts'
import { LockstepError } from '../../../../host/base/error.ts'
import type { PoolSubmission } from '../../../../host/chain/consensus/mempool/transaction-pool.ts'
import { decodeTransaction } from '../../../../host/evm/chain-types/transaction-codec.ts'
import {
  engineRecord,
  RecordedTransaction,
} from '../../../../host/evm/engine/transaction-record.ts'
import {
  answerSubmissions,
  decodeSubmissions,
  encodeSubmissions,
  SubmissionBatcher,
} from '../../../../host/node/serve/submissions.ts'
import { encodeFrom, senderInR } from '../../../support/engine/unsigned-sender.ts'
import { runSeed } from '../../../support/random.ts'

const seed = runSeed()

/** Returns a checked transaction with this data. */
function checkedWith(data: Uint8Array) {
  const raw = encodeFrom(new Uint8Array(20).fill(3), { data })
  const record = engineRecord(decodeTransaction(raw, senderInR))
  return { raw, checked: new RecordedTransaction(record) }
}

const submission: fc.Arbitrary<PoolSubmission> = fc.oneof(
  fc.record({ raw: fc.uint8Array({ maxLength: 300 }), checked: fc.constant(undefined) }),
  fc.uint8Array({ maxLength: 300 }).map(checkedWith),
)

describe('transactions forwarded to the pool', () => {
  test(`arrive unchanged and do not share memory; seed ${seed}`, () => {
    fc.assert(
      fc.property(fc.array(submission), (submissions) => {
        const decoded = decodeSubmissions(encodeSubmissions(submissions))
        expect(decoded).toEqual(submissions)
        for (const { raw, checked } of decoded) {
          expect(raw.buffer.byteLength).toBe((checked?.record ?? raw).length)
          if (checked !== undefined) expect(checked.hash.buffer).toBe(raw.buffer)
        }
      }),
      { seed },
    )
  })

  test('of one event loop turn are sent in one request, and each gets its own result', async () => {
    const asked: number[] = []
    const [good, used] = [checkedWith(Uint8Array.of(9)), checkedWith(Uint8Array.of(1))]
    const turns = new SubmissionBatcher((bytes) => {
      asked.push(decodeSubmissions(bytes).length)
      return answerSubmissions(bytes, async (submissions) =>
        submissions.map(({ raw, checked }) => {
          const kind = raw[0] as number
          if (equalBytes(raw, used.raw))
            return new LockstepError('TRANSACTION_REJECTED', 'nonce too low', { hint: 'wait' })
          if (checked === undefined && kind === 2) return new TypeError('a defect')
          return checked?.hash ?? Uint8Array.of(kind, kind)
        }),
      )
    })
    const [some, others] = await Promise.all([
      turns.submit([good, used]),
      turns.submit([
        { raw: Uint8Array.of(2), checked: undefined },
        { raw: Uint8Array.of(3), checked: undefined },
      ]),
    ])
    expect(some[0]).toEqual(good.checked.hash)
    expect(some[1]).toMatchObject({
      code: 'TRANSACTION_REJECTED',
      message: 'nonce too low',
      hint: 'wait',
    })
    expect(others[0]).toMatchObject({ message: expect.stringContaining('a defect') })
    expect(others[0]).not.toBeInstanceOf(LockstepError)
    expect(others[1]).toEqual(Uint8Array.of(3, 3))
    await turns.submit([good])
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
