import { expect, test } from 'vitest'
import { LockstepError } from '../../../../../host/base/error.ts'
import { nameBlock } from '../../../../../host/chain/consensus/cometbft/failed-block.ts'

const wrong = () =>
  new LockstepError('APP_HASH_MISMATCH', 'wrong Block.Header.AppHash. Expected 5D, got 9A', {
    data: { height: 12 },
  })

const rpc = (answer: unknown) => ({
  call: async () => {
    if (answer instanceof Error) throw answer
    return { round_state: answer }
  },
})

const ROUND = {
  height: '12',
  proposal: { block_id: { hash: '77' } },
  proposal_block: { header: { last_commit_hash: 'C0' } },
}

test('a wrong app hash error states the height, the block id and the commit hash', async () => {
  const named = await nameBlock(wrong(), rpc(ROUND))
  expect(named.message).toBe(
    'wrong Block.Header.AppHash. Expected 5D, got 9A (height 12, block_id 77, commit hash C0)',
  )
  expect(named).toMatchObject({
    code: 'APP_HASH_MISMATCH',
    hint: wrong().hint,
    data: { height: 12, blockId: '77', commitHash: 'C0' },
  })
})

test.each([
  ['is at another height', { ...ROUND, height: '13' }],
  ['has no proposal', { height: '12', proposal: null, proposal_block: null }],
  ['does not answer', new Error('gone')],
])('the block id and commit hash are unknown if CometBFT %s', async (_, answer) => {
  expect((await nameBlock(wrong(), rpc(answer))).message).toBe(
    'wrong Block.Header.AppHash. Expected 5D, got 9A (height 12, block_id unknown, commit hash unknown)',
  )
})

test('an error other than a wrong app hash is returned unchanged', async () => {
  const other = new LockstepError('CONSENSUS_FAILURE', 'x', { data: { height: 12 } })
  expect(await nameBlock(other, rpc(ROUND))).toBe(other)
})
