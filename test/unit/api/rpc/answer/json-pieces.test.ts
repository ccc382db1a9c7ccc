import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { allReceipts, fullBlock } from '../../../../../host/api/rpc/answer/block-answer.ts'
import {
  arrayTexts,
  jsonPieces,
  objectTexts,
} from '../../../../../host/api/rpc/answer/json-pieces.ts'
import { JsonStream, RawJson } from '../../../../../host/api/rpc/call/result.ts'
import { MethodCall } from '../../../../../host/api/rpc/call/rpc-call.ts'
import { NotificationQueue } from '../../../../../host/api/rpc/subscription/notification-queue.ts'
import { WorkScheduler } from '../../../../../host/api/server/work-scheduler.ts'
import { FakeNode, transaction } from '../../../../support/chain/fake-chain.ts'

const node = new FakeNode()
const controller = new AbortController()

afterEach(() => node.close())

function callOf(signal: AbortSignal = controller.signal): MethodCall {
  const account = node.context.work.account('192.0.2.1')
  return new MethodCall(node.context, { transport: 'http', signal, subscriber: undefined, account })
}

/** Returns the whole text and the number of its pieces. */
async function textOf(result: unknown): Promise<{ text: string; pieces: number }> {
  if (result instanceof RawJson) return { text: result.text, pieces: 0 }
  if (!(result instanceof JsonStream)) return { text: JSON.stringify(result), pieces: 0 }
  let text = ''
  let pieces = 0
  for await (const { borrowed } of result.chunks) {
    text += Buffer.from(borrowed).toString()
    pieces++
  }
  return { text, pieces }
}

describe('a result that is written in pieces', () => {
  test.each([
    [[], 0],
    [[1, 'two', { three: null }], 0],
    [Array.from({ length: 20_000 }, (_, i) => ({ i, text: 'é'.repeat(9) })), 10],
  ])('equals JSON.stringify for an array of this length', async (items, least) => {
    const { text, pieces } = await textOf(await jsonPieces(callOf(), arrayTexts(items)))
    expect(text).toBe(JSON.stringify(items))
    expect(pieces).toBeGreaterThanOrEqual(least)
  })

  test.each([0, 1, 5000])('equals JSON.stringify for an object of %i members', async (count) => {
    const object = Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`"name ${i}`, { list: [i, `${i}`] }]),
    )
    const members = Object.entries(object).map(([name, value]): [string, string[]] => [
      name,
      [JSON.stringify(value)],
    ])
    const { text } = await textOf(await jsonPieces(callOf(), objectTexts(members)))
    expect(text).toBe(JSON.stringify(object))
  })

  test('yields to others while it is written, and ends when its caller disconnects', async () => {
    let turns = 0
    let written = 0
    function* slow(): Generator<string> {
      for (; written < 400; written++) {
        const end = performance.now() + 1
        while (performance.now() < end);
        yield `${written},`
      }
    }
    const caller = new AbortController()
    const counting = (async () => {
      while (turns < 20) {
        await nextTurn()
        turns++
      }
      caller.abort()
    })()
    await expect(jsonPieces(callOf(caller.signal), slow())).rejects.toMatchObject({
      code: 'REQUEST_TIMEOUT',
    })
    await counting
    expect(written).toBeLessThan(400)
  })

  test.each([1, 16, 17, 400])(
    'may be a block of %i transactions or its receipts',
    async (count) => {
      const one = transaction({ data: new Uint8Array(1000) })
      const header = node.addBlock(Array.from({ length: count }, () => ({ transaction: one })))
      const { receipts = [] } = node.chain.blocks[header.number] ?? {}
      const shown = await fullBlock(
        callOf(),
        count,
        (index) => ({ index, data: 'x'.repeat(1000) }),
        (transactions) => ({ number: '0x1', transactions, uncles: [] }),
      )
      const block = JSON.parse((await textOf(shown)).text)
      expect(Object.keys(block)).toEqual(['number', 'transactions', 'uncles'])
      expect(block.transactions.map(({ index }: { index: number }) => index)).toEqual(
        Array.from({ length: count }, (_, i) => i),
      )
      const all = await textOf(await allReceipts(callOf(), receipts.length, receipts, { header }))
      expect(JSON.parse(all.text)).toHaveLength(count)
    },
  )
})

describe('the messages of a connection', () => {
  test('are sent in order, with yields, and end with the connection', async () => {
    const work = new WorkScheduler(1 << 20)
    const told: string[] = []
    const outbox = new NotificationQueue(work.account('192.0.2.1'), () => told.push('full'))
    function* tell(name: string, count: number): Generator<void> {
      for (let i = 0; i < count; i++) {
        const end = performance.now() + 1
        while (performance.now() < end);
        told.push(name)
        yield
      }
    }
    outbox.add(tell('first', 20))
    expect(told.length).toBeLessThan(20)
    outbox.add(tell('second', 2))
    while (told.length < 22) await nextTurn()
    expect(told).toEqual([...new Array(20).fill('first'), 'second', 'second'])
    outbox.add(tell('third', 100))
    outbox.close()
    const before = told.length
    for (let i = 0; i < 20; i++) await nextTurn()
    expect(told).toHaveLength(before)
  })
})
