import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import {
  type LmdbCommitter,
  openCommitter,
} from '../../../../../host/storage/commit/lmdb-committer.ts'
import type { NodeStorage } from '../../../../../host/storage/store/node-storage.ts'
import type { StorageOptions } from '../../../../../host/storage/store/storage-options.ts'
import { buildCommitModule } from '../../../../support/engine/commit-module.ts'
import {
  address,
  type BlockChanges,
  blockRecord,
  codeHashOf,
  slot,
  word,
} from '../chain/block-records.ts'
import { ACCOUNTS, CODES, chain, KEYS, MODULES, SLOTS } from '../random-blocks.ts'
import { openAt, temporaryDir } from '../temporary-storage.ts'

let module: WebAssembly.Module

beforeAll(async () => {
  module = new WebAssembly.Module(readFileSync(await buildCommitModule()))
})

/** The whole state after one height, in plain maps. */
interface Model {
  readonly accounts: Map<number, Uint8Array>
  readonly storage: Map<string, number>
  readonly codes: Set<number>
  readonly keys: Map<string, Uint8Array>
}

function applyModel(before: Model | undefined, changes: BlockChanges): Model {
  const accounts = new Map(before?.accounts)
  const storage = new Map(before?.storage)
  const codes = new Set(before?.codes)
  const keys = new Map(before?.keys)
  for (const [n, record] of changes.accounts ?? []) {
    if (record === undefined) accounts.delete(n)
    else accounts.set(n, record)
  }
  for (const n of changes.cleared ?? []) {
    for (let s = 0; s < SLOTS; s++) storage.delete(`${n}/${s}`)
  }
  for (const [n, s, value] of changes.storage ?? []) {
    if (value === 0) storage.delete(`${n}/${s}`)
    else storage.set(`${n}/${s}`, value)
  }
  for (const code of changes.codes ?? []) codes.add(CODES.indexOf(code))
  const stores = [...(changes.modules ?? []), { module: 'legacy', writes: changes.legacy ?? [] }]
  for (const { module, writes } of stores) {
    for (const { key, value } of writes) {
      const name = `${module}/${Buffer.from(key).toString('latin1')}`
      if (value === undefined) keys.delete(name)
      else keys.set(name, value)
    }
  }
  return { accounts, storage, codes, keys }
}

function expectState(storage: NodeStorage, models: readonly Model[], earliest: number): void {
  for (let height = earliest; height < models.length; height++) {
    const model = models[height] as Model
    const view = storage.state.view(height)
    for (let n = 0; n < ACCOUNTS; n++) {
      expect(view.account(address(n)), `account ${n} at ${height}`).toEqual(model.accounts.get(n))
      for (let s = 0; s < SLOTS; s++) {
        const value = model.storage.get(`${n}/${s}`)
        expect(view.storage(address(n), slot(s)), `slot ${n}/${s} at ${height}`).toEqual(
          value === undefined ? undefined : word(value),
        )
      }
    }
    for (const code of model.codes) {
      const bytes = CODES[code] as Uint8Array
      expect(view.code(codeHashOf(bytes))).toEqual(bytes)
    }
    for (const key of KEYS) {
      const name = Buffer.from(key).toString('latin1')
      expect(storage.state.legacy(key, height)).toEqual(model.keys.get(`legacy/${name}`))
    }
    for (const module of MODULES) {
      const store = storage.state.module(module)
      const rows = [...model.keys].filter(([name]) => name.startsWith(`${module}/`))
      rows.sort(([a], [b]) => (a < b ? -1 : 1))
      const expected = rows.map(([name, value]) => ({
        key: Uint8Array.from(Buffer.from(name.slice(module.length + 1), 'latin1')),
        value,
      }))
      const plain = (row: { key: Uint8Array; value: Uint8Array }) => ({
        key: Uint8Array.from(row.key),
        value: Uint8Array.from(row.value),
      })
      expect([...store.range({ height })].map(plain)).toEqual(expected)
      expect([...store.range({ height, reverse: true })].map(plain)).toEqual(expected.toReversed())
    }
  }
}

/** Options of a run and its flush interval: the same blocks, laid out in different tables. */
interface Layout {
  readonly options: Partial<StorageOptions>
  readonly reopenEvery: number
}

const LAYOUTS: readonly Layout[] = [
  { options: { evmSplit: false, flushInterval: 1 }, reopenEvery: 5 },
  { options: { evmSplit: false, flushInterval: 1000, backend: 'pebbledb' }, reopenEvery: 1000 },
  { options: { evmSplit: true, evmSeparateDbs: true, flushInterval: 3 }, reopenEvery: 4 },
  { options: { evmSplit: true, evmSeparateDbs: false, flushInterval: 2 }, reopenEvery: 1000 },
]

async function runChain(
  layout: Layout,
  blocks: readonly BlockChanges[],
  models: readonly Model[],
): Promise<string[]> {
  const dir = temporaryDir()
  const open = async (): Promise<[NodeStorage, LmdbCommitter]> => [
    await openAt(dir, layout.options),
    await openCommitter({ dir: join(dir, 'committer.db'), module }),
  ]
  let [storage, committer] = await open()
  const hashes: string[] = []
  for (const [height, changes] of blocks.entries()) {
    const record = blockRecord(height, changes, height % 3)
    const staged = await committer.stage(record.changeset)
    await storage.append(record)
    await committer.commit()
    hashes.push(Buffer.from(staged).toString('hex'))
    if (height % layout.reopenEvery !== layout.reopenEvery - 1) continue
    await storage.close()
    await committer.close()
    ;[storage, committer] = await open()
    expect(committer.version).toBe(height)
    expect(Buffer.from(committer.appHash).toString('hex')).toBe(hashes[height])
  }
  expectState(storage, models, 0)
  await storage.close()
  storage = await openAt(dir, layout.options)
  expectState(storage, models, 0)
  await storage.close()
  await committer.close()
  return hashes
}

test('every layout returns what a plain model returns, with the same app hashes', async () => {
  await fc.assert(
    fc.asyncProperty(chain, async (blocks) => {
      const models: Model[] = []
      for (const changes of blocks) models.push(applyModel(models.at(-1), changes))
      let hashes: string[] | undefined
      for (const layout of LAYOUTS) {
        const run = await runChain(layout, blocks, models)
        hashes ??= run
        expect(run).toEqual(hashes)
      }
    }),
    { numRuns: 6 },
  )
}, 300_000)
