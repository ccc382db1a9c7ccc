import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Hex } from '../../../host/base/hex.ts'
import { listSnapshots } from '../../../host/chain/snapshot/snapshot-dir.ts'
import { call, post } from '../../support/node/json-rpc.ts'
import { mineDynamicFee } from '../../support/node/progress.ts'
import { makeNetwork, type TestNetwork } from '../nodes/network.ts'
import type { NetworkNode } from '../nodes/network-node.ts'

/** Has five units since the first block. */
export const TO = '0x00000000000000000000000000000000000000aa'
/** Number of heights between two snapshots. */
export const INTERVAL = 5

const quantity = (value: number): Hex => `0x${value.toString(16)}`

export function heights({ home }: NetworkNode): number[] {
  return listSnapshots(join(home, 'data', 'snapshots')).map(({ metadata }) => metadata.height)
}

export function logOf({ home }: NetworkNode): string {
  const path = join(home, 'logs', 'lockstep.log')
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** Returns the flags with which a node starts from a snapshot and trusts the light blocks of these nodes. */
export function syncing(...servers: readonly NetworkNode[]): string[] {
  const urls = [0, 1].map((at) => servers[at % servers.length]?.consensus)
  return ['--statesync.enable', 'true', '--statesync.rpc-servers', urls.join(',')]
}

/** Two validators with the same snapshot, and full nodes that can start from it. */
export class SnapshotNetwork {
  readonly network: TestNetwork
  /** Height of the snapshot that both validators have. */
  readonly offered: number

  private constructor(network: TestNetwork, offered: number) {
    this.network = network
    this.offered = offered
  }

  get makers(): readonly NetworkNode[] {
    return this.network.validators
  }

  static async make(full: number): Promise<SnapshotNetwork> {
    const network = await makeNetwork({
      validators: 2,
      full,
      settings: {
        'consensus.timeout-commit': '300ms',
        'statesync.discovery-time': '5s',
        'statesync.chunk-request-timeout': '5s',
      },
    })
    const makers = network.validators
    const exporting = ['--state-sync.snapshot-interval', String(INTERVAL)]
    await Promise.all(makers.map((node) => node.start(exporting)))
    const { rpc } = makers[0] as NetworkNode
    await mineDynamicFee(rpc, 0, { to: TO, value: 5n })
    await network.until('two snapshots', () => makers.every((node) => heights(node).length >= 2))
    // No later snapshot is made, so that each new node uses the same one.
    for (const node of makers) expect(await node.stop()).toBe(0)
    const [offered = 0] = heights(makers[0] as NetworkNode)
    await network.start(makers)
    await network.untilHeight(offered + 3)
    return new SnapshotNetwork(network, offered)
  }

  /** Expects that the node has the validators' chain from the snapshot on and follows it. */
  async expectSynced(node: NetworkNode): Promise<void> {
    const { network, makers, offered } = this
    const [maker] = makers as readonly [NetworkNode]
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

  close(): Promise<void> {
    return this.network.close()
  }
}
