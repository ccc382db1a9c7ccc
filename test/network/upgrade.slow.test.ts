import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { COMETBFT, WITHOUT_COMETBFT } from '../support/node/cometbft.ts'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'
import { reachHeight } from '../support/node/progress.ts'
import { installPackage } from '../support/package/installed-package.ts'
import { until } from '../support/until.ts'
import { makeNetwork, type TestNetwork } from './nodes/network.ts'
import type { NetworkNode } from './nodes/network-node.ts'

// Nodes start one after the other on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

const HALT = 12

let folder: string
let network: TestNetwork
let daemons: Daemon[]

beforeEach(async () => {
  daemons = []
  folder = makeHome()
  // Neither validator has two thirds of the power, so the last height needs both votes.
  network = await makeNetwork({
    validators: 2,
    full: 1,
    settings: { 'consensus.block-time': '100ms' },
  })
})

afterEach(async () => {
  for (const { process: child } of daemons) child.kill('SIGKILL')
  await network.close()
  removeHome(folder)
})

/** Starts nodes of the network with the command line of this checkout or of another installation. */
async function start(
  nodes: readonly NetworkNode[],
  args: readonly string[],
  main?: string,
): Promise<void> {
  const started = nodes.map(({ home }) =>
    startDaemon({ home, dev: false, arguments: args, ...(main !== undefined && { main }) }),
  )
  daemons.push(...(await Promise.all(started)))
}

async function peersOf({ ready }: Daemon): Promise<number> {
  const { result } = (await (await fetch(`${ready.consensus}/net_info`)).json()) as {
    result: { n_peers: string }
  }
  return Number(result.n_peers)
}

describe.skipIf(COMETBFT === undefined)(`an upgrade at a halt height${WITHOUT_COMETBFT}`, () => {
  test('stops every node after the same block, and another installation continues from there', async () => {
    // A node that is still starting after the others have halted would wait for the last blocks forever.
    const [last, ...first] = network.nodes as [NetworkNode, ...NetworkNode[]]
    await start(first, ['--halt-height', String(HALT)])
    await until(async () => (await Promise.all(daemons.map(peersOf))).every((peers) => peers > 0))
    await start([last], ['--halt-height', String(HALT)])
    await Promise.all(daemons.map(({ process: child }) => child.exitCode ?? once(child, 'exit')))
    for (const { process: child, output } of daemons) {
      expect(child.exitCode, output()).toBe(0)
      expect(output()).toContain(`INF halting node per configuration height=${HALT}\n`)
      expect(output()).not.toMatch(/ ERR /)
    }
    // No store contains anything of the next height.
    const again = network.nodes.map(({ home }) =>
      runCommand(['start', '--home', home, '--halt-height', String(HALT)]),
    )
    for (const ended of await Promise.all(again)) {
      expect(ended).toMatchObject({
        code: 78,
        stderr: expect.stringContaining(
          `Error: halt-height is ${HALT}, but the chain is at height ${HALT}\n`,
        ),
      })
    }

    const { package: installed } = await installPackage(folder)
    daemons = []
    await start(network.nodes, [], join(installed, 'dist/cli/main.js'))
    await Promise.all(daemons.map(({ ready }) => reachHeight(ready.rpc, HALT + 3)))
    for (const height of [HALT, HALT + 1]) {
      const blocks = daemons.map(({ ready }) =>
        call(ready.rpc, 'eth_getBlockByNumber', [`0x${height.toString(16)}`, false]),
      )
      const [first, ...others] = await Promise.all(blocks)
      expect(first).toMatchObject({ hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
      for (const other of others) expect(other).toEqual(first)
    }
    const ends = await Promise.all(daemons.map((daemon) => daemon.stop()))
    expect(ends).toEqual([0, 0, 0])
  })
})
