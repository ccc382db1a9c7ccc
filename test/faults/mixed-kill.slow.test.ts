import { expect, onTestFinished, test } from 'vitest'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { makeRandom, runSeed } from '../support/random.ts'
import { MixedLoad } from './mixed/mixed-load.ts'
import { MixedNode } from './mixed/mixed-node.ts'

/** 100 kills take ten minutes: LOCKSTEP_KILLS=100 npm run -s test:all -- test/faults/mixed-kill */
const KILLS = Number(process.env.LOCKSTEP_KILLS ?? 4)
const seed = runSeed()

test(
  `a node that serves transactions, payments, wallets and traces at once loses nothing over ${KILLS} kills of it, ` +
    `its signer or its wallet API (LOCKSTEP_SEED=${seed})`,
  async () => {
    const home = makeHome()
    onTestFinished(() => removeHome(home))
    const node = await MixedNode.make(home)
    onTestFinished(() => node.end())
    const load = new MixedLoad(node, makeRandom(seed))
    await load.run(KILLS)
    expect(load.faults).toEqual([])
    await load.conclude()
    expect(load.faults).toEqual([])
    expect(await node.stop()).toBe(0)
    await load.checkLedger()
    expect(load.faults).toEqual([])
    const { counts } = load
    for (const [kind, count] of Object.entries(counts)) {
      expect(count, kind).toBeGreaterThanOrEqual(KILLS)
    }
    process.stdout.write(`${load.kills.length} kills: ${JSON.stringify(counts)}\n`)
  },
  60_000 + KILLS * 30_000,
)
