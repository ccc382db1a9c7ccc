import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMETBFT } from '../support/node/cometbft.ts'
import { runCommand } from '../support/node/daemon.ts'
import { MAIN } from '../support/node/main-file.ts'
import { SnapshotNetwork, syncing } from './state-sync/snapshot-network.ts'

describe.skipIf(COMETBFT === undefined)(
  'an interrupted state sync over ABCI (skipped if LOCKSTEP_COMETBFT names no cometbft)',
  () => {
    let snapshots: SnapshotNetwork

    beforeAll(async () => {
      snapshots = await SnapshotNetwork.make(1)
    })
    afterAll(() => snapshots?.close())

    test('resumes after a kill at each of its steps', async () => {
      const node = snapshots.network.node('full-1')
      const args = [
        ...syncing(...snapshots.makers),
        ...['--rpc.laddr', `tcp://127.0.0.1:${node.ports.consensus}`],
        ...['--evm.http-port', `${node.ports.evm}`, '--evm.ws-port', `${node.ports.evmSocket}`],
      ]
      for (const step of [
        'accepting a snapshot',
        'step=chunk',
        'step=loading',
        'NodeDB SS is enabled',
      ]) {
        const child = spawn(process.execPath, [MAIN, 'start', '--home', node.home, ...args], {
          stdio: ['ignore', 'pipe', 'pipe'],
        })
        let output = ''
        for (const stream of [child.stdout, child.stderr]) {
          stream.on('data', (data) => {
            output += data
            if (output.includes(step)) child.kill('SIGKILL')
          })
        }
        const [, signal] = await once(child, 'close')
        expect(signal, output).toBe('SIGKILL')
      }
      await node.start(syncing(...snapshots.makers))
      await snapshots.expectSynced(node)
      // With its own blocks, it is a node like any other.
      expect(await node.stop()).toBe(0)
      await node.start(syncing(...snapshots.makers))
      expect(node.output()).toContain('Found local state with non-zero height, skipping state sync')
    })

    test('can be repeated after unsafe-reset-all', async () => {
      const node = snapshots.network.node('full-1')
      expect(await node.stop()).toBe(0)
      const args = ['consensus', 'unsafe-reset-all', '--home', node.home]
      expect(await runCommand(args)).toMatchObject({ code: 0 })
      expect(existsSync(join(node.home, 'data', 'cometbft'))).toBe(false)
      await node.start(syncing(...snapshots.makers))
      await snapshots.expectSynced(node)
    })
  },
)
