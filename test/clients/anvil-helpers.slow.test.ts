import { existsSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import { ANVIL_DIFFERENCES } from '../../tools/reference/anvil-differences.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'
import { ANVIL, type Anvil, startAnvil } from '../support/peer/anvil.ts'
import {
  type AnsweredScenario,
  compareScenarios,
  describeDifference,
} from './dev-helpers/helper-comparison.ts'
import { HELPER_FAMILIES } from './dev-helpers/helper-families.ts'
import { makeScenarios, runScenario, settleAutomined } from './dev-helpers/helper-run.ts'
import { PROBE_CREATION } from './dev-helpers/helper-scenario.ts'
import { MEANT_DIFFERENCES } from './dev-helpers/meant-differences.ts'

/** Number of scenarios. Each uses the next seed. */
const SCENARIOS = 300
const SEED = Number(process.env.LOCKSTEP_SEED ?? 1)

if (!existsSync(ANVIL))
  console.log('anvil is absent: install bench/peers to compare helpers with it')

/** Rows that scenarios need not meet: whether anvil's fee history is late depends on timing, and others on the start. */
const UNMET = new Set(['feeHistoryLate', 'contentType', 'resetBaseFee', 'proofs'])

describe.skipIf(!existsSync(ANVIL))(
  `${SCENARIOS} scenarios of helper methods, compared with anvil, from seed ${SEED},`,
  () => {
    let home: string
    let daemon: Daemon
    let anvil: Anvil

    // Settings of the scenarios persist, so each attempt has fresh nodes.
    beforeEach(async () => {
      home = makeHome()
      daemon = await startDaemon({
        home,
        arguments: ['--dev.automine', 'true', '--log-level', 'warn'],
      })
      anvil = await startAnvil(31_337, ['--gas-limit', '30000000', '--hardfork', 'prague'])
    })

    afterEach(async () => {
      await anvil?.stop()
      await daemon?.stop()
      removeHome(home)
    })

    test('differ in exactly the documented ways', async () => {
      const [theirs, ours] = [anvil.url, daemon.ready.rpc]
      const runtime = await call<Hex>(theirs, 'eth_call', [{ data: PROBE_CREATION }, 'latest'])
      const answered: AnsweredScenario[] = []
      for (const scenario of makeScenarios(SCENARIOS, SEED, runtime)) {
        // anvil responds before it mines, so wait until the block is there. Lockstep needs no wait.
        const settled = (method: string, answer: Parameters<typeof settleAutomined>[2]) =>
          settleAutomined(theirs, method, answer)
        const began = performance.now()
        const [anvilAnswers, lockstep] = await Promise.all([
          runScenario(theirs, scenario, settled),
          runScenario(ours, scenario),
        ])
        const seconds = (performance.now() - began) / 1000
        answered.push({ scenario, anvil: anvilAnswers, lockstep, seconds })
      }
      expect(new Set(answered.map(({ scenario }) => scenario.family))).toEqual(
        new Set(Object.keys(HELPER_FAMILIES)),
      )
      const { met, unmeant } = compareScenarios(answered, MEANT_DIFFERENCES)
      expect(unmeant.map(describeDifference)).toEqual([])
      const rows = Object.keys(ANVIL_DIFFERENCES).filter((row) => !UNMET.has(row))
      expect([...met.keys()]).toEqual(expect.arrayContaining(rows))
    }, 300_000)
  },
)
