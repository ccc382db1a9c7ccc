import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import { COMETBFT } from '../support/node/cometbft.ts'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'
import { makeRandom, runSeed } from '../support/random.ts'
import type { Kind, Side } from './comet-tap/abci-frame.ts'
import { CometTap } from './comet-tap/comet-tap.ts'
import { makeNetwork, type TestNetwork } from './nodes/network.ts'
import type { NetworkNode } from './nodes/network-node.ts'
import { disagreements, Traffic } from './nodes/traffic.ts'

/** 200 kills take ten minutes: LOCKSTEP_KILLS=200 npm run -s test:all -- test/network/faults-kill */
const KILLS = Number(process.env.LOCKSTEP_KILLS ?? 8)
const seed = runSeed()
const reason = COMETBFT === undefined ? ': LOCKSTEP_COMETBFT names no cometbft' : ''

/** From the request to execute a decided block to the response that it is committed. */
const POINTS: readonly (readonly [Kind, Side])[] = [
  ['finalize_block', 'request'],
  ['finalize_block', 'response'],
  ['commit', 'request'],
  ['commit', 'response'],
]

interface Tapped {
  readonly node: NetworkNode
  readonly tap: CometTap
}

let folder: string
let network: TestNetwork
let tapped: readonly Tapped[]

beforeAll(async () => {
  if (COMETBFT === undefined) return
  folder = makeHome()
  const taps = new Map<string, CometTap>()
  for (const name of ['validator-1', 'full-1']) {
    taps.set(name, await CometTap.open(join(folder, `cometbft-${name}`), COMETBFT))
  }
  network = await makeNetwork({
    validators: 1,
    full: 1,
    settings: { 'consensus.timeout-commit': '50ms' },
    settingsOf: Object.fromEntries(
      [...taps].map(([name, { program }]) => [name, { 'consensus.cometbft': program }]),
    ),
  })
  tapped = [...taps].map(([name, tap]) => ({ node: network.node(name), tap }))
  await network.start()
  await network.untilHeight(2)
})

afterAll(async () => {
  if (COMETBFT === undefined) return
  await network?.close()
  for (const { tap } of tapped ?? []) await tap.close()
  removeHome(folder)
})

/** Kills one of the two processes of a node while a message between them is in flight, or just after it. */
async function killAt(
  { node, tap }: Tapped,
  [kind, side]: readonly [Kind, Side],
  victim: 'application' | 'cometbft',
  isHeld: boolean,
): Promise<number> {
  const message = tap.hold(kind, side)
  const height = await message.met
  if (!isHeld) message.release()
  const before = tap.pid
  if (victim === 'application') await node.kill()
  else process.kill(before, 'SIGKILL')
  message.release()
  if (victim === 'application') await node.start()
  await network.until(`another CometBFT of ${node.name}`, () => tap.pid !== before)
  return height
}

test.skipIf(reason !== '')(
  `${KILLS} kills of application and CometBFT between FinalizeBlock and Commit lose no block (LOCKSTEP_SEED=${seed})${reason}`,
  async () => {
    const random = makeRandom(seed)
    const nodes = tapped.map(({ node }) => node)
    const traffic = new Traffic({ nodes })
    for (let kill = 0; kill < KILLS; kill++) {
      const target = tapped[Math.floor(random() * tapped.length)] as Tapped
      const point = POINTS[kill % POINTS.length] as (typeof POINTS)[number]
      const victim = (kill >> 2) % 2 === 0 ? 'application' : 'cometbft'
      const height = await killAt(target, point, victim, random() < 0.6)
      await network.untilHeight(height + 2)
      const hashes = await Promise.all(
        nodes.map(({ rpc }) =>
          call<{ hash: Hex }>(rpc, 'eth_getBlockByNumber', [`0x${height.toString(16)}`, false]),
        ),
      )
      expect(new Set(hashes.map(({ hash }) => hash)).size, `${point} ${victim} ${height}`).toBe(1)
      expect(await network.views(height + 1), `${point} ${victim} ${height}`).toHaveLength(1)
    }
    const acknowledged = await traffic.stop()
    expect(acknowledged.length).toBeGreaterThan(KILLS)
    expect(await disagreements(nodes, acknowledged)).toEqual([])
  },
  600_000 + KILLS * 10_000,
)
