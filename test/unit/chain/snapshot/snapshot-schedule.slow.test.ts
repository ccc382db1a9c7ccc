import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { listSnapshots } from '../../../../host/chain/snapshot/snapshot-dir.ts'
import { verifySnapshot } from '../../../../host/chain/snapshot/verify-snapshot.ts'
import { decodeGenesis } from '../../../../host/evm/chain-types/genesis-codec.ts'
import { openHasher } from '../../../../host/node/commit-hasher.ts'
import { makeHome, removeHome, startDaemon } from '../../../support/node/daemon.ts'
import { until } from '../../../support/until.ts'

const home = makeHome()
afterAll(() => removeHome(home))

test('a node exports a snapshot at each multiple of the interval, equal on every node, and keeps the latest', async () => {
  const daemon = await startDaemon({
    home,
    arguments: [
      ...['--consensus.block-time', '10ms', '--state-sync.snapshot-interval', '20'],
      ...['--state-sync.snapshot-keep-recent', '2', '--state-sync.snapshot-directory', 'kept'],
    ],
  })
  const exported = (): number => daemon.output().split('snapshot exported').length - 1
  await until(() => exported() >= 4)
  expect(await daemon.stop()).toBe(0)
  const folder = join(home, 'kept')
  const snapshots = listSnapshots(folder)
  expect(snapshots).toHaveLength(2)
  expect(readdirSync(folder).filter((name) => /^\d+$/.test(name))).toHaveLength(2)
  const genesis = decodeGenesis(readFileSync(join(home, 'config', 'genesis.json'), 'utf8'))
  const hasher = await openHasher()
  for (const { dir, metadata } of snapshots) {
    // A peer fetches chunks from several nodes only if they have snapshots of the same height.
    expect(metadata.height % 20).toBe(0)
    expect(await verifySnapshot({ dir, hasher, genesis })).toEqual(metadata)
  }
})
