import { expect, test } from 'vitest'
import {
  ChainApplication,
  type ChainApplicationOptions,
} from '../../../../../host/chain/consensus/abci/chain-application.ts'
import type { PrepareProposalRequest } from '../../../../../host/chain/consensus/abci/messages.ts'
import { ProposalPacer } from '../../../../../host/chain/consensus/abci/proposal-pacer.ts'

/**
 * Returns the block intervals of a validator that proposes each block. CometBFT waits 300 ms after each block;
 * `voting` is the duration of the votes in milliseconds.
 */
async function intervals(voting: readonly number[], longestMs = 500): Promise<readonly number[]> {
  let now = 1_000
  const pace = new ProposalPacer({
    blockTimeMs: 400,
    longestMs,
    clock: () => now,
    pause: async (milliseconds) => {
      now += milliseconds
    },
  })
  const decided: number[] = []
  for (const milliseconds of voting) {
    await pace.untilDue()
    now += milliseconds
    pace.decided()
    decided.push(now)
    now += 300
  }
  return decided.slice(1).map((at, index) => at - (decided[index] as number))
}

test('the block scheduler keeps the target block time for any vote duration', async () => {
  expect(await intervals([20, 20, 20, 20])).toEqual([400, 400, 400])
  expect(await intervals([80, 80, 80, 80])).toEqual([400, 400, 400])
})

test('the block scheduler adds no delay if proposal and votes take the whole block time or more', async () => {
  expect(await intervals([150, 150, 150])).toEqual([450, 450])
})

test('the block scheduler adapts slowly: one late block shortens the next ones only in part', async () => {
  const times = await intervals([20, 20, 900, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20])
  // A late block has a weight of a quarter in the average.
  expect(times.slice(0, 3)).toEqual([400, 1280, 320])
  expect(times.at(-1)).toBeGreaterThan(380)
  expect(times.at(-1)).toBeLessThanOrEqual(400)
})

test('the block scheduler delays a block no longer than a proposer may', async () => {
  expect(await intervals([20, 20, 20], 30)).toEqual([350, 350])
})

test('the block scheduler does not delay the first proposals of a node', async () => {
  let paused = 0
  const pace = new ProposalPacer({
    blockTimeMs: 400,
    longestMs: 500,
    clock: () => 0,
    pause: async () => {
      paused += 1
    },
  })
  pace.decided()
  await pace.untilDue()
  expect(paused).toBe(0)
})

test('the block scheduler delays the proposals of an application until they are due', async () => {
  const done: string[] = []
  const pace = new ProposalPacer({ blockTimeMs: 400, longestMs: 500 })
  pace.untilDue = async () => {
    done.push('waited')
  }
  const application = {
    prepareProposal: async () => {
      done.push('packed')
      return []
    },
  }
  const chain = new ChainApplication({ application, pace } as unknown as ChainApplicationOptions)
  await chain.prepareProposal({} as PrepareProposalRequest)
  expect(done).toEqual(['waited', 'packed'])
})
