import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { COMETBFT } from '../support/node/cometbft.ts'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { startNetwork, type TestNetwork } from './nodes/network.ts'
import { buildShifted, shiftedMissing, withVariables } from './nodes/shifted-cometbft.ts'
import { disagreements, Traffic } from './nodes/traffic.ts'

function missing(): string {
  if (COMETBFT === undefined) return ': LOCKSTEP_COMETBFT names no cometbft'
  const shifted = shiftedMissing()
  return shifted === '' ? '' : `: ${shifted}`
}

const reason = missing()

interface Header {
  readonly header: { readonly time: string }
}

/** Offset of each validator's clock. */
const SHIFTS = ['-7s', '0s', '3s', '40s']

let folder: string
let network: TestNetwork

beforeAll(async () => {
  if (reason !== '') return
  folder = makeHome()
  const program = buildShifted(folder)
  const settingsOf = SHIFTS.map((shift, i) => [
    `validator-${i + 1}`,
    {
      'consensus.cometbft': withVariables(join(folder, `cometbft${shift}`), program, {
        CLOCK_SHIFT: shift,
      }),
    },
  ])
  network = await startNetwork({
    validators: SHIFTS.length,
    settings: { 'consensus.timeout-commit': '100ms' },
    settingsOf: Object.fromEntries(settingsOf),
  })
}, 240_000)

afterAll(async () => {
  await network?.close()
  if (folder !== undefined) removeHome(folder)
})

test.skipIf(reason !== '')(
  `validators whose clocks differ by seconds make blocks with increasing times near the median clock${reason}`,
  async () => {
    const begun = Date.now()
    const traffic = new Traffic({ nodes: network.nodes })
    await network.untilHeight(12)
    const acknowledged = await traffic.stop()
    expect(await disagreements(network.nodes, acknowledged)).toEqual([])
    const [first = network.node('validator-1')] = network.nodes
    let before = 0
    for (let height = 3; height <= 12; height++) {
      expect(await network.views(height)).toHaveLength(1)
      const { header } = await first.ask<Header>(`/header?height=${height}`)
      const time = Date.parse(header.time)
      expect(time).toBeGreaterThan(before)
      before = time
    }
    // One clock is far ahead and one is behind, so the two between determine the median.
    expect(before).toBeLessThan(Date.now() + 10_000)
    expect(before).toBeGreaterThan(begun - 10_000)
  },
  240_000,
)
