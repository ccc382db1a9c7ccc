import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMETBFT } from '../support/node/cometbft.ts'
import { Machines, machinesMissing } from './nodes/machines.ts'
import { startNetwork, type TestNetwork } from './nodes/network.ts'
import { disagreements, Traffic } from './nodes/traffic.ts'

function missing(): string {
  if (COMETBFT === undefined) return ': LOCKSTEP_COMETBFT names no cometbft'
  const machines = machinesMissing()
  return machines === '' ? '' : `: ${machines}`
}

const reason = missing()

let machines: Machines
let network: TestNetwork

beforeAll(async () => {
  if (reason !== '') return
  machines = await Machines.open(4)
  network = await startNetwork({
    machines,
    validators: 4,
    settings: { 'consensus.timeout-commit': '100ms' },
  })
  await network.untilHeight(3)
})

afterAll(async () => {
  await network?.close()
  await machines?.close()
})

describe.skipIf(reason !== '')(`four validators on separate machines${reason}`, () => {
  test('continue as three if one is unreachable, and lose no transaction that it accepted', async () => {
    const lonely = network.node('validator-4')
    const three = network.nodes.filter((node) => node !== lonely)
    const traffic = new Traffic({ nodes: network.nodes })
    await network.until('traffic', () => traffic.count > 10)
    machines.split([0, 1, 2])
    const height = await network.height()
    await network.untilHeight(height + 10, three)
    // It makes no blocks, but still responds.
    expect(await lonely.height()).toBeLessThanOrEqual(height + 1)
    machines.join()
    await network.untilHeight(height + 12)
    const acknowledged = await traffic.stop()
    expect(await disagreements(network.nodes, acknowledged)).toEqual([])
  }, 240_000)

  test('halt after they are split two and two, and continue together after they reconnect', async () => {
    const traffic = new Traffic({ nodes: network.nodes })
    machines.split([0, 1], [2, 3])
    const before = await network.height()
    await network.until('waiting transactions', () => traffic.count > 20)
    // Messages in flight at the split can complete at most one block.
    const halted = await network.height()
    expect(halted).toBeLessThanOrEqual(before + 1)
    machines.join()
    await network.untilHeight(halted + 5)
    const acknowledged = await traffic.stop()
    expect(await disagreements(network.nodes, acknowledged)).toEqual([])
    expect(await network.views(halted + 4)).toHaveLength(1)
  }, 240_000)
})
