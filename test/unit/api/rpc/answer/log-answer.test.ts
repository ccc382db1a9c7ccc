import { expect, test } from 'vitest'
import { logAnswer } from '../../../../../host/api/rpc/answer/log-answer.ts'
import { JsonStream, RawJson } from '../../../../../host/api/rpc/call/result.ts'
import type { ReadCall } from '../../../../../host/api/rpc/call/rpc-call.ts'
import { logText } from '../../../../../host/api/rpc/format/log-record.ts'
import { matchingLogs } from '../../../../../host/evm/chain-types/log-filter.ts'
import { PackedLogs } from '../../../../../host/storage/store/chain/packed-logs.ts'
import { encodeReceipts } from '../../../../../host/storage/store/codec/receipt-codec.ts'
import { makeRandom, runSeed } from '../../../../support/random.ts'
import { loggedBlock, randomFilter, randomLogs } from '../../../storage/store/chain/random-logs.ts'

const seed = runSeed()

const CALL = { yield: () => undefined } as unknown as ReadCall

async function textOf(answer: RawJson | JsonStream): Promise<string> {
  if (answer instanceof RawJson) return answer.text
  let text = ''
  for (;;) {
    const step = await answer.chunks.next()
    if (step.done === true) return text
    text += Buffer.from(step.value.borrowed).toString()
  }
}

test(`cached logs are answered like decoded ones, however often (LOCKSTEP_SEED=${seed})`, async () => {
  const random = makeRandom(seed)
  for (let height = 1; height <= 200; height++) {
    const { block, receipts } = loggedBlock(height, randomLogs(random)).executed
    const packed = new PackedLogs(block.header, encodeReceipts(receipts))
    for (let query = 0; query < 5; query++) {
      const filter = randomFilter(random)
      const texts = [...matchingLogs(filter, block.header, receipts)].map(({ log, place }) =>
        logText(log, place),
      )
      expect(await textOf(logAnswer(CALL, packed.matching(filter)))).toBe(`[${texts.join(',')}]`)
    }
  }
})

test('many logs are answered in pieces for any data length, also the second time', async () => {
  const logs = [0, 256, 257, 5_000].map((length) => ({
    address: new Uint8Array(20),
    topics: [new Uint8Array(32)],
    data: new Uint8Array(length).fill(length),
  }))
  const { block, receipts } = loggedBlock(1, [logs]).executed
  const packed = new PackedLogs(block.header, encodeReceipts(receipts))
  const everything = { addresses: [], topics: [] }
  const found = packed.matching(everything)
  expect(found.map(({ cachedJson: kept }) => kept !== undefined)).toEqual([
    true,
    true,
    false,
    false,
  ])
  const many = Array.from({ length: 100 }, () => found).flat()
  const text = `[${many.map(({ log, place }) => logText(log, place)).join(',')}]`
  for (const _ of [1, 2]) {
    const answer = logAnswer(CALL, many)
    expect(answer).toBeInstanceOf(JsonStream)
    expect(await textOf(answer)).toBe(text)
  }
})
