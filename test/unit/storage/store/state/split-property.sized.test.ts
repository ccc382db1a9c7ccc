import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { messageOf } from '../../../../../host/base/error.ts'
import type { ServedBy, StoreBackend } from '../../../../../host/storage/store/backend-choice.ts'
import { loadRocks } from '../../../../../host/storage/store/rocksdb/rocksdb-module.ts'
import type { StorageOptions } from '../../../../../host/storage/store/storage-options.ts'
import { buildCommitModule } from '../../../../support/engine/commit-module.ts'
import { makeRandom, runSeed } from '../../../../support/random.ts'
import { bySet } from '../../../../support/run/by-set.ts'
import { StoreProcess } from '../../../../support/store/store-process.ts'
import { oracleAppHashes } from '../../commit/commit-oracle.ts'
import { storageOptions, temporaryDir } from '../temporary-storage.ts'
import { changesetAt, codeHashes, MODULES } from './split-blocks.ts'
import { type ScenarioOptions, type SplitChain, SplitScenario } from './split-life.ts'
import { SplitModel } from './split-model.ts'
import { answersAt } from './state-answers.ts'

const seed = runSeed()
const BLOCKS = 80

/** Values of `ss-backend` by the database that serves them. A test run switches between the values of one row. */
const BACKENDS: Readonly<Record<ServedBy, readonly StoreBackend[]>> = {
  lmdb: ['pebbledb', 'lmdb'],
  rocksdb: ['rocksdb'],
}
const LAYOUTS = {
  'split off': { evmSplit: false },
  'split on, separate databases': { evmSplit: true, evmSeparateDbs: true },
  'split on, one database': { evmSplit: true, evmSeparateDbs: false },
} as const
type Layout = keyof typeof LAYOUTS

const WRITER = fileURLToPath(new URL('split-writer.ts', import.meta.url))
/** A kill after some heights, whatever the storage is doing. */
const ANYWHERE = { phase: 'any', occurrence: 1, milliseconds: 0, settles: false }

let wasm: string
let module: WebAssembly.Module
let chain: SplitChain

beforeAll(async () => {
  wasm = await buildCommitModule()
  module = new WebAssembly.Module(readFileSync(wasm))
  const changesets = Array.from({ length: BLOCKS }, (_, height) => changesetAt(seed, height))
  const model = new SplitModel()
  for (const changeset of changesets) model.apply(changeset)
  const answers = changesets.map(({ height }) => answersAt(model, height, codeHashes(seed, height)))
  chain = { seed, blocks: BLOCKS, model, answers, appHashes: oracleAppHashes(changesets) }
})

/** Returns why a backend cannot run here, or undefined if it can. */
function missing(backend: ServedBy): string | undefined {
  if (backend !== 'rocksdb') return undefined
  try {
    loadRocks()
    return undefined
  } catch (thrown) {
    return messageOf(thrown)
  }
}

const FAST: Layout[] = ['split on, separate databases']
const SERVED = Object.keys(BACKENDS) as ServedBy[]
const SERVED_OF_SET = bySet<readonly ServedBy[]>(['lmdb'], SERVED)
const LAYOUTS_OF_SET = bySet(FAST, Object.keys(LAYOUTS) as Layout[])

// Skipped with the reason if a backend cannot run.
for (const backend of SERVED_OF_SET) {
  const reason = missing(backend)
  const name = `backend ${backend} (${reason ?? `LOCKSTEP_SEED=${seed}`})`
  describe.skipIf(reason !== undefined)(name, () => {
    test.each(LAYOUTS_OF_SET)(
      "with %s every answer equals the model's through flushes, pruning, restarts and crashes",
      async (layout) => {
        const salt = SERVED.indexOf(backend) * 16 + Object.keys(LAYOUTS).indexOf(layout)
        await liveThrough(LAYOUTS[layout], BACKENDS[backend], makeRandom(seed + salt))
      },
      240_000,
    )
  })
}

async function liveThrough(
  layout: Partial<StorageOptions>,
  backends: readonly StoreBackend[],
  random: () => number,
): Promise<void> {
  const below = (limit: number): number => Math.floor(random() * limit)
  const options = (): ScenarioOptions => ({
    ...layout,
    backend: backends[below(backends.length)] as StoreBackend,
    flushInterval: 1 + below(9),
    keepRecent: [0, 0, 1, 5, 30][below(5)] as number,
  })
  const dir = temporaryDir()
  const killed = await new StoreProcess([process.execPath, WRITER], {
    seed,
    options: storageOptions(dir, { ...options(), keepRecent: 0, flushInterval: 3 }),
    wasm,
    blocks: BLOCKS / 2,
  }).runUntil({ ...ANYWHERE, heights: 5 + below(30) })
  const life = await SplitScenario.begin(chain, module, options(), dir)
  expect(life.height).toBeGreaterThanOrEqual(Math.max(...killed.acknowledged.keys()))
  life.expectAll()
  await life.commit()
  while (!life.isDone) {
    await life.append()
    life.readOpenRanges()
    const event = below(100)
    if (event < 3) await life.settle()
    else if (event < 5) await life.settleWhileAppending()
    else if (event < 9) await life.reopen(options())
    else if (event < 13) await life.crash(below(6), options())
    else if (event < 20) await life.commit()
    else if (event < 30) life.openRange(MODULES[below(MODULES.length)] as (typeof MODULES)[number])
    else if (event < 45) {
      life.expectAnswers([life.height, life.storage.state.earliest, below(life.height + 1)])
      life.expectBounds()
    }
  }
  life.expectAll()
  life.expectBounds()
  await life.commit()
  await life.settle()
  life.expectAll()
  await life.reopen(options())
  life.expectAll()
  await life.close()
}
