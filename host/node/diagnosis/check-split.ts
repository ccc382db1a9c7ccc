import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ERRORS } from '../../base/error-table.ts'
import { generalDir, servedBy } from '../../storage/store/backend-choice.ts'
import { EVM_MARKER } from '../../storage/store/state/evm-gap.ts'
import {
  checkDirectory,
  checkPruneHeights,
  databasesIn,
  emptyStore,
} from '../../storage/store/state/split.ts'
import { thrownFinding } from './check-home.ts'
import { markerOf } from './check-stores.ts'
import { type Finding, warning } from './finding.ts'
import type { HomeFacts } from './home-facts.ts'

/** Runs the three safety checks of the split store, and reports leftovers of a disabled split. */
export function checkSplit({ home, inspected, process: pid }: HomeFacts): readonly Finding[] {
  const { ssBackend, evmSsSplit } = inspected.config.stateStore
  const { directory, evmState } = home.data
  // RocksDB heights need a package that may not be installed.
  if (servedBy(ssBackend) === 'rocksdb') return []
  const isRunning = pid !== undefined
  const heights = (dir: string): { readonly latest: number; readonly earliest: number } => ({
    latest: markerOf(dir, 'latest', isRunning) ?? -1,
    earliest: markerOf(dir, 'earliest', isRunning) ?? -1,
  })
  try {
    const generalPath = generalDir(directory, ssBackend)
    const general = heights(generalPath)
    if (general.latest <= 0 && general.earliest <= 0) return []
    if (!evmSsSplit) {
      const held = markerOf(generalPath, EVM_MARKER, isRunning) ?? -1
      const hasStore = existsSync(evmState) && readdirSync(evmState).length > 0
      if (!hasStore) return []
      const missing =
        held < general.latest ? '; EVM state written while the split was on is missing' : ''
      return [
        warning(
          'split',
          `evm-ss-split is false, but ${evmState} still exists${missing}`,
          `delete ${evmState} if the split is to stay off, or set evm-ss-split = true again`,
        ),
      ]
    }
    checkDirectory(evmState)
    const evm = databasesIn(evmState, 'evm')
      .map(({ dir }) => dir)
      .filter((dir) => existsSync(join(dir, 'data.mdb')))
      .map(heights)
    const isEmpty =
      evm.length === 0 || evm.some(({ latest, earliest }) => latest <= 0 && earliest <= 0)
    if (isEmpty) throw emptyStore()
    checkPruneHeights({ general, evm })
    return []
  } catch (thrown) {
    const isSplit = (thrown as { code?: unknown }).code === 'STORE_SPLIT_REFUSED'
    // The stores check reports an unreadable store.
    if (!isSplit) return []
    return [{ ...thrownFinding('split', thrown), remedy: ERRORS.STORE_SPLIT_REFUSED.remedy }]
  }
}
