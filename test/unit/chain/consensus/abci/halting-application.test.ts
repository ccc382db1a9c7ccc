import { expect, test } from 'vitest'
import { EMPTY_BYTES } from '../../../../../host/base/bytes.ts'
import type { AbciApplication } from '../../../../../host/chain/consensus/abci/abci-application.ts'
import {
  HaltingApplication,
  type HaltOptions,
} from '../../../../../host/chain/consensus/abci/halting-application.ts'
import type { HashedBlock } from '../../../../../host/chain/consensus/abci/messages.ts'

function blockOf(height: number): HashedBlock {
  return {
    height,
    time: 0n,
    proposerAddress: EMPTY_BYTES,
    transactions: [],
    misbehavior: [],
    votes: [],
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

/** Returns an application that halts, and the function that ends its blocked calls. */
function haltingOf(
  calls: string[],
  options: Pick<HaltOptions, 'halt' | 'upgrade' | 'onHalted'>,
): { halting: HaltingApplication; stop: (reason: Error) => void } {
  const { promise: stopped, reject: stop } = Promise.withResolvers<never>()
  return { halting: new HaltingApplication(application(calls), { ...options, stopped }), stop }
}

test('the application stops after the first block of its halt time or later', async () => {
  const calls: string[] = []
  const halted: number[] = []
  const { halting, stop } = haltingOf(calls, {
    halt: { height: 0, time: 100 },
    upgrade: undefined,
    onHalted: (height) => halted.push(height),
  })
  for (const [height, time] of [
    [5, 99_999_999_999n],
    [6, 100_000_000_000n],
  ] as const) {
    await halting.finalizeBlock({ ...blockOf(height), time })
    await halting.commit()
  }
  expect(halted).toEqual([6])
  const waiting = halting.processProposal(blockOf(7))
  stop(new Error('the node stops'))
  await expect(waiting).rejects.toThrow('the node stops')
  expect(calls).toEqual(['finalize 5', 'commit', 'finalize 6', 'commit'])
})

test('at an upgrade the application votes for the block of its height, but does not execute it', async () => {
  const calls: string[] = []
  const reached: string[] = []
  const { halting, stop } = haltingOf(calls, {
    halt: { height: 0, time: 0 },
    onHalted: () => {},
    upgrade: {
      plan: { name: 'v2', height: 6 },
      onReached: () => {
        reached.push('v2')
        stop(new Error('the node stops'))
      },
    },
  })
  await halting.finalizeBlock(blockOf(5))
  await halting.commit()
  expect(await halting.processProposal(blockOf(6))).toBe(true)
  expect(reached).toEqual([])
  await expect(halting.finalizeBlock(blockOf(6))).rejects.toThrow('the node stops')
  expect(reached).toEqual(['v2'])
  expect(calls).toEqual(['finalize 5', 'commit', 'process 6'])
})

test('the application stops after its halt height: it answers that commit and no call of the next height', async () => {
  const calls: string[] = []
  const halted: number[] = []
  let stop: (reason: Error) => void = () => {}
  const stopped = new Promise<never>((_, reject) => {
    stop = reject
  })
  const halting = new HaltingApplication(application(calls), {
    halt: { height: 6, time: 0 },
    upgrade: undefined,
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
