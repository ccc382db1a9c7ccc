import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listSnapshots } from '../../host/chain/snapshot/snapshot-dir.ts'
import { COMETBFT } from '../support/node/cometbft.ts'
import { runCommand } from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'
import { chunkPath, flipByte } from '../unit/chain/snapshot/rewrite-snapshot.ts'
import type { NetworkNode } from './nodes/network-node.ts'
import { INTERVAL, logOf, SnapshotNetwork, syncing, TO } from './state-sync/snapshot-network.ts'

describe.skipIf(COMETBFT === undefined)(
  'state sync over ABCI (skipped if LOCKSTEP_COMETBFT names no cometbft)',
  () => {
    let snapshots: SnapshotNetwork

    beforeAll(async () => {
      snapshots = await SnapshotNetwork.make(2)
    })
    afterAll(() => snapshots?.close())

    test('serves a snapshot of one height with the same bytes on every node', () => {
      const [first, second] = snapshots.makers.map(({ home }) =>
        listSnapshots(join(home, 'data', 'snapshots')),
      )
      expect(first?.map(({ metadata }) => metadata)).toEqual(
        second?.map(({ metadata }) => metadata),
      )
      expect(snapshots.offered % INTERVAL).toBe(0)
    })

    test('fetches an invalid chunk again from another peer, also into a home with the split on', async () => {
      const node = snapshots.network.node('full-1')
      const [liar, honest] = snapshots.makers as [NetworkNode, NetworkNode]
      expect(await honest.stop()).toBe(0)
      for (const { dir } of listSnapshots(join(liar.home, 'data', 'snapshots'))) {
        flipByte(chunkPath(dir, 0), 200)
      }
      const started = node.start([...syncing(liar), '--state-store.evm-ss-split', 'true'])
      await snapshots.network.until('the liar to be known', () =>
        logOf(node).includes('a peer is no longer used'),
      )
      await honest.start()
      await started
      const punished = logOf(node)
        .split('\n')
        .filter((line) => line.includes('a peer is no longer used'))
      expect(punished).toHaveLength(1)
      expect(punished[0]).toContain(liar.nodeId)
      expect(existsSync(join(node.home, 'data', 'evm_ss'))).toBe(true)
      await snapshots.expectSynced(node)
      for (const { dir } of listSnapshots(join(liar.home, 'data', 'snapshots'))) {
        flipByte(chunkPath(dir, 0), 200)
      }
    })

    test('is optional: a node can execute all blocks from the first', async () => {
      const node = snapshots.network.node('full-2')
      if (!node.isRunning) await node.start()
      const height = await snapshots.network.height()
      await snapshots.network.untilHeight(height, [node])
      for (const each of [1, 2, snapshots.offered, height]) {
        expect(await snapshots.network.views(each, [...snapshots.makers, node])).toHaveLength(1)
      }
      expect(await call(node.rpc, 'eth_getBalance', [TO, '0x1'])).toMatch(/^0x[05]$/)
    })

    test('fills the split store of a node that turns the split on', async () => {
      const node = snapshots.network.node('full-2')
      if (!node.isRunning) await node.start()
      await snapshots.network.untilHeight(snapshots.offered, [node])
      expect(await node.stop()).toBe(0)
      expect(existsSync(join(node.home, 'data', 'evm_ss'))).toBe(false)
      const [from] = snapshots.makers as [NetworkNode]
      const args = ['migrate', 'split-store', '--from', from.consensus, '--home', node.home]
      expect(await runCommand(args)).toMatchObject({ code: 0 })
      await node.start()
      const lines = [
        'NodeDB SS is enabled',
        'EVM StateStore optimization is enabled',
        'EVM state store enabled',
      ]
      for (const line of lines) expect(node.daemon.output()).toContain(line)
      expect(existsSync(join(node.home, 'data', 'evm_ss'))).toBe(true)
      await snapshots.expectSynced(node)
    })
  },
)
