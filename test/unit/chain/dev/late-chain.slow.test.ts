import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ChainClock, SECOND } from '../../../../host/chain/dev/chain-clock.ts'
import { type DrivenHome, makeDevHome, openDriven } from './driven-home.ts'

// A slow test, because slow test files run in their own processes: elsewhere the mocked module may be loaded already.

/** If true, times past the year 9999 are accepted, as in 0.1.0. */
const old = vi.hoisted(() => ({ isOld: false }))

vi.mock('../../../../host/base/time.ts', async (load) => {
  const time = await load<typeof import('../../../../host/base/time.ts')>()
  return { ...time, hasYear: (at: bigint) => old.isOld || time.hasYear(at) }
})

const latest = ({ stores }: DrivenHome) => {
  const { chain } = stores.amended
  return [chain.latest, chain.header(chain.latest)?.timestamp]
}

test('a chain that release 0.1.0 took past the year 9999 starts, and continues after that block is removed', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'lockstep-damaged-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  await makeDevHome(dir)
  const damaged = await openDriven(dir)
  await damaged.dev.mine({ blocks: 1 })
  old.isOld = true
  const time = (2n ** 53n + 1_700_000_001n) * SECOND
  const nextTime = vi.spyOn(ChainClock.prototype, 'nextTime').mockReturnValue(time)
  try {
    await damaged.dev.mine({ blocks: 1 })
  } finally {
    nextTime.mockRestore()
    old.isOld = false
  }
  await damaged.close()

  const opened = await openDriven(dir)
  try {
    // The nearest double, which the engine received as well.
    expect(latest(opened)).toEqual([2, Number(time / SECOND)])
    await expect(opened.dev.mine({ blocks: 1 })).rejects.toThrow('is too large')
    await opened.dev.rollback(1)
    await opened.dev.mine({ blocks: 2 })
    expect(latest(opened)[0]).toBe(3)
  } finally {
    await opened.close()
  }
})
