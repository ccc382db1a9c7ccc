import { expect, test } from 'vitest'
import type { Journal } from '../../../../host/chain/consensus/mempool/journal.ts'
import { type Automining, AutominingPool } from '../../../../host/chain/dev/automining-pool.ts'
import { encodeFrom } from '../../../support/engine/unsigned-sender.ts'
import { type Gate, makeGate } from '../../../support/gate.ts'
import { ALICE, BOB, drain, openPool } from '../../../support/node/test-pool.ts'

/** Returns a journal whose appends the test completes in order. */
function gatedJournal(): { readonly journal: Journal; readonly appends: Gate[] } {
  const appends: Gate[] = []
  const journal: Journal = {
    append: () => {
      const gate = makeGate()
      appends.push(gate)
      return gate.opened
    },
    written: async () => {},
    restore: () => ({ records: [], lost: 0 }),
    rewrite: async () => {},
    replace: () => {},
    bytes: 0,
    close: () => {},
  }
  return { journal, appends }
}

function openAutomining() {
  const { journal, appends } = gatedJournal()
  const mempool = openPool({ journal })
  /** Transactions available to the block of each turn. */
  const offered: Uint8Array[][] = []
  const chain: Automining = {
    automine: true,
    nextBaseFee: 10n,
    automined: async (_, onTurn = () => () => {}) => {
      const endTurn = onTurn()
      offered.push(drain(mempool, 10n).map(({ hash }) => hash))
      endTurn()
    },
  }
  return { mempool, pool: new AutominingPool(mempool, () => chain), appends, offered }
}

test('an automined block excludes a transaction that is not yet journaled', async () => {
  const { pool, appends, offered } = openAutomining()
  const first = pool.add(encodeFrom(ALICE, {}))
  const second = pool.add(encodeFrom(BOB, {}))
  await expect.poll(() => appends.length).toBe(2)
  appends[0]?.open()
  const firstHash = await first
  expect(offered).toEqual([[firstHash]])
  appends[1]?.open()
  const secondHash = await second
  expect(offered[1]).toContainEqual(secondHash)
})

test('a transaction that could not be journaled does not delay others', async () => {
  const { pool, mempool, appends, offered } = openAutomining()
  const lost = pool.add(encodeFrom(ALICE, {}))
  await expect.poll(() => appends.length).toBe(1)
  appends[0]?.fail(new Error('the disk is full'))
  await expect(lost).rejects.toThrow('the disk is full')
  expect(mempool.size).toBe(0)
  const again = pool.add(encodeFrom(ALICE, {}))
  await expect.poll(() => appends.length).toBe(2)
  appends[1]?.open()
  expect(offered).toEqual([[await again]])
})
