import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/schema.ts'
import { chooseBackend, evmDir, generalDir } from '../../store/backend-choice.ts'
import { databasesIn } from '../../store/state/split.ts'
import { StoreThread } from '../../store/thread/store-thread.ts'
import type { Home } from './home.ts'

/** What one part of a home takes on disk. */
export interface PartSize {
  /** `general` and `evm` are the members of the state store. */
  readonly part: 'general' | 'evm' | 'data'
  /** The table, or the directory below `data`. */
  readonly name: string
  /** Versions held; undefined for what is no table of the state store. */
  readonly rows: number | undefined
  readonly bytes: number
}

/** Directories below `data` that hold no tables of the state store. */
const OTHERS = ['committer.db', 'chain.db', 'tx_index.db', 'log_index.db', 'blockstore.db', 'wal']

/** Measures a stopped home: opens only what is there. The caller holds its lock. */
export async function measureHome(home: Home, config: Config): Promise<PartSize[]> {
  const sizes: PartSize[] = []
  const thread = new StoreThread()
  const backend = await chooseBackend(config.stateStore.ssBackend, thread, () => {})
  const data = home.data.directory
  const databases = [
    ...databasesIn(generalDir(data, config.stateStore.ssBackend), 'general'),
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
