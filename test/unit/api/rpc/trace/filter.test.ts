import { afterEach, describe, expect, test } from 'vitest'
import type { SearchableIndex } from '../../../../../host/api/rpc/call/context.ts'
import type { RpcLimits } from '../../../../../host/api/rpc/call/limits.ts'
import type { StreamedAnswer } from '../../../../../host/api/rpc/protocol/streamed-answer.ts'
import type {
  TraceOutput,
  TraceRequest,
  TraceRunner,
} from '../../../../../host/api/trace-pool/trace-runner.ts'
import type { BorrowedView } from '../../../../../host/base/borrowed-view.ts'
import { LockstepError } from '../../../../../host/base/error.ts'
import { formatData, type Hex } from '../../../../../host/base/hex.ts'
import type { JsonChunks } from '../../../../../host/base/json-chunks.ts'
import { ROLE } from '../../../../../host/storage/store/address/address-rows.ts'
import { FakeNode, transaction } from '../../../../support/chain/fake-chain.ts'
import { lend } from '../../../../support/lender.ts'

const ALICE: Hex = `0x${'a1'.repeat(20)}`
const BOB: Hex = `0x${'b2'.repeat(20)}`

/** Answers the job of each block with `perBlock` items in pieces, as a trace worker does. */
class PartRunner implements TraceRunner {
  readonly requests: TraceRequest[] = []
  /** Blocks whose jobs fail, at once or after some items. */
  readonly failing = new Map<number, 'at once' | 'later'>()
  perBlock = 3
  pieceBytes = 0
  /** Blocks whose output was abandoned by its reader. */
  readonly left: number[] = []

  async start(request: TraceRequest): Promise<TraceOutput> {
    this.requests.push(request)
    const { plan, target } = request.job
    const height = plan?.height ?? 0
    const failing = this.failing.get(height)
    const failure = new LockstepError('TRACE_DIFFERS', `block ${height} went another way`)
    if (failing === 'at once') throw failure
    const { after = 0, count = Number.POSITIVE_INFINITY } =
      target.kind === 'list' ? (target.list.part ?? {}) : {}
    const items = Array.from({ length: this.perBlock }, (_, i) => `${height}.${i}`)
    const taken = items.slice(after, after + count).map((item) => JSON.stringify({ item }))
    const found = Math.min(items.length, after + count)
    const text = `{"traces":[${taken.join()}]${failing === 'later' ? '' : `,"found":${found}`}}`
    const bytes = Buffer.from(text)
    const size = failing === 'later' ? 7 : this.pieceBytes
    if (size === 0) return bytes
    const onReturn = () => this.left.push(height)
    return chunksOf(bytes, size, onReturn, failing === 'later' ? failure : undefined)
  }

  async close() {}
}

function* piecesOf(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/**
 * Returns pieces that become invalid when the next one is requested, and record the error with which they were
 * closed.
 */
function chunksOf(
  bytes: Uint8Array,
  size: number,
  onReturn: () => void,
  failure: Error | undefined,
): JsonChunks {
  const pieces = lend(piecesOf(bytes, size))
  const chunks: JsonChunks = {
    [Symbol.asyncIterator]: () => chunks,
    next: async (): Promise<IteratorResult<BorrowedView, Error | undefined>> => {
      const step = await pieces.next()
      return step.done === true ? { done: true, value: failure } : step
    },
    return: async () => {
      onReturn()
      await pieces.return(undefined)
      return { done: true, value: undefined }
    },
  }
  return chunks
}

let node: FakeNode
let runner: PartRunner

/** Starts with blocks 1 to `blocks`, of which the even ones have a transaction. */
function start(blocks: number, limits: Partial<RpcLimits> = {}, addressIndex?: SearchableIndex) {
  runner = new PartRunner()
  node = new FakeNode(limits, { traces: runner, addressIndex })
  for (let height = 1; height <= blocks; height++) {
    const one = transaction({ nonce: BigInt(height) })
    node.addBlock(height % 2 === 0 ? [{ transaction: one }, { transaction: one }] : [])
  }
}

afterEach(() => node.close())

const find = (filter: object) => node.call('trace_filter', [filter])
const items = async (filter: object) =>
  ((await find(filter)) as { item: string }[]).map(({ item }) => item)
const heights = () => runner.requests.map(({ job }) => job.plan?.height)

describe('trace_filter', () => {
  test.each([0, 1, 7, 64, 65, 1000])(
    'concatenates the traces of blocks, in pieces of %i bytes',
    async (pieceBytes) => {
      start(7)
      runner.pieceBytes = pieceBytes
      const all = ['2.0', '2.1', '2.2', '4.0', '4.1', '4.2', '6.0', '6.1', '6.2']
      expect(await items({})).toEqual(all)
      expect(heights()).toEqual([2, 4, 6])
      runner.perBlock = 0
      expect(await items({})).toEqual([])
    },
  )

  test('skips the first traces across blocks and runs no more than needed', async () => {
    start(9)
    expect(await items({ after: 2, count: 3 })).toEqual(['2.2', '4.0', '4.1'])
    expect(heights()).toEqual([2, 4])
    expect(await items({ after: 4 })).toEqual([
      '4.1',
      '4.2',
      '6.0',
      '6.1',
      '6.2',
      '8.0',
      '8.1',
      '8.2',
    ])
    expect(await items({ count: 0 })).toEqual([])
    expect(await items({ after: 100, count: 1 })).toEqual([])
  })

  test('stays within its range, which must exist', async () => {
    start(9)
    expect(await items({ fromBlock: '0x4', toBlock: '0x6' })).toHaveLength(6)
    expect(await find({ fromBlock: '0x6', toBlock: '0x4' })).toMatchObject({
      error: { message: 'invalid block range params' },
    })
    expect(await find({ toBlock: '0x63' })).toMatchObject({
      error: { message: 'block range extends beyond current head block' },
    })
  })

  test('refuses a range of too many blocks before it runs one, with the remedy', async () => {
    start(9, { traceFilterBlocks: 2 })
    const error = {
      code: -32000,
      message:
        'trace_filter replays more than 2 blocks: use blocks below 0x6, set ' +
        'evm.address_index = true and add addresses, or raise evm.max_trace_filter_blocks',
      data: { limit: 2, key: 'evm.max_trace_filter_blocks', next: '0x6' },
    }
    expect(await find({})).toEqual({ error })
    expect(runner.requests).toEqual([])
    expect(await items({ toBlock: '0x5' })).toHaveLength(6)
    expect(await items({ count: 6 })).toHaveLength(6)
    const named = { fromAddress: [ALICE] }
    expect(await find(named)).toMatchObject({
      error: { message: expect.stringContaining('set evm.address_index = true, or') },
    })
  })

  test('returns the error of its first block alone, and a later one beside the results', async () => {
    start(7)
    runner.failing.set(2, 'at once')
    const message = (height: number) => `block ${height} went another way`
    expect(await find({})).toMatchObject({ error: { message: message(2) } })
    for (const when of ['at once', 'later'] as const) {
      node.close()
      start(7)
      runner.failing.set(4, when)
      const shown =
        when === 'later' ? ['2.0', '2.1', '2.2', '4.0', '4.1', '4.2'] : ['2.0', '2.1', '2.2']
      const asked = { jsonrpc: '2.0', id: 1, method: 'trace_filter', params: [{}] }
      expect(await node.answer(JSON.stringify(asked))).toMatchObject({
        result: shown.map((item) => ({ item })),
        error: { message: message(4) },
      })
      expect(heights()).toEqual([2, 4])
    }
  })

  test('ends its current block when its reader disconnects, and starts no other', async () => {
    start(7)
    runner.pieceBytes = 5
    runner.perBlock = 1000
    const signal = new AbortController().signal
    const account = node.context.work.account('192.0.2.1')
    const caller = { transport: 'http' as const, signal, subscriber: undefined, account }
    const asked = { jsonrpc: '2.0', id: 1, method: 'trace_filter', params: [{}] }
    const answer = await node.dispatcher.answer(Buffer.from(JSON.stringify(asked)), caller)
    let pieces = 0
    for await (const _ of answer as StreamedAnswer) if (++pieces === 4) break
    expect(runner.left).toEqual([2])
    expect(heights()).toEqual([2])
    expect(runner.requests[0]?.signal).toBe(signal)
  })

  test('has the time limit of one trace for all blocks', async () => {
    start(7, { traceTimeoutMs: 5_000 })
    await find({})
    const times = runner.requests.map(({ timeoutMs }) => timeoutMs)
    expect(times).toEqual([...times].sort((a, b) => b - a))
    expect(Math.max(...times)).toBeLessThanOrEqual(5_000)
  })

  test.each([
    [{ fromAddress: ALICE }, 'want an array of addresses, got string (fromAddress)'],
    [{ toAddress: ['0x12'] }, 'hex string has length 2, want 40 for common.Address (toAddress)'],
    [{ mode: 'both' }, 'want union or intersection, got "both" (mode)'],
    [{ count: -1 }, 'want a count, got number (count)'],
  ])('explains what is wrong with %o', async (filter, text) => {
    start(1)
    expect(await find(filter)).toEqual({
      error: { code: -32602, message: `invalid argument 0: ${text}` },
    })
  })
})

describe('trace_filter by the address index', () => {
  /** Alice and Bob are the two sides of the transactions: `height` to [index, roles]. */
  const rows: Readonly<Record<string, Readonly<Record<number, readonly [number, number]>>>> = {
    [ALICE]: { 2: [0, ROLE.SENDER], 6: [1, ROLE.INTERNAL_FROM], 8: [0, ROLE.RECIPIENT] },
    [BOB]: { 4: [1, ROLE.CREATED], 6: [1, ROLE.INTERNAL_TO], 8: [1, ROLE.SENDER] },
  }
  const index: SearchableIndex = {
    height: 9,
    earliest: 0,
    reach: async () => {},
    places: (address, roles, { from, to }) =>
      Object.entries(rows[formatData(address)] ?? {})
        .map(([height, [at, role]]) => ({ height: Number(height), index: at, roles: role }))
        .filter(
          ({ height, roles: role }) => height >= from && height <= to && (role & roles) !== 0,
        ),
    byNonce: () => undefined,
    creation: () => undefined,
  }

  const watched = () =>
    runner.requests.map(({ job: { plan, target } }) => [
      plan?.height,
      target.kind === 'list' ? target.list.watched : undefined,
      plan?.transactions.length,
    ])

  test.each([
    [
      'senders',
      { fromAddress: [ALICE] },
      [
        [2, [0], 1],
        [6, [1], 2],
      ],
    ],
    ['receivers', { toAddress: [ALICE] }, [[8, [0], 1]]],
    [
      'one of both',
      { fromAddress: [ALICE], toAddress: [BOB] },
      [
        [2, [0], 1],
        [4, [1], 2],
        [6, [1], 2],
      ],
    ],
    ['both', { fromAddress: [ALICE], toAddress: [BOB], mode: 'intersection' }, [[6, [1], 2]]],
    [
      'a part of the chain',
      { fromAddress: [BOB, ALICE], fromBlock: '0x3' },
      [
        [6, [1], 2],
        [8, [1], 2],
      ],
    ],
    ['nobody', { fromAddress: [`0x${'00'.repeat(20)}`] }, []],
  ])('executes only the transactions of %s', async (_, filter, expected) => {
    start(9, { traceFilterBlocks: 3 }, index)
    await find(filter)
    expect(watched()).toEqual(expected)
  })

  test('searches all blocks if no address is given', async () => {
    start(9, {}, index)
    await find({})
    expect(heights()).toEqual([2, 4, 6, 8])
  })

  test('searches all blocks below the index', async () => {
    start(9, {}, { ...index, earliest: 5 })
    await find({ toAddress: [ALICE] })
    expect(watched()).toEqual([
      [2, undefined, 2],
      [4, undefined, 2],
      [8, [0], 1],
    ])
  })

  test('reports that the index lags', async () => {
    const reach = async () => {
      throw new LockstepError('SERVER_BUSY', 'the address index is at block 3')
    }
    start(9, {}, { ...index, reach })
    expect(await find({ toAddress: [ALICE] })).toMatchObject({
      error: { message: 'the address index is at block 3' },
    })
  })
})
