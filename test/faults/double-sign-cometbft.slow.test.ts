import { copyFileSync, cpSync, linkSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { COMETBFT } from '../support/node/cometbft.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { reachHeight } from '../support/node/progress.ts'
import { makeRandom, runSeed } from '../support/random.ts'
import { SignatureWatch } from './process/signature-watch.ts'

/** 1,000 kills take an hour: LOCKSTEP_KILLS=1000 npm run -s test:all -- test/faults/double-sign-cometbft */
const KILLS = Number(process.env.LOCKSTEP_KILLS ?? 4)

describe.skipIf(COMETBFT === undefined)(
  'a validator under CometBFT (skipped if LOCKSTEP_COMETBFT names no cometbft)',
  () => {
    const folder = makeHome()
    afterAll(() => removeHome(folder))
    const keyOf = (home: string) => join(home, 'config', 'priv_validator_key.json')
    const start = (home: string, dev: boolean): Promise<Daemon> =>
      startDaemon({
        home,
        dev,
        arguments: [
          ...['--consensus.engine', 'cometbft', '--consensus.cometbft', COMETBFT ?? ''],
          ...['--consensus.block-time', '20ms', '--p2p.laddr', 'tcp://127.0.0.1:0'],
        ],
      })

    test('never signs with a key that is in use, copied or linked, or older than its signatures', async () => {
      const first = join(folder, 'first')
      mkdirSync(first)
      let daemon = await start(first, true)
      await reachHeight(daemon.ready.rpc, 5)
      expect(await daemon.stop()).toBe(0)
      const backup = join(folder, 'backup')
      cpSync(first, backup, { recursive: true })

      daemon = await start(first, true)
      const { pid } = daemon.process
      await reachHeight(daemon.ready.rpc, 10)
      for (const way of [copyFileSync, linkSync, symlinkSync]) {
        const second = join(folder, way.name)
        cpSync(backup, second, { recursive: true })
        rmSync(keyOf(second))
        way(keyOf(first), keyOf(second))
        await expect(start(second, false), way.name).rejects.toThrow(
          new RegExp(
            `node ended with 75 .*the validator key [0-9A-F]{40} is in use by process ${pid} of ${first}\nHint: `,
            's',
          ),
        )
      }
      expect(await daemon.stop()).toBe(0)

      rmSync(join(first, 'data'), { recursive: true })
      cpSync(join(backup, 'data'), join(first, 'data'), { recursive: true })
      await expect(start(first, true)).rejects.toThrow(
        /node ended with 70 .*Duplicate signature refused: .* ends at height \d+ round 0, but the key has signed height \d+ round 0/s,
      )
    })

    test('signs each height, round and step only once across kills at any moment', async () => {
      const seed = runSeed()
      const random = makeRandom(seed)
      const home = join(folder, 'killed')
      mkdirSync(home)
      let daemon = await start(home, true)
      const watch = new SignatureWatch(join(home, 'data', 'priv_validator_state.json'))
      try {
        let height = 0
        for (let kill = 0; kill < KILLS; kill++) {
          height += 2 + Math.floor(random() * 5)
          await reachHeight(daemon.ready.rpc, height)
          await daemon.stop('SIGKILL')
          watch.read()
          daemon = await start(home, true)
        }
        await reachHeight(daemon.ready.rpc, height + 3)
        watch.read()
        expect(watch.twice, `seed ${seed}`).toEqual([])
        expect(watch.count).toBeGreaterThan(KILLS)
        console.log(`${KILLS} kills, ${watch.count} signatures, none twice (seed ${seed})`)
      } finally {
        watch.close()
        await daemon.stop()
      }
    }, 3_600_000)
  },
)
