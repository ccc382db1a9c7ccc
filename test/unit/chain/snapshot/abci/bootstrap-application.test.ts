import { afterAll, beforeEach, expect, test } from 'vitest'
import { EMPTY_BYTES } from '../../../../../host/base/bytes.ts'
import type { AbciApplication } from '../../../../../host/chain/consensus/abci/abci-application.ts'
import type { HashedBlock, InfoRequest } from '../../../../../host/chain/consensus/abci/messages.ts'
import { BootstrapApplication } from '../../../../../host/chain/snapshot/abci/bootstrap-application.ts'
import { SnapshotCatalog } from '../../../../../host/chain/snapshot/abci/snapshot-catalog.ts'
import { SnapshotRestore } from '../../../../../host/chain/snapshot/abci/snapshot-restore.ts'
import { makeDir, removeDir } from '../snapshot-home.ts'

const root = makeDir()
afterAll(() => removeDir(root))

const ASKS: InfoRequest = {
  version: '0.38.19',
  blockVersion: 11,
  p2pVersion: 8,
  abciVersion: '2.0.0',
}
const BLOCK: HashedBlock = {
  height: 8,
  time: 1n,
  proposerAddress: EMPTY_BYTES,
  transactions: [],
  misbehavior: [],
  votes: [],
  hash: EMPTY_BYTES,
}

/** A chain at height 7, as far as these tests need it. */
const chain = {
  info: async () => ({ lastBlockHeight: 7 }),
  finalizeBlock: async ({ height }: HashedBlock) => ({ appHash: new Uint8Array([height]) }),
} as unknown as AbciApplication

let opened: number
let isRestored: boolean
let application: BootstrapApplication
beforeEach(() => {
  opened = 0
  isRestored = false
  let hand: (application: AbciApplication) => void = () => {}
  const served = new Promise<AbciApplication>((resolve) => {
    hand = resolve
  })
  const snapshots = new SnapshotRestore({
    catalog: new SnapshotCatalog(root),
    chainId: 'one',
    folder: `${root}/arriving`,
    home: {
      restored: undefined,
      forget: async () => {},
      importFrom: async () => {},
      open: async () => {
        opened++
        hand(chain)
      },
    },
    report: { chosen() {}, arrived() {}, punished() {}, refused() {} },
  })
  const options = { snapshots, isRestored: () => isRestored, chain: served, version: '9.9.9' }
  application = new BootstrapApplication(options)
})

test('a home without a chain reports height 0 to CometBFT', async () => {
  expect(await application.info(ASKS)).toEqual({
    data: 'lockstep',
    version: '9.9.9',
    appVersion: 0,
    lastBlockHeight: 0,
    lastBlockAppHash: EMPTY_BYTES,
  })
  expect(opened).toBe(0)
})

test('transactions and queries are refused without a state, and open no chain', async () => {
  const log = 'the node has no state yet: it starts with a snapshot of its peers'
  const refused = { code: 1, codespace: 'lockstep', log }
  expect(await application.checkTx()).toEqual({ ...refused, gasWanted: 0n })
  const query = { path: '/store/bank/key', data: EMPTY_BYTES, height: 0, prove: false }
  expect(await application.query(query)).toMatchObject(refused)
  expect(opened).toBe(0)
})

test('a query of CometBFT for the height of a restored home opens the chain', async () => {
  isRestored = true
  expect(await application.info(ASKS)).toEqual({ lastBlockHeight: 7 })
  expect(await application.info(ASKS)).toEqual({ lastBlockHeight: 7 })
  expect(opened).toBe(1)
})

test('any other request of consensus opens the chain once', async () => {
  const results = await Promise.all([
    application.finalizeBlock(BLOCK),
    application.finalizeBlock({ ...BLOCK, height: 9 }),
  ])
  expect(results.map(({ appHash }) => appHash)).toEqual([new Uint8Array([8]), new Uint8Array([9])])
  expect(opened).toBe(1)
})
