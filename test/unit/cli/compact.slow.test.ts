import { cpSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeHome, removeHome, runCommand, startDaemon } from '../../support/node/daemon.ts'
import { devAccount } from '../../support/node/dev-wallet.ts'
import { call } from '../../support/node/json-rpc.ts'
import { MAIN } from '../../support/node/main-file.ts'
import { mineDynamicFee, reachHeight } from '../../support/node/progress.ts'
import { startProgram } from '../../support/program.ts'
import { makeRandom, runSeed } from '../../support/random.ts'
import { until } from '../../support/until.ts'

const HEIGHT = 600
const PACE = ['--consensus.block-time', '10ms']

const home = makeHome()
const copy = makeHome()
const copies: string[] = [copy]
let balance: unknown
let latest: number

beforeAll(async () => {
  const daemon = await startDaemon({ home, arguments: PACE })
  await mineDynamicFee(daemon.ready.rpc, 0, { to: devAccount(1).address, value: 12_345n })
  await reachHeight(daemon.ready.rpc, HEIGHT)
  balance = await call(daemon.ready.rpc, 'eth_getBalance', [devAccount(1).address, 'latest'])
  expect(await daemon.stop()).toBe(0)
  cpSync(home, copy, { recursive: true })
  const { stdout } = await runCommand(['prune', '--home', home, '--keep-recent', '100000'])
  latest = Number(/^states: from height 0, now from 0 to (\d+)$/m.exec(stdout)?.[1])
  expect(latest).toBeGreaterThanOrEqual(HEIGHT)
}, 120_000)

afterAll(() => [home, ...copies].forEach(removeHome))

async function expectSound(folder: string): Promise<void> {
  const verified = await runCommand(['debug', 'verify-db', '--home', folder])
  expect(verified.stderr).toBe('')
  expect(verified.code).toBe(0)
}

/** Starts the node, and expects the balance, and blocks on top of the chain. */
async function expectContinued(folder: string): Promise<void> {
  const daemon = await startDaemon({ home: folder, arguments: PACE })
  try {
    expect(await call(daemon.ready.rpc, 'eth_getBalance', [devAccount(1).address, 'latest'])).toBe(
      balance,
    )
    await reachHeight(daemon.ready.rpc, latest + 3)
  } finally {
    expect(await daemon.stop()).toBe(0)
  }
}

test('prune deletes old states and blocks, and compact returns their space; the chain goes on', async () => {
  const pruned = await runCommand([
    ...['prune', '--home', home],
    ...['--keep-recent', '50', '--retain-blocks', '50'],
  ])
  expect(pruned.code, pruned.stderr).toBe(0)
  const state = latest - 49
  // Traces of the lowest state need the hashes of the blocks before it.
  const block = state + 1 - 256
  expect(pruned.stdout).toContain(`states: from height 0, now from ${state} to ${latest}\n`)
  expect(pruned.stdout).toContain(`blocks: from height 0, now from ${block} to ${latest}\n`)
  await expectSound(home)
  const compacted = await runCommand(['compact', '--home', home])
  expect(compacted.code, compacted.stderr).toBe(0)
  expect(compacted.stdout).toMatch(/^data\/chain\.db: .*, now .*$/m)
  expect(compacted.stdout).toMatch(/^data: .*, now .*$/m)
  await expectSound(home)
  const daemon = await startDaemon({ home, arguments: PACE })
  try {
    const { rpc } = daemon.ready
    expect(
      await call(rpc, 'eth_getBlockByNumber', [`0x${(block + 1).toString(16)}`, false]),
    ).toMatchObject({
      number: `0x${(block + 1).toString(16)}`,
    })
    const at = `0x${(state - 1).toString(16)}`
    await expect(call(rpc, 'eth_getBalance', [devAccount(1).address, at])).rejects.toThrow(
      /pruned|not available|earliest/i,
    )
  } finally {
    expect(await daemon.stop()).toBe(0)
  }
  await expectContinued(home)
})

test('prune refuses a home that keeps everything, and invalid heights', async () => {
  const all = ['--keep-recent', '0', '--retain-blocks', '0']
  expect(await runCommand(['prune', '--home', copy, ...all])).toMatchObject({
    code: 64,
    stderr:
      'Error: this home keeps all states and blocks\n' +
      'Hint: pass --keep-recent, --retain-blocks or both\n',
  })
  const { code, stderr } = await runCommand(['prune', '--home', copy, '--keep-recent', '1e3'])
  expect(code).toBe(64)
  expect(stderr).toContain('Error: --keep-recent is 1e3, not a number of heights\n')
})

const seed = runSeed()

test(`a home survives kills of prune and compact (seed ${seed})`, async () => {
  const random = makeRandom(seed)
  for (const [name, ...flags] of [
    ['prune', '--keep-recent', '50', '--retain-blocks', '50'],
    ['compact'],
    ['compact'],
    ['compact'],
  ] as const) {
    const program = startProgram([process.execPath, MAIN, name, '--home', copy, ...flags])
    // The kill hits the work on the part after the reported ones, or the end.
    const reported = Math.floor(random() * 5)
    const { process: child } = program
    await until(() => program.output().split('\n').length > reported || child.exitCode !== null)
    await program.stop('SIGKILL')
    await expectSound(copy)
  }
  const done = await runCommand(['compact', '--home', copy])
  expect(done.code, done.stderr).toBe(0)
  await expectSound(copy)
  await expectContinued(copy)
})
