import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { chooseBackend, evmDir, generalDir, type StoreBackend } from './backend-choice.ts'
import { databasesIn } from './state/split.ts'
import { StoreThread } from './thread/store-thread.ts'

/** The disk space of one part of a data folder. */
export interface PartSize {
  /** `general` and `evm` are the members of the state store. */
  readonly part: 'general' | 'evm' | 'data'
  /** The table, or the directory below `data`. */
  readonly name: string
  /** Versions stored; undefined if the part is not a table of the state store. */
  readonly rows: number | undefined
  readonly bytes: number
}

/** Directories below `data` that hold no tables of the state store. */
const OTHERS = [
  'committer.db',
  'chain.db',
  'tx_index.db',
  'log_index.db',
  'event_index.db',
  'address_index.db',
  'blockstore.db',
  'wal',
]

/** Measures the data folder of a stopped node and creates nothing. The caller holds the home's lock. */
export async function measureData(data: string, ssBackend: StoreBackend): Promise<PartSize[]> {
  const sizes: PartSize[] = []
  const thread = new StoreThread()
  const backend = await chooseBackend(ssBackend, thread, () => {})
  const databases = [
    ...databasesIn(generalDir(data, ssBackend), 'general'),
    ...databasesIn(evmDir(data), 'evm'),
  ]
  try {
    for (const { dir, part, tables } of databases) {
      if (!backend.holds(dir)) continue
      const database = await backend.open(dir, tables)
      for (const name of tables) {
        const { rows, bytes } = database.table(name).size()
        if (rows > 0) sizes.push({ part, name, rows, bytes })
      }
      await database.close()
    }
  } finally {
    await thread.close()
    await backend.close()
  }
  for (const name of OTHERS) {
    const dir = join(data, name)
    if (existsSync(dir)) sizes.push({ part: 'data', name, rows: undefined, bytes: bytesIn(dir) })
  }
  return sizes
}

function bytesIn(dir: string): number {
  let bytes = 0
  for (const name of readdirSync(dir)) bytes += statSync(join(dir, name)).size
  return bytes
}
