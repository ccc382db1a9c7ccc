import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import { listSnapshots } from '../../host/snapshot/snapshot-dir.ts'
import { makeNetwork, type TestNetwork } from '../support/network/network.ts'
import type { NetworkNode } from '../support/network/network-node.ts'
import { COMETBFT } from '../support/node/cometbft.ts'
import { runCommand } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call, post } from '../support/node/json-rpc.ts'
import { MAIN } from '../support/node/main-file.ts'
import { minedReceipt } from '../support/node/progress.ts'
import { chunkPath, flipByte } from '../unit/snapshot/rewrite-snapshot.ts'

const TO = '0x00000000000000000000000000000000000000aa'
const GWEI = 10n ** 9n
const INTERVAL = 5

const quantity = (value: number): Hex => `0x${value.toString(16)}`

describe.skipIf(COMETBFT === undefined)(
  'state sync over ABCI (skipped if LOCKSTEP_COMETBFT names no cometbft)',
  () => {
    let network: TestNetwork
    let makers: readonly NetworkNode[]
    /** Height of the snapshot that both makers have. */
    let offered: number

    beforeAll(async () => {
      network = await makeNetwork({
        validators: 2,
        full: 3,
        settings: {
          'consensus.timeout-commit': '300ms',
          'statesync.discovery-time': '5s',
          'statesync.chunk-request-timeout': '5s',
        },
      })
      makers = network.validators
      const exporting = ['--state-sync.snapshot-interval', String(INTERVAL)]
      await Promise.all(makers.map((node) => node.start(exporting)))
      const raw = await devAccount(0).signTransaction({
        type: 'eip1559',
        chainId: 31_337,
        nonce: 0,
        gas: 21_000n,
        to: TO,
        value: 5n,
        maxFeePerGas: 100n * GWEI,
        maxPriorityFeePerGas: GWEI,
      })
      const { rpc } = makers[0] as NetworkNode
      await minedReceipt(rpc, await call<Hex>(rpc, 'eth_sendRawTransaction', [raw]))
      await network.until('two snapshots', () => makers.every((node) => heights(node).length >= 2))
      // From here on no other comes, and each node that begins takes the same one.
      for (const node of makers) expect(await node.stop()).toBe(0)
      const [newest = 0] = heights(makers[0] as NetworkNode)
      offered = newest
      await network.start(makers)
      await network.untilHeight(offered + 3)
    })
    afterAll(() => network?.close())

    function heights({ home }: NetworkNode): number[] {
      return listSnapshots(join(home, 'data', 'snapshots')).map(({ metadata }) => metadata.height)
    }

    /** Has a node begin with a snapshot, by the word of some nodes. */
    function syncing(...servers: readonly NetworkNode[]): string[] {
      const urls = [0, 1].map((at) => servers[at % servers.length]?.consensus)
      return ['--statesync.enable', 'true', '--statesync.rpc-servers', urls.join(',')]
    }

    /** The node has the chain from the snapshot on, as the makers have it, and follows them. */
    async function expectSynced(node: NetworkNode): Promise<void> {
      const [maker] = makers as [NetworkNode]
      const next = (await network.height()) + 2
      await network.untilHeight(next, [...makers, node])
      expect(await network.views(next, [...makers, node])).toHaveLength(1)
      for (let height = Math.max(1, offered - 255); height <= next; height++) {
        const params = [quantity(height), true]
        const [theirs, own] = await Promise.all(
          [maker, node].map(({ rpc }) => call(rpc, 'eth_getBlockByNumber', params)),
        )
        expect(own).toEqual(theirs)
      }
      expect(await call(node.rpc, 'eth_getBalance', [TO, 'latest'])).toBe('0x5')
      const before = await post(node.rpc, 'eth_getBalance', [TO, quantity(offered - 1)])
      expect(before.error).toMatchObject({ code: 4444 })
      const trace = await post(node.rpc, 'debug_traceBlockByNumber', ['latest'])
      expect(trace.error).toBeUndefined()
      expect(node.output()).not.toContain('failed to prune')
      expect(existsSync(join(node.home, 'data', 'snapshot-restored.json'))).toBe(false)
      expect(existsSync(join(node.home, 'data', 'state-sync'))).toBe(false)
      expect(existsSync(join(node.home, 'data', 'blockstore.db'))).toBe(false)
    }

    const logOf = ({ home }: NetworkNode): string => {
      const path = join(home, 'logs', 'lockstep.log')
      return existsSync(path) ? readFileSync(path, 'utf8') : ''
    }

    test('serves a snapshot of one height with the same bytes on every node', () => {
      const [first, second] = makers.map(({ home }) =>
        listSnapshots(join(home, 'data', 'snapshots')),
      )
      expect(first?.map(({ metadata }) => metadata)).toEqual(
        second?.map(({ metadata }) => metadata),
      )
      expect(offered % INTERVAL).toBe(0)
    })

    test('fetches an invalid chunk again from another peer, into a split home', async () => {
      const node = network.node('full-1')
      const [liar, honest] = makers as [NetworkNode, NetworkNode]
      expect(await honest.stop()).toBe(0)
      for (const { dir } of listSnapshots(join(liar.home, 'data', 'snapshots'))) {
        flipByte(chunkPath(dir, 0), 200)
      }
      const started = node.start([...syncing(liar), '--state-store.evm-ss-split', 'true'])
      await network.until('the liar to be known', () =>
        logOf(node).includes('a peer is asked no more'),
      )
      await honest.start()
      await started
      const punished = logOf(node)
        .split('\n')
        .filter((line) => line.includes('a peer is asked no more'))
      expect(punished).toHaveLength(1)
      expect(punished[0]).toContain(liar.nodeId)
      expect(existsSync(join(node.home, 'data', 'evm_ss'))).toBe(true)
      await expectSynced(node)
      for (const { dir } of listSnapshots(join(liar.home, 'data', 'snapshots'))) {
        flipByte(chunkPath(dir, 0), 200)
      }
    })

    test('resumes after kills at each of its steps', async () => {
      const node = network.node('full-2')
      const args = [
        ...syncing(...makers),
        ...['--rpc.laddr', `tcp://127.0.0.1:${node.ports.consensus}`],
        ...['--evm.http-port', `${node.ports.evm}`, '--evm.ws-port', `${node.ports.evmSocket}`],
      ]
      for (const step of [
        'taking a snapshot',
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
      await node.start(syncing(...makers))
      await expectSynced(node)
      // Once it has blocks of its own, it is a node like any other.
      expect(await node.stop()).toBe(0)
      await node.start(syncing(...makers))
      expect(node.output()).toContain('Found local state with non-zero height, skipping state sync')
    })

    test('works again after unsafe-reset-all', async () => {
      const node = network.node('full-2')
      expect(await node.stop()).toBe(0)
      const args = ['consensus', 'unsafe-reset-all', '--home', node.home]
      expect(await runCommand(args)).toMatchObject({ code: 0 })
      expect(existsSync(join(node.home, 'data', 'cometbft'))).toBe(false)
      await node.start(syncing(...makers))
      await expectSynced(node)
    })

    test('is optional: a node can execute all blocks from the first', async () => {
      const node = network.node('full-3')
      if (!node.isRunning) await node.start()
      const height = await network.height()
      await network.untilHeight(height, [node])
      for (const each of [1, 2, offered, height]) {
        expect(await network.views(each, [...makers, node])).toHaveLength(1)
      }
      expect(await call(node.rpc, 'eth_getBalance', [TO, '0x1'])).toMatch(/^0x[05]$/)
    })

    test('fills the split store of a node that is migrated', async () => {
      const node = network.node('full-3')
      if (!node.isRunning) await node.start()
      await network.untilHeight(offered, [node])
      expect(await node.stop()).toBe(0)
      expect(existsSync(join(node.home, 'data', 'evm_ss'))).toBe(false)
      const [from] = makers as [NetworkNode]
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
      await expectSynced(node)
    })
  },
)
