import { sign } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keyFromSeed } from '../../../../../host/chain/consensus/comet/ed25519.ts'
import { cometAddress } from '../../../../../host/chain/consensus/comet/validator-set.ts'
import {
  VOTE_TYPE,
  type Vote,
  voteSignBytes,
} from '../../../../../host/chain/consensus/comet/vote.ts'
import { KEY } from '../../../chain/consensus/toy-chain.ts'
import { openToyServer, type ToyServer } from './toy-server.ts'

const STRANGER = keyFromSeed(new Uint8Array(32).fill(9))

let toy: ToyServer

beforeAll(async () => {
  toy = await openToyServer(3)
})

afterAll(() => toy.close())

function voteOf(fill: number): Vote {
  const hash = new Uint8Array(32).fill(fill)
  return {
    type: VOTE_TYPE.PRECOMMIT,
    height: 2,
    round: 0,
    blockId: { hash, parts: { total: 1, hash } },
    timestamp: 1_790_000_000_000_000_000n,
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex').toUpperCase()
}

/** Returns a vote as CometBFT encodes it in evidence. */
function voteJson(vote: Vote, key = KEY): Record<string, unknown> {
  const { hash, parts } = vote.blockId
  return {
    type: vote.type,
    height: String(vote.height),
    round: vote.round,
    block_id: { hash: hex(hash), parts: { total: parts.total, hash: hex(parts.hash) } },
    timestamp: '2026-09-21T14:13:20Z',
    validator_address: hex(cometAddress(key.publicKey)),
    validator_index: 0,
    signature: sign(null, voteSignBytes('toy-1', vote), key.signer).toString('base64'),
  }
}

function duplicate(a: object, b: object): object {
  return { type: 'tendermint/DuplicateVoteEvidence', value: { vote_a: a, vote_b: b } }
}

async function refusal(evidence: unknown): Promise<unknown> {
  const { error } = await toy.post('broadcast_evidence', { evidence })
  expect(error).toMatchObject({ code: -32603, message: 'Internal error' })
  return error?.data
}

const a = voteOf(1)
const b = voteOf(2)

describe('broadcast_evidence', () => {
  test('verifies valid evidence and explains why this chain cannot use it', async () => {
    expect(await refusal(duplicate(voteJson(a), voteJson(b)))).toBe(
      `failed to add evidence: ${hex(cometAddress(KEY.publicKey))} did sign two blocks at height 2, ` +
        'but this chain has one validator and none that could punish it: stop its node, and look for a ' +
        'second node with its key',
    )
  })

  const basic = 'evidence.ValidateBasic failed: '
  const stranger = hex(cometAddress(STRANGER.publicKey))
  const cases: [string, unknown, string][] = [
    ['none', undefined, 'no evidence was provided'],
    ['a number', 5, `${basic}evidence must be an object`],
    [
      'another type',
      { type: 'x', value: {} },
      `${basic}type must be tendermint/DuplicateVoteEvidence or tendermint/LightClientAttackEvidence`,
    ],
    [
      'an attack on light clients',
      { type: 'tendermint/LightClientAttackEvidence', value: {} },
      'failed to add evidence: a chain with one validator has no other validator to judge a light client attack',
    ],
    ['no votes', duplicate({}, {}), `${basic}vote_a.block_id must be an object`],
    [
      'votes in the wrong order',
      duplicate(voteJson(b), voteJson(a)),
      `${basic}duplicate votes in invalid order: vote_a must have the lower block hash`,
    ],
    [
      'the same vote twice',
      duplicate(voteJson(a), voteJson(a)),
      `${basic}duplicate votes in invalid order: vote_a must have the lower block hash`,
    ],
    [
      'votes of two heights',
      duplicate(voteJson(a), voteJson({ ...b, height: 3 })),
      `${basic}the votes differ in height, round or type`,
    ],
    [
      'a validator that is none',
      duplicate(voteJson(a, STRANGER), voteJson(b, STRANGER)),
      `failed to add evidence: address ${stranger} was not a validator at height 2`,
    ],
    [
      'a signature of something else',
      duplicate(voteJson(a), { ...voteJson(b), signature: voteJson(a).signature }),
      `failed to add evidence: vote_b is not signed by validator ${hex(cometAddress(KEY.publicKey))}`,
    ],
    [
      'a short signature',
      duplicate({ ...voteJson(a), signature: 'AA==' }, voteJson(b)),
      `${basic}vote_a.signature must be 64 bytes in base64`,
    ],
  ]
  test.each(cases)('refuses %s', async (_, evidence, text) => {
    expect(await refusal(evidence)).toBe(text)
  })
})
