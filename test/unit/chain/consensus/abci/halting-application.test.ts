import { expect, test } from 'vitest'
import { EMPTY_BYTES } from '../../../../../host/base/bytes.ts'
import type { AbciApplication } from '../../../../../host/chain/consensus/abci/abci-application.ts'
import { HaltingApplication } from '../../../../../host/chain/consensus/abci/halting-application.ts'
import type { HashedBlock } from '../../../../../host/chain/consensus/abci/messages.ts'

function blockOf(height: number): HashedBlock {
  return {
    height,
    time: 0n,
    proposerAddress: EMPTY_BYTES,
    transactions: [],
    misbehavior: [],
    hash: EMPTY_BYTES,
  }
}

/** Records the calls that reach it. */
function application(calls: string[]): AbciApplication {
  return {
    snapshots: {
      list: async () => [],
      load: async () => EMPTY_BYTES,
      offer: async () => 'abort',
      apply: async () => ({ result: 'abort', refetchChunks: [], rejectSenders: [] }),
    },
    info: async () => ({
      data: '',
      version: '',
      appVersion: 0,
      lastBlockHeight: 0,
      lastBlockAppHash: EMPTY_BYTES,
    }),
    query: () => Promise.reject(new Error('not asked')),
    checkTx: async () => ({ code: 0, codespace: '', log: '', gasWanted: 0n }),
    initChain: async () => ({ appHash: EMPTY_BYTES, validators: [] }),
    prepareProposal: async ({ height }) => {
      calls.push(`prepare ${height}`)
      return []
    },
    processProposal: async ({ height }) => {
      calls.push(`process ${height}`)
      return true
    },
    finalizeBlock: async ({ height }) => {
      calls.push(`finalize ${height}`)
      return { events: [], txResults: [], validatorUpdates: [], appHash: EMPTY_BYTES }
    },
    commit: async () => {
      calls.push('commit')
      return { retainHeight: 0 }
    },
  }
}

test('the application stops after its halt height: it answers that commit and no call of the next height', async () => {
  const calls: string[] = []
  const halted: number[] = []
  let stop: (reason: Error) => void = () => {}
  const stopped = new Promise<never>((_, reject) => {
    stop = reject
  })
  const halting = new HaltingApplication(application(calls), {
    height: 6,
    onHalted: (height) => halted.push(height),
    stopped,
  })
  for (const height of [5, 6]) {
    expect(halted).toEqual([])
    await halting.prepareProposal({ ...blockOf(height), maxTxBytes: 1 })
    await halting.processProposal(blockOf(height))
    await halting.finalizeBlock(blockOf(height))
    expect(await halting.commit()).toEqual({ retainHeight: 0 })
  }
  expect(halted).toEqual([6])
  const done = [...calls]
  const waiting = [
    halting.prepareProposal({ ...blockOf(7), maxTxBytes: 1 }),
    halting.processProposal(blockOf(7)),
    halting.finalizeBlock(blockOf(7)),
  ]
  // Read calls still work.
  expect(
    (await halting.info({ version: '', blockVersion: 0, p2pVersion: 0, abciVersion: '' })).data,
  ).toBe('')
  expect((await halting.checkTx({ transaction: EMPTY_BYTES, isRecheck: false })).code).toBe(0)
  stop(new Error('the node stops'))
  for (const call of waiting) await expect(call).rejects.toThrow('the node stops')
  expect(calls).toEqual(done)
  expect(done).toEqual(
    [5, 6].flatMap((h) => [`prepare ${h}`, `process ${h}`, `finalize ${h}`, 'commit']),
  )
})
