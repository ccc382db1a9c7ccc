import { LockstepError } from '../../base/error.ts'
import { chooseBackend, evmDir, generalDir, type StoreBackend } from './backend-choice.ts'
import { decodeOrderedPart } from './codec/ordered-key.ts'
import { databasesIn } from './state/split.ts'
import { decodeLive, TABLES, type TableName } from './state/table-rows.ts'
import { StoreThread } from './thread/store-thread.ts'

/** One version of a key. */
export interface DumpedRow {
  readonly store: TableName
  /** Undefined if the store holds only EVM data. */
  readonly module: string | undefined
  readonly key: Uint8Array
  /** Undefined if the height deleted the key. */
  readonly value: Uint8Array | undefined
  readonly height: number
}

export interface StateRowFilter {
  readonly store?: string
  readonly module?: string
}

/** The configuration that determines where the rows are. */
export interface StateDumpOptions {
  readonly ssBackend: StoreBackend
  readonly evmSsSplit: boolean
}

/** Above every row key. */
const END = new Uint8Array(2048).fill(0xff)

/** The end of a part of an encoded key. */
const PART_END = Buffer.from([0, 1])

/**
 * Yields all versions that the state store of a stopped node has on disk, key by key, the latest version first. One
 * row is in memory at a time.
 * @throws INVALID_ARGUMENT if the store does not exist, STORE_CORRUPTED
 */
export async function* dumpStateRows(
  dataDir: string,
  { ssBackend, evmSsSplit }: StateDumpOptions,
  filter: StateRowFilter,
): AsyncGenerator<DumpedRow, void> {
  const stores = chooseStores(filter)
  const thread = new StoreThread()
  const backend = await chooseBackend(ssBackend, thread, () => {})
  const memberOf = (name: TableName): 'general' | 'evm' =>
    evmSsSplit && name !== 'modules' ? 'evm' : 'general'
  try {
    for (const part of ['general', 'evm'] as const) {
      const folder = part === 'general' ? generalDir(dataDir, ssBackend) : evmDir(dataDir)
      for (const { dir, tables } of databasesIn(folder, part)) {
        if (!backend.holds(dir)) continue
        // EVM data lies in one member; the other's EVM rows are from an earlier split setting.
        const wanted = tables.filter((name) => stores.includes(name) && memberOf(name) === part)
        if (wanted.length === 0) continue
        const database = await backend.open(dir, tables)
        try {
          for (const name of wanted) {
            const table = database.table(name)
            for (const encoded of table.keys(new Uint8Array(0), END, false)) {
              for (let height = Number.MAX_SAFE_INTEGER; height >= 0; height--) {
                const version = table.find(encoded, height)
                if (version === undefined) break
                height = version.height
                const row = decodeRow(name, encoded, version.value)
                if (filter.module === undefined || row.module === filter.module) {
                  yield { ...row, height }
                }
              }
            }
          }
        } finally {
          await database.close()
        }
      }
    }
  } finally {
    await thread.close()
    await backend.close()
  }
}

function chooseStores({ store, module }: StateRowFilter): readonly TableName[] {
  if (store === undefined) {
    return module === undefined ? TABLES : [module === 'evm' ? 'legacy' : 'modules']
  }
  const name = TABLES.find((each) => each === store)
  if (name !== undefined) return [name]
  throw new LockstepError('INVALID_ARGUMENT', `--store: there is no store ${store}`, {
    hint: `name one of ${TABLES.join(', ')}`,
  })
}

function decodeRow(
  store: TableName,
  encoded: Uint8Array,
  stored: Uint8Array,
): Omit<DumpedRow, 'height'> {
  if (store !== 'modules' && store !== 'legacy') {
    const value = stored.length === 0 ? undefined : stored
    return { store, module: undefined, key: encoded, value }
  }
  const moduleEnd = Buffer.from(encoded).indexOf(PART_END) + PART_END.length
  const module = Buffer.from(decodeOrderedPart(encoded, 0)).toString()
  return { store, module, key: decodeOrderedPart(encoded, moduleEnd), value: decodeLive(stored) }
}
