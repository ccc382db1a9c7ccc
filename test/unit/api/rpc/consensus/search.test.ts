import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SearchIndex } from '../../../../../host/api/rpc/consensus/context.ts'
import { toyParts } from './toy-context.ts'
import { openToyServer, type ToyServer } from './toy-server.ts'

/** An index without entries: every search reads the blocks. */
const EMPTY_INDEX: SearchIndex = {
  height: 0,
  find: async () => undefined,
  places: () => [],
}

let toy: ToyServer
let unindexed: ToyServer

beforeAll(async () => {
  const executed = { ...toyParts().executed, latest: 20 }
  const searchLimits = { results: 8, scan: 15 }
  toy = await openToyServer(20, { index: EMPTY_INDEX, executed, searchLimits })
  unindexed = await openToyServer(1)
})

afterAll(async () => {
  await toy.close()
  await unindexed.close()
})

async function heights(params: object): Promise<{ heights: number[]; total: string }> {
  const { result } = await toy.post('block_search', params)
  const { blocks, total_count: total } = result as {
    blocks: { block: { header: { height: string } } }[]
    total_count: string
  }
  return { heights: blocks.map(({ block }) => Number(block.header.height)), total }
}

async function refusal(method: string, params: object, at = toy): Promise<unknown> {
  const { error } = await at.post(method, params)
  expect(error).toMatchObject({ code: -32603, message: 'Internal error' })
  return error?.data
}

describe('a search of the consensus RPC', () => {
  test('returns blocks newest first by default, page by page', async () => {
    const query = 'block.height > 2 AND block.height <= 7'
    expect(await heights({ query })).toEqual({ heights: [7, 6, 5, 4, 3], total: '5' })
    expect(await heights({ query, order_by: 'asc', per_page: 2, page: 2 })).toEqual({
      heights: [5, 6],
      total: '5',
    })
    expect(await heights({ query: 'block.height = 99' })).toEqual({ heights: [], total: '0' })
    expect(await heights({ query: "block.height = 3 AND rewards.x = 'y'" })).toEqual({
      heights: [],
      total: '0',
    })
    const { error } = await toy.post('block_search', { query, page: 2 })
    expect(error?.data).toBe('page should be within [1, 1] range, given 2')
  })

  test('stops at its limits and names the configuration keys that set them', async () => {
    expect(await refusal('block_search', { query: 'block.height <= 9' })).toBe(
      'more than 8 match (rpc.max-tx-search-results): restrict the height',
    )
    const tooFar =
      'the search examines more than 15 transactions and blocks (rpc.max-search-scan-budget): ' +
      'restrict the height, or require a sender, recipient, log address, log topic or hash with ='
    expect(await refusal('block_search', { query: 'rewards.x EXISTS' })).toBe(tooFar)
    expect(await refusal('tx_search', { query: 'transfer.amount > 5' })).toBe(tooFar)
  })

  test('refuses an invalid query', async () => {
    expect(await refusal('tx_search', { query: 'a EXISTS', order_by: 'up' })).toBe(
      'expected order_by to be either `asc` or `desc` or empty, got "up"',
    )
    expect(await refusal('tx_search', { query: 'a'.repeat(513) })).toBe(
      'maximum query length exceeded: 513 bytes of at most 512',
    )
    expect(await refusal('block_search', {})).toBe('offset 0: EOF, wanted tag')
  })

  test('explains how to enable the index if there is none', async () => {
    const off = 'indexing is disabled: set tx-index.indexer = "kv" in config.toml'
    const hash = 'AB'.repeat(32)
    expect(await refusal('tx', { hash }, unindexed)).toBe(`transaction ${off}`)
    expect(await refusal('tx_search', { query: 'a EXISTS' }, unindexed)).toBe(`transaction ${off}`)
    expect(await refusal('block_search', { query: 'a EXISTS' }, unindexed)).toBe(`block ${off}`)
  })
})
