import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  readProgress,
  refuseUnfinishedImport,
} from '../../../../host/chain/snapshot/import-progress.ts'
import { type ListedSnapshot, listSnapshots } from '../../../../host/chain/snapshot/snapshot-dir.ts'
import { verifySnapshot } from '../../../../host/chain/snapshot/verify-snapshot.ts'
import { CommitHasher } from '../../../../host/storage/commit/hash/commit-hasher.ts'
import { buildCommitModule } from '../../../support/engine/commit-module.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'
import { genesis, RandomChain } from './random-chain.ts'
import { makeDir, makeSnapshot, removeDir, SEPARATE, SnapshotHome } from './snapshot-home.ts'
import { stateOf } from './state-of.ts'

const HEIGHT = 40
/** Number of kills of each kind. */
const KILLS = Number(process.env.LOCKSTEP_KILLS ?? 10)
const CHILD = fileURLToPath(new URL('snapshot-child.ts', import.meta.url))
const seed = runSeed()

const root = makeDir()
afterAll(() => removeDir(root))

let wasm: string
let module: WebAssembly.Module
let snapshot: ListedSnapshot
/** The state that was exported. */
let state: unknown

beforeAll(async () => {
  wasm = await buildCommitModule()
  module = new WebAssembly.Module(readFileSync(wasm))
  const chain = new RandomChain(seed, new CommitHasher(module))
  snapshot = await makeSnapshot(`${root}/home`, chain, HEIGHT, module, 4096)
  expect(snapshot.metadata.chunks.length).toBeGreaterThan(15)
  const home = await SnapshotHome.open(`${root}/home`, SEPARATE, module)
  state = stateOf(home, HEIGHT)
  await home.close()
})

interface Run {
  readonly steps: readonly string[]
  readonly killed: boolean
}

/** Runs the child process and kills it `delay` milliseconds after it has printed `after` steps. */
async function run(args: readonly string[], after: number, delay: number): Promise<Run> {
  const child = spawn(process.execPath, [CHILD, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let errors = ''
  let isDoomed = false
  child.stderr.on('data', (data: Buffer) => {
    errors += data
  })
  child.stdout.on('data', (data: Buffer) => {
    output += data
    if (isDoomed || output.split('\n').length <= after) return
    isDoomed = true
    setTimeout(() => child.kill('SIGKILL'), delay)
  })
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.on('close', (...ended) => resolve(ended))
  })
  if (signal === null) expect({ code, errors }).toMatchObject({ code: 0 })
  const steps = output.slice(0, output.lastIndexOf('\n')).split('\n')
  return { steps, killed: signal === 'SIGKILL' }
}

test(`${KILLS} kills of an export leave no snapshot that looks complete (LOCKSTEP_SEED=${seed})`, async () => {
  const random = makeRandom(seed)
  const chain = new RandomChain(seed, new CommitHasher(module))
  const made = await makeSnapshot(`${root}/exporter`, chain, HEIGHT, module, 4096)
  const folder = `${root}/exporter/snapshots`
  removeDir(made.dir)
  let kills = 0
  for (let runs = 0; kills < KILLS && runs < 4 * KILLS; runs++) {
    const after = 1 + Math.floor(random() * made.metadata.chunks.length)
    const { killed, steps } = await run(['export', `${root}/exporter`], after, random() * 8)
    if (killed) kills++
    const [complete, ...others] = listSnapshots(folder)
    expect(others).toEqual([])
    if (steps.includes('done')) expect(complete).toBeDefined()
    if (complete === undefined) continue
    // The same bytes as those of an export that was not interrupted.
    expect(complete.metadata).toEqual(made.metadata)
    await verifySnapshot({ dir: complete.dir, hasher: new CommitHasher(module), genesis })
    removeDir(complete.dir)
  }
  expect(kills).toBe(KILLS)
  expect((await run(['export', `${root}/exporter`], Number.MAX_SAFE_INTEGER, 0)).killed).toBe(false)
  expect(readdirSync(folder)).toEqual([String(HEIGHT)])
  expect(listSnapshots(folder)[0]?.metadata).toEqual(snapshot.metadata)
}, 600_000)

test(`${KILLS} kills of an import lead to the same chain (LOCKSTEP_SEED=${seed})`, async () => {
  const random = makeRandom(seed + 1)
  // The steps besides the chunks: begins, proving, loading, done, and after a restart resumed.
  const steps = snapshot.metadata.chunks.length + 4
  let kills = 0
  let resumed = 0
  for (let home = 0; kills < KILLS; home++) {
    const to = `${root}/importer-${home}`
    for (let isDone = false; !isDone; ) {
      const after = kills < KILLS ? 1 + Math.floor(random() * steps) : Number.MAX_SAFE_INTEGER
      const ran = await run(['import', snapshot.dir, to, wasm], after, random() * 8)
      if (ran.killed) kills++
      if (ran.steps.includes('resumed')) resumed++
      isDone = existsSync(to) && existsSync(`${to}/committer.db`) && readProgress(to) === undefined
      if (!isDone && readProgress(to) !== undefined) {
        expect(() => refuseUnfinishedImport(to)).toThrow('is not finished')
      }
      expect(ran.killed || isDone).toBe(true)
    }
    const imported = await SnapshotHome.open(to, SEPARATE, module)
    const appHash = Buffer.from(imported.committer.appHash).toString('hex')
    expect(appHash).toBe(snapshot.metadata.appHash)
    expect(stateOf(imported, HEIGHT)).toEqual(state)
    expect(imported.decided.height).toBe(HEIGHT)
    await imported.close()
    removeDir(to)
  }
  expect(resumed).toBeGreaterThan(0)
}, 600_000)
