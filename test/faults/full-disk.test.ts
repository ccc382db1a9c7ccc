import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import type { StorageOptions } from '../../host/storage/store/storage-options.ts'
import { buildCommitModule } from '../support/engine/commit-module.ts'
import { makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount, signDynamicFee } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'
import { minedReceipt, reachHeight } from '../support/node/progress.ts'
import { noSmallDisk, SmallDisk } from '../support/store/small-disk.ts'
import { StoreProcess } from '../support/store/store-process.ts'
import { changesetAt, codeHashes } from '../unit/storage/store/state/split-blocks.ts'
import { SplitModel } from '../unit/storage/store/state/split-model.ts'
import type { SplitWriterReport } from '../unit/storage/store/state/split-writer.ts'
import { digestAt } from '../unit/storage/store/state/state-answers.ts'
import type { FullDiskStep, FullDiskTask } from './process/full-disk-writer.ts'

const WRITER = fileURLToPath(new URL('process/full-disk-writer.ts', import.meta.url))
const READER = fileURLToPath(
  new URL('../unit/storage/store/state/split-writer.ts', import.meta.url),
)
const SEED = 4
/** At the last one, a process that opens the store reads all heights. */
const HEIGHTS = 43
const REMEDY = 'free disk space and start again'

/** Why tests that need a small disk are skipped. */
const reason = noSmallDisk()

function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'lockstep-full-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

async function smallDisk(dir: string, mebibytes: number): Promise<SmallDisk> {
  const disk = await SmallDisk.mount(dir, mebibytes)
  onTestFinished(() => disk.unmount())
  return disk
}

function optionsAt(dir: string, changes: Partial<StorageOptions> = {}): StorageOptions {
  return {
    dir,
    backend: 'lmdb',
    evmSplit: true,
    evmSeparateDbs: true,
    keepRecent: 0,
    retainBlocks: 0,
    // Flushes only on request
    flushInterval: 1000,
    ...changes,
  }
}

/** Runs the writer to its end. `fill` is called between its appends and the steps after them. */
async function write(
  task: FullDiskTask,
  before: readonly string[],
  fill: () => void,
): Promise<{ steps: FullDiskStep[]; code: number | null; signal: string | null; errors: string }> {
  const [program = '', ...args] = [...before, process.execPath, WRITER, JSON.stringify(task)]
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  let output = ''
  let errors = ''
  child.stdout.on('data', (data) => {
    if (output === '') {
      fill()
      child.stdin.write('\n')
    }
    output += data
  })
  child.stderr.on('data', (data) => {
    errors += data
  })
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.on('close', (...ended) => resolve(ended))
  })
  const lines = output.split('\n').filter((line) => line !== '')
  return { steps: lines.map((line) => JSON.parse(line) as FullDiskStep), code, signal, errors }
}

/** Returns what a new process finds. */
async function openAgain(
  options: StorageOptions,
  before: readonly string[],
): Promise<SplitWriterReport | undefined> {
  const task = { seed: SEED, options, wasm: await buildCommitModule() }
  const store = new StoreProcess([...before, process.execPath, READER], task)
  const { found } = await store.runUntil({
    phase: 'none',
    occurrence: 1,
    milliseconds: 0,
    settles: true,
    heights: 3,
  })
  return found
}

/** Expects that every acknowledged block is there and every read is correct. */
function expectWhole(found: SplitWriterReport | undefined, acknowledged: number): void {
  const latest = found?.latest[0] as number
  expect(found).toMatchObject({ latest: [latest, latest, latest], earliest: 0, wrongBlocks: [] })
  expect([acknowledged, acknowledged + 1]).toContain(latest)
  const model = new SplitModel()
  for (let height = 0; height <= latest; height++) model.apply(changesetAt(SEED, height))
  for (const [height, digest] of found?.digests ?? []) {
    expect(digest, `height ${height}`).toBe(digestAt(model, height, codeHashes(SEED, height)))
  }
}

const stepsOf = (steps: readonly FullDiskStep[]) => new Map(steps.map((each) => [each.step, each]))

describe.skipIf(reason !== undefined)(`a node on a full disk (${reason ?? 'a real one'})`, () => {
  test('accepts no block after the reserve is reached, and loses none', async () => {
    const dir = temporaryDir()
    const disk = await smallDisk(dir, 160)
    const task = { seed: SEED, options: optionsAt(dir), heights: HEIGHTS }
    const { steps, code, signal, errors } = await write(task, disk.command, () => disk.fillTo(64))
    expect([code, signal, errors]).toEqual([0, null, ''])
    const acknowledged = HEIGHTS - 1
    const full = {
      step: 'next',
      acknowledged,
      code: 'STORE_FULL',
      message: expect.stringMatching(/^disk full: \/.* has 6\d MiB free, 128 MiB are needed$/),
      hint: REMEDY,
    }
    // The accepted blocks are flushed, for which the reserve exists.
    expect(steps).toEqual([
      { step: 'append', acknowledged },
      { step: 'settle', acknowledged },
      full,
      { step: 'close', acknowledged },
    ])
    disk.free()
    expectWhole(await openAgain(task.options, disk.command), acknowledged)
  }, 60_000)

  test.each([
    ['split on', { evmSplit: true }],
    ['split off', { evmSplit: false }],
  ])(
    'aborts a flush for which there is no space, and has every block after the next start (%s)',
    async (_, layout) => {
      const dir = temporaryDir()
      const disk = await smallDisk(dir, 160)
      const task = { seed: SEED, options: optionsAt(dir, layout), heights: HEIGHTS }
      const { steps, code, signal, errors } = await write(task, disk.command, () => disk.fillTo(0))
      expect([code, signal, errors]).toEqual([0, null, ''])
      const ended = stepsOf(steps)
      expect(ended.get('append')).toEqual({ step: 'append', acknowledged: HEIGHTS - 1 })
      for (const step of ['settle', 'next'] as const) {
        expect(ended.get(step)).toMatchObject({
          code: 'STORE_FULL',
          message: expect.stringMatching(/^disk full: \//),
          hint: REMEDY,
        })
      }
      // It cannot flush. It must close, with or without the error.
      expect([undefined, 'STORE_FULL']).toContain(ended.get('close')?.code)
      disk.free()
      expectWhole(await openAgain(task.options, disk.command), HEIGHTS - 1)
    },
    60_000,
  )

  test('stops cleanly with the remedy, and continues after space is freed', async () => {
    const home = makeHome()
    onTestFinished(() => removeHome(home))
    mkdirSync(join(home, 'data'))
    const disk = await smallDisk(join(home, 'data'), 192)
    const options = {
      home,
      before: disk.command,
      arguments: [
        ...['--consensus.block-time', '20ms', '--consensus.create-empty-blocks', 'true'],
        ...['--state-store.evm-ss-split', 'true'],
      ],
    }
    const daemon = await startDaemon(options)
    const raw = await signDynamicFee(0, { nonce: 0, to: devAccount(1).address, value: 1n })
    const hash = await call<Hex>(daemon.ready.rpc, 'eth_sendRawTransaction', [raw])
    const receipt = await minedReceipt(daemon.ready.rpc, hash)
    const height = Number(await call<Hex>(daemon.ready.rpc, 'eth_blockNumber'))
    const ended = new Promise((resolve) => daemon.process.on('close', resolve))
    disk.fillTo(100)
    expect(await ended, daemon.output()).toBe(74)
    expect(daemon.output()).toMatch(/disk full: \/.* has \d+ MiB free, 128 MiB are needed/)
    expect(daemon.output()).toContain(`Hint: ${REMEDY}`)
    expect(daemon.output()).not.toContain('    at ')
    disk.free()
    const again = await startDaemon(options)
    const { rpc } = again.ready
    expect(await call(rpc, 'eth_getTransactionReceipt', [hash])).toEqual(receipt)
    await reachHeight(rpc, height + 5)
    expect(await again.stop(), again.output()).toBe(0)
  }, 60_000)
})

test('a write-ahead log that cannot grow accepts no block and loses none', async () => {
  const dir = temporaryDir()
  const options = optionsAt(dir)
  // In blocks of 512 bytes: no file grows beyond 192 KiB.
  const limited = ['sh', '-c', 'ulimit -f 384 && exec "$@"', 'sh']
  const { steps, code, signal, errors } = await write(
    { seed: SEED, options, heights: 400 },
    limited,
    () => {},
  )
  expect([code, signal, errors]).toEqual([0, null, ''])
  const ended = stepsOf(steps)
  expect(ended.get('append')).toMatchObject({
    code: 'STORE_FULL',
    message: expect.stringMatching(/^disk full: \/.*\/wal: EFBIG/),
    hint: REMEDY,
  })
  expect(ended.get('next')).toMatchObject({ code: 'STORE_FULL' })
  const { acknowledged } = ended.get('close') as FullDiskStep
  expect(acknowledged).toBeGreaterThan(3)
  expect(acknowledged).toBeLessThan(399)
  expectWhole(await openAgain(options, []), acknowledged)
}, 60_000)
