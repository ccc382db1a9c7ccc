import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatTime } from '../../../../../host/base/time.ts'
import { openToyServer, type ToyServer } from './toy-server.ts'

const MIB = 1024 * 1024
/** Longer than one chunk by one byte. */
const GENESIS_FILE = Buffer.alloc(16 * MIB + 1, ' ')

let toy: ToyServer
let large: ToyServer

beforeAll(async () => {
  toy = await openToyServer(3)
  large = await openToyServer(1, { genesisFile: GENESIS_FILE })
})

afterAll(async () => {
  await toy.close()
  await large.close()
})

const PROPOSER = 'FE812C12F3AB4CE6AC5DB69AC352F906CB1B11EF'

describe('the route genesis', () => {
  test('returns a small genesis whole', async () => {
    expect((await toy.post('genesis', {})).result).toEqual({ genesis: {} })
    expect((await toy.post('genesis_chunked', {})).result).toEqual({
      chunk: '0',
      total: '1',
      data: 'e30=',
    })
  })

  test('returns a large genesis in chunks of 16 MiB, byte for byte', async () => {
    expect((await large.post('genesis', {})).error?.data).toBe(
      'genesis response is large, please use the genesis_chunked API instead',
    )
    const sizes: number[] = []
    for (const chunk of [0, 1]) {
      const { result } = await large.post('genesis_chunked', { chunk })
      const { data, total } = result as { data: string; total: string }
      expect(total).toBe('2')
      sizes.push(Buffer.from(data, 'base64').length)
    }
    expect(sizes).toEqual([16 * MIB, 1])
    expect((await large.post('genesis_chunked', { chunk: '2' })).error?.data).toBe(
      'there are 1 chunks, 2 is invalid: the first is 0, the last 1',
    )
  })
})

describe('the route consensus_state', () => {
  test('describes the next height, which has one round', async () => {
    const last = toy.store.decided(3)
    const { round_state: state } = (await toy.post('consensus_state', {})).result as {
      round_state: object
    }
    expect(state).toEqual({
      'height/round/step': '4/0/1',
      start_time: formatTime((last?.block.header.time ?? 0n) + 400_000_000n),
      proposal_block_hash: '',
      locked_block_hash: '',
      valid_block_hash: '',
      height_vote_set: [
        {
          round: 0,
          prevotes: ['nil-Vote'],
          prevotes_bit_array: 'BA{1:_} 0/10 = 0.00',
          precommits: ['nil-Vote'],
          precommits_bit_array: 'BA{1:_} 0/10 = 0.00',
        },
      ],
      proposer: { address: PROPOSER, index: 0 },
    })
  })

  test('is also served in full, with the votes of the previous height', async () => {
    const { round_state: state } = (await toy.post('dump_consensus_state', {})).result as {
      round_state: Record<string, unknown>
    }
    const commit = toy.store.commit(3)
    const hash = Buffer.from(commit?.blockId.hash ?? [])
      .toString('hex')
      .toUpperCase()
    const vote = commit?.signatures[0]
    const signature = Buffer.from(vote?.signature ?? [])
      .toString('hex')
      .toUpperCase()
    expect(state).toMatchObject({
      height: '4',
      round: 0,
      step: 1,
      commit_time: formatTime(vote?.timestamp ?? 0n),
      proposal: null,
      locked_round: -1,
      commit_round: -1,
      last_commit: {
        votes: [
          `Vote{0:${PROPOSER.slice(0, 12)} 3/00/SIGNED_MSG_TYPE_PRECOMMIT(Precommit) ` +
            `${hash.slice(0, 12)} ${signature.slice(0, 12)} 000000000000 @ ${formatTime(vote?.timestamp ?? 0n)}}`,
        ],
        votes_bit_array: 'BA{1:x} 10/10 = 1.00',
        peer_maj_23s: {},
      },
      triggered_timeout_precommit: false,
    })
    expect(state.validators).toMatchObject({
      validators: [{ address: PROPOSER, voting_power: '10' }],
      proposer: { address: PROPOSER },
    })
  })
})

describe('the route status', () => {
  test('reports no listener for peers, and no index', async () => {
    const { node_info: node } = (await toy.post('status', {})).result as {
      node_info: Record<string, unknown>
    }
    expect(node).toMatchObject({
      listen_addr: 'tcp://0.0.0.0:0',
      channels: '',
      other: { tx_index: 'off', rpc_address: 'tcp://127.0.0.1:1' },
    })
  })
})

describe('unconfirmed_txs', () => {
  test.each([
    [undefined, 30],
    [0, 30],
    [7, 7],
    [1000, 40],
  ])('lists at most the limit: %s gives %i', async (limit, count) => {
    const { waiting } = toy.parts.pool
    while (waiting.length < 40) waiting.push({ raw: Uint8Array.of(waiting.length) } as never)
    const { result } = await toy.post('unconfirmed_txs', { limit })
    const { n_txs: listed, txs } = result as { n_txs: string; txs: string[] }
    expect([listed, txs.length]).toEqual([String(count), count])
    expect(txs[1]).toBe('AQ==')
  })
})
