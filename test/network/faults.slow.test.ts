import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMETBFT } from '../support/node/cometbft.ts'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { CometTap } from './comet-tap/comet-tap.ts'
import { startNetwork, type TestNetwork } from './nodes/network.ts'
import type { NetworkNode } from './nodes/network-node.ts'
import { disagreements, Traffic } from './nodes/traffic.ts'

const reason = COMETBFT === undefined ? ': LOCKSTEP_COMETBFT names no cometbft' : ''

const hasStrace =
  spawnSync('strace', ['-e', 'inject=fdatasync:delay_enter=1', '-o', '/dev/null', 'true'])
    .status === 0

/** Microseconds that each sync takes, as on a worn or shared disk. */
const SLOW_DISK = [
  ...['strace', '-D', '-f', '--seccomp-bpf', '-qq', '-o', '/dev/null', '-e', 'signal=none'],
  ...['-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:delay_enter=50000'],
]

let folder: string
let network: TestNetwork
let tap: CometTap

beforeAll(async () => {
  if (COMETBFT === undefined) return
  folder = makeHome()
  tap = await CometTap.open(join(folder, 'cometbft-tapped'), COMETBFT)
  network = await startNetwork({
    powers: [26, 25, 25, 24],
    settings: { 'consensus.timeout-commit': '100ms' },
    settingsOf: { 'validator-3': { 'consensus.cometbft': tap.program } },
  })
  await network.untilHeight(3)
})

afterAll(async () => {
  if (COMETBFT === undefined) return
  await network?.close()
  await tap?.close()
  removeHome(folder)
})

/** Stops the traffic, and checks that the network has every acknowledged transaction. */
async function expectNothingLost(traffic: Traffic, least: number): Promise<void> {
  const acknowledged = await traffic.stop()
  expect(acknowledged.length).toBeGreaterThanOrEqual(least)
  expect(await disagreements(network.nodes, acknowledged)).toEqual([])
  const height = Math.min(...(await Promise.all(network.nodes.map((node) => node.height()))))
  expect(await network.views(height)).toHaveLength(1)
}

const others = (node: NetworkNode) => network.nodes.filter((each) => each !== node)

describe.skipIf(reason !== '')(`a network of four validators${reason}`, () => {
  test('continues while validators with 24 % of the power are down, which catch up after their restart', async () => {
    const lost = network.node('validator-4')
    const traffic = new Traffic({ nodes: network.nodes })
    await network.until('traffic', () => traffic.count > 10)
    await lost.kill()
    const height = await network.height()
    await network.untilHeight(height + 10, others(lost))
    await lost.start()
    await network.untilHeight(height + 12)
    await expectNothingLost(traffic, 20)
  })

  test('accepts a validator that restarts from a backup of its home', async () => {
    const node = network.node('validator-2')
    const backup = join(folder, 'backup')
    expect(await node.stop()).toBe(0)
    cpSync(node.home, backup, { recursive: true })
    await node.start()
    const height = await network.height()
    await network.untilHeight(height + 5)
    expect(await node.stop()).toBe(0)
    rmSync(node.home, { recursive: true })
    cpSync(backup, node.home, { recursive: true })
    await node.start()
    await network.untilHeight((await network.height()) + 5)
  })

  test.skipIf(!hasStrace)(
    `does not wait for a validator with a slow disk, which catches up after it gets a faster one${hasStrace ? '' : ': there is no strace that delays calls'}`,
    async () => {
      const node = network.node('validator-1')
      expect(await node.stop()).toBe(0)
      await node.start([], {}, SLOW_DISK)
      const start = await node.height()
      const traffic = new Traffic({ nodes: network.nodes })
      await network.untilHeight(start + 10, others(node))
      await network.untilHeight(start + 2, [node])
      expect(await node.stop()).toBe(0)
      await node.start()
      await network.untilHeight((await network.height()) + 2)
      await expectNothingLost(traffic, 20)
    },
    180_000,
  )

  test('continues without a node whose app hash differs, which halts and logs both hashes', async () => {
    const node = network.node('validator-3')
    const falsified = tap.falsifyAppHash()
    const height = await falsified.met
    await network.until('the halt', () => !node.isRunning)
    await network.untilHeight(height + 5, others(node))
    const [right] = await network.views(height + 1, others(node))
    const appHash = Buffer.from(right?.stateRoot.slice(2) ?? '', 'hex')
    const [expected, got] = [appHash.map((byte) => ~byte), appHash].map((bytes) =>
      Buffer.from(bytes).toString('hex').toUpperCase(),
    )
    expect(node.output()).toContain(
      `Consensus failure - height halted at ${height + 1}: wrong Block.Header.AppHash. ` +
        `Expected ${expected}, got ${got}`,
    )
    const [other] = others(node) as [NetworkNode]
    const { block_id: id, block } = await other.ask<{
      readonly block_id: { readonly hash: string }
      readonly block: { readonly header: { readonly last_commit_hash: string } }
    }>(`/block?height=${height + 1}`)
    expect(node.output()).toContain(
      ` (height ${height + 1}, block_id ${id.hash}, commit hash ${block.header.last_commit_hash})`,
    )
  })
})
