import { compareBytes, concatBytes, isZero } from '../../base/bytes.ts'
import { storeOf } from '../chain-types/chain-precompile.ts'
import { STORAGE_ROW, type StateDiff } from '../engine/state-diff.ts'
import type { KeyWrite, ModuleWrites } from './changeset.ts'

/** Changes with the rows of the chain's precompiles taken out of the EVM's slots. */
export interface RoutedChanges {
  readonly evm: StateDiff
  /** Sorted by name, and each by key. */
  readonly modules: readonly ModuleWrites[]
}

/**
 * The changes of a block as they are stored: slots of the precompiles' accounts are rows of module stores, under the
 * slot's key, and a slot that is zero is a row that is deleted.
 */
export function routeModuleRows(diff: StateDiff): RoutedChanges {
  const { storage } = diff
  const kept: Uint8Array[] = []
  const stores = new Map<string, KeyWrite[]>()
  let from = 0
  for (let at = 0; at < storage.length; at += STORAGE_ROW) {
    // Every address but those of precompiles has something here
    if (storage[at] !== 0 || storage[at + 1] !== 0) continue
    const row = storage.subarray(at, at + STORAGE_ROW)
    const store = storeOf(row.subarray(0, 20))
    if (store === undefined) continue
    kept.push(storage.subarray(from, at))
    from = at + STORAGE_ROW
    const value = row.slice(52)
    const writes = stores.get(store) ?? []
    writes.push({ key: row.slice(20, 52), value: isZero(value) ? undefined : value })
    stores.set(store, writes)
  }
  if (stores.size === 0) return { evm: diff, modules: [] }
  kept.push(storage.subarray(from))
  return { evm: { ...diff, storage: concatBytes(kept) }, modules: sortModules(stores) }
}

/** Writes to stores together; where two write one key, the later of the lists counts. */
export function mergeModules(...lists: readonly (readonly ModuleWrites[])[]): ModuleWrites[] {
  const stores = new Map<string, KeyWrite[]>()
  for (const { module, writes } of lists.flat()) {
    stores.set(module, [...(stores.get(module) ?? []), ...writes])
  }
  return sortModules(stores)
}

function sortModules(stores: ReadonlyMap<string, readonly KeyWrite[]>): ModuleWrites[] {
  return Array.from(stores, ([module, writes]) => ({ module, writes: sortWrites(writes) })).sort(
    (a, b) => (a.module < b.module ? -1 : 1),
  )
}

function sortWrites(writes: readonly KeyWrite[]): KeyWrite[] {
  const sorted = [...writes].sort((a, b) => compareBytes(a.key, b.key))
  return sorted.filter((write, i) => {
    const next = sorted[i + 1]
    return next === undefined || compareBytes(write.key, next.key) !== 0
  })
}
