import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withKey } from '../../host/base/config/set-key.ts'
import { FAILURES, type FailureName } from '../../host/base/failure-table.ts'
import type { Finding } from '../../host/node/diagnosis/finding.ts'
import { COMETBFT, WITHOUT_COMETBFT } from '../support/node/cometbft.ts'
import { runCommand } from '../support/node/daemon.ts'
import { until } from '../support/until.ts'
import { makeNetwork, type TestNetwork } from './nodes/network.ts'
import type { NetworkNode } from './nodes/network-node.ts'

const STRANGER = 'a'.repeat(40)

let network: TestNetwork
let stranger: Server

function write({ home }: NetworkNode, values: Readonly<Record<string, string>>): void {
  const path = join(home, 'config/config.toml')
  const text = Object.entries(values).reduce(
    (before, [key, value]) => withKey(before, 'p2p', key, value),
    readFileSync(path, 'utf8'),
  )
  writeFileSync(path, text)
}

async function doctor(home: string): Promise<readonly Finding[]> {
  const { stdout } = await runCommand(['doctor', '--home', home, '--json'])
  return (JSON.parse(stdout) as { findings: readonly Finding[] }).findings
}

const faultsOf = (findings: readonly Finding[]) =>
  findings.filter(({ severity }) => severity === 'fault')

/** Returns findings that begin with the contract's text for a failure. */
const toldAs = (findings: readonly Finding[], name: FailureName) =>
  findings.filter(({ what }) => what.startsWith(FAILURES[name].text))

// Each full node has a different fault in its peers, which CometBFT 0.38.19 logs in its own words.
describe.skipIf(COMETBFT === undefined)(`lockstep doctor under CometBFT${WITHOUT_COMETBFT}`, () => {
  beforeAll(async () => {
    network = await makeNetwork({
      validators: 1,
      full: 3,
      settings: { 'consensus.block-time': '200ms' },
    })
    // Closes each connection at once.
    stranger = createServer((socket) => socket.once('data', () => socket.end()))
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
    const { port } = stranger.address() as { port: number }
    const { nodeId, ports } = network.node('validator-1')
    const address = `127.0.0.1:${ports.p2p}`
    const peers = {
      'validator-1': '',
      'full-1': `${nodeId}@${address}`,
      'full-2': `${STRANGER}@${address}`,
      'full-3': '',
    }
    for (const [name, named] of Object.entries(peers)) {
      write(network.node(name), { 'persistent-peers': named })
    }
    write(network.node('full-3'), { seeds: `${STRANGER}@127.0.0.1:${port}` })
    await network.start([network.node('full-1'), network.node('full-3')])
  })
  afterAll(async () => {
    stranger?.close()
    await network?.close()
  })

  /** Waits until the doctor reports a failure of a node, and returns the finding. */
  async function told({ home }: NetworkNode, failure: FailureName): Promise<Finding> {
    const find = async () => toldAs(await doctor(home), failure)
    await until(async () => (await find()).length > 0)
    return (await find())[0] as Finding
  }

  test('reports no peer as a fault and a refused dial as a warning if all other nodes are down', async () => {
    const node = network.node('full-1')
    const alone = await told(node, 'NO_PEERS')
    expect(alone).toMatchObject({ subject: 'peers', severity: 'fault' })
    expect(alone.what).toBe('No peers available at height 0: n_peers of /net_info is 0')
    expect(alone.remedy).toContain('check peers and their addresses through /net_info')
    expect(await node.ask('/net_info')).toMatchObject({ n_peers: '0', peers: [] })
    const lag = await node.ask<object>('/lag_status')
    expect(lag).toEqual({ current_height: 0, max_peer_height: 0, lag: null })
    const refused = await told(node, 'DIAL_REFUSED')
    expect(refused.severity).toBe('warning')
    expect(refused.what).toMatch(
      /Error dialing peer .*dial tcp 127\.0\.0\.1:\d+: connect: connection refused/,
    )
    await until(() => node.output().includes(FAILURES.NO_PEERS.text))
  })

  test('reports no fault after the peer is back, while the node runs and after it stops', async () => {
    await network.start([network.node('validator-1')])
    const node = network.node('full-1')
    await until(async () => faultsOf(await doctor(node.home)).length === 0)
    expect(await node.ask('/lag_status')).toMatchObject({ lag: expect.any(Number) })
    expect(await node.stop()).toBe(0)
    expect(await doctor(node.home)).toEqual([])
  })

  test('reports a stale peer id, and no fault after it is corrected', async () => {
    const node = network.node('full-2')
    const { nodeId, ports } = network.node('validator-1')
    await node.start()
    const stale = await told(node, 'HANDSHAKE_ID')
    expect(stale.severity).toBe('fault')
    expect(stale.what).toContain(
      `auth failure: conn.ID (${nodeId}) dialed ID (${STRANGER}) mismatch`,
    )
    expect(stale.remedy).toContain('persistent-peers')
    expect(await node.stop()).toBe(0)
    write(node, { 'persistent-peers': `${nodeId}@127.0.0.1:${ports.p2p}` })
    await node.start()
    await until(async () => faultsOf(await doctor(node.home)).length === 0)
    expect(await node.stop()).toBe(0)
  })

  // Last, since CometBFT looks for seeds every 30 s and the node has run since the first test.
  test('reports a handshake that the peer aborts, and seeds that cannot be reached', async () => {
    const ended = await told(network.node('full-3'), 'HANDSHAKE_EOF')
    expect(ended.severity).toBe('fault')
    expect(ended.what).toMatch(/auth failure: secret conn failed: .*(?:EOF|reset by peer)/)
    const alone = await told(network.node('full-3'), 'NO_PEX_PEERS')
    expect(alone.severity).toBe('fault')
    expect(alone.what).toContain("Couldn't connect to any seeds")
  })
})
