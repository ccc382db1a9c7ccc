import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError, messageOf } from '../../../base/error.ts'
import type { StateBackend, StateDatabase } from './state-backend.ts'
import { TABLES, type TableName } from './table-rows.ts'

/**
 * The separate databases of EVM data, in `data/evm_ss/`, with their tables. The marks of emptied storage are in the
 * database for rows that are neither account, code nor slot.
 */
const EVM_DATABASES: Readonly<Record<string, readonly TableName[]>> = {
  account: ['account'],
  code: ['code'],
  storage: ['storage'],
  legacy: ['cleared', 'legacy'],
}

const EVM_TABLES: readonly TableName[] = Object.values(EVM_DATABASES).flat()

/** A directory that may hold a database of the state store. */
export interface DatabaseDir {
  readonly dir: string
  readonly part: 'general' | 'evm'
  readonly tables: readonly TableName[]
}

/** Returns the databases that a member's directory may hold, whatever the split setting was. */
export function databasesIn(dir: string, part: DatabaseDir['part']): DatabaseDir[] {
  if (part === 'general') return [{ dir, part, tables: TABLES }]
  const separate = Object.entries(EVM_DATABASES).map(([name, tables]) => ({
    dir: join(dir, name),
    part,
    tables,
  }))
  return [{ dir, part, tables: EVM_TABLES }, ...separate]
}

/** The remedy in upstream's texts, verbatim: operators and their scripts search for it. */
const REMEDY = 'state sync before enabling evm-ss-split, or set evm-ss-split=false'

function refused(message: string): LockstepError {
  return new LockstepError('STORE_SPLIT_REFUSED', message)
}

/** The state store's databases: one for the general modules, up to four for EVM data. */
export interface SplitMembers {
  readonly general: StateDatabase
  /** Empty while the split is off: EVM data is then in the general member. */
  readonly evm: readonly StateDatabase[]
}

export interface SplitOptions {
  readonly backend: StateBackend
  readonly generalDir: string
  readonly evmDir: string
  readonly evmSplit: boolean
  readonly evmSeparateDbs: boolean
}

/**
 * Opens the members. With the split on, safety checks 1 and 2 of the contract may refuse; then nothing is written.
 * @throws STORE_SPLIT_REFUSED
 */
export async function openMembers(options: SplitOptions): Promise<SplitMembers> {
  const { backend, evmDir, evmSplit, evmSeparateDbs } = options
  const general = await backend.open(options.generalDir, evmSplit ? ['modules'] : TABLES)
  const evm: StateDatabase[] = []
  try {
    if (!evmSplit) return { general, evm }
    if (general.hasHistory) checkDirectory(evmDir)
    const databases: readonly (readonly [string, readonly TableName[]])[] = evmSeparateDbs
      ? Object.entries(EVM_DATABASES).map(([name, tables]) => [join(evmDir, name), tables])
      : [[evmDir, EVM_TABLES]]
    if (general.hasHistory && !databases.every(([dir]) => backend.holds(dir))) throw emptyStore()
    for (const [dir, tables] of databases) evm.push(await backend.open(dir, tables))
    if (general.hasHistory && !evm.every((database) => database.hasHistory)) throw emptyStore()
    return { general, evm }
  } catch (thrown) {
    await Promise.all([general, ...evm].map((database) => database.close()))
    throw thrown
  }
}

/** Safety check 2: an EVM store beside a general store with history must have history too. */
export function emptyStore(): LockstepError {
  return refused(`EVM SS is empty but Cosmos SS already has history; ${REMEDY}`)
}

/** Safety check 1: a general store with history needs an EVM store beside it. */
export function checkDirectory(dir: string): void {
  let entries: readonly string[]
  try {
    entries = readdirSync(dir)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw refused(`failed to inspect EVM SS directory "${dir}": ${messageOf(thrown)}`)
    }
    throw refused(
      `EVM SS directory "${dir}" does not exist but Cosmos SS already has history; ${REMEDY}`,
    )
  }
  if (entries.length === 0) {
    throw refused(`EVM SS directory "${dir}" is empty but Cosmos SS already has history; ${REMEDY}`)
  }
}

/** The heights in the write-ahead log. */
interface WalReach {
  readonly earliest: number
  readonly latest: number
}

/** Rejects an EVM member that lacks more heights than the write-ahead log has. */
export function checkEvmReach({ general, evm }: SplitMembers, wal: WalReach): void {
  const held = Math.min(...evm.map((database) => database.latest))
  if (held >= general.latest || (wal.earliest >= 0 && wal.earliest <= held + 1)) return
  throw refused(
    `EVM SS ends at height ${held} but Cosmos SS at ${general.latest}, and the write-ahead log holds ` +
      `heights ${wal.earliest} to ${wal.latest}; ${REMEDY}`,
  )
}

/** The lowest heights of the members. */
interface PruneHeights {
  readonly general: { readonly earliest: number }
  readonly evm: readonly { readonly earliest: number }[]
}

/** Safety check 3, after recovery: both members must have the same lowest height. */
export function checkPruneHeights({ general, evm }: PruneHeights): void {
  if (evm.length === 0) return
  const pruneHeight = Math.max(...evm.map((database) => database.earliest))
  if (pruneHeight !== general.earliest && (pruneHeight > 0 || general.earliest > 0)) {
    throw refused(
      `EVM SS earliest version ${pruneHeight} does not match Cosmos SS earliest version ${general.earliest}: ` +
        'state sync the EVM SS DB, or set evm-ss-split=false',
    )
  }
}
