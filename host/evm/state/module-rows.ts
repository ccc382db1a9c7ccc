import { compareBytes, concatBytes, isZero } from '../../base/bytes.ts'
import { storeOf } from '../chain-types/chain-precompile.ts'
import { STORAGE_ROW, type StateDiff } from '../engine/state-diff.ts'
import type { KeyWrite, ModuleWrites } from './changeset.ts'

/** Changes of a block, with the rows of the chain's precompiles separated from EVM slots. */
export interface RoutedChanges {
  readonly evm: StateDiff
  /** Sorted by name, each sorted by key. */
  readonly modules: readonly ModuleWrites[]
}

/**
 * Splits a block's changes as they are stored. Slots of the precompiles' accounts become rows of module stores, under
 * the same key; a zero slot becomes a deleted row.
 */
export function routeModuleRows(diff: StateDiff): RoutedChanges {
  const { storage } = diff
  const kept: Uint8Array[] = []
  const stores = new Map<string, KeyWrite[]>()
  let from = 0
  for (let at = 0; at < storage.length; at += STORAGE_ROW) {
    // Skip other addresses: only those of precompiles start with zeros.
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

/** Merges writes to stores. If two lists write the same key, the later one wins. */
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
