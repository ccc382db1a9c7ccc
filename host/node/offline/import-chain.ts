import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { renderConfigFile } from '../../base/config/config-file.ts'
import type { Config } from '../../base/config/schema.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import type { Logger } from '../../base/log/logger.ts'
import { readBlocks } from '../../chain/consensus/import/block-file.ts'
import { writeFileAtomic } from '../../chain/consensus/validator/atomic-file.ts'
import { decodeEthereumGenesis } from '../../evm/execute/ethereum/genesis.ts'
import { Disposables } from '../disposables.ts'
import type { Home } from '../home/home.ts'
import { ARCHIVE_CONFIG } from '../home/new-home-config.ts'
import { openImport } from '../open/open-imported.ts'
import { openHomeStorage } from '../open/open-stores.ts'

/** Progress of an import. */
export interface ChainImportProgress {
  /** Blocks of the file that were imported, and those already stored. */
  imported: number
  known: number
  /** Height of the latest stored block. */
  height: number
  /** Bytes of the file read. */
  bytes: number
}

export interface ChainImportOptions {
  readonly home: Home
  readonly config: Config
  readonly logger: Logger
  /** RLP file of blocks. */
  readonly file: string
  /** geth's genesis.json; undefined for the home's own. */
  readonly genesis: string | undefined
  /** Called after each block and awaited; an error it throws aborts the import. */
  readonly onProgress: (progress: ChainImportProgress) => Promise<void> | undefined
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new LockstepError('INVALID_ARGUMENT', `cannot read ${path}: ${messageOf(cause)}`, {
      cause,
    })
  }
}

/** Returns the genesis of the import; the home's own must match the given one. */
function chooseGenesis({ home, genesis }: ChainImportOptions): string {
  const own = home.config.genesis
  if (!existsSync(own)) {
    if (genesis !== undefined) return readText(genesis)
    throw new LockstepError('HOME_MISSING', `${home.root} has no chain yet`, {
      hint: "pass the chain's genesis.json with --genesis",
    })
  }
  const text = readText(own)
  if (genesis === undefined || readText(genesis) === text) return text
  throw new LockstepError('INVALID_ARGUMENT', `${own} is not ${genesis}`, {
    hint: 'omit --genesis to import more of the same chain, or use another --home',
  })
}

/**
 * Imports the blocks of a file into a home, after the stored ones. Stored blocks are skipped, so an interrupted
 * import is completed by running it again.
 * @throws BLOCK_INVALID naming the first invalid block; the blocks before it are stored.
 */
export async function importChain(options: ChainImportOptions): Promise<ChainImportProgress> {
  const { home, config, logger, file, onProgress } = options
  const text = chooseGenesis(options)
  const genesis = decodeEthereumGenesis(text)
  const blocks = readBlocks(file)
  const closers = new Disposables()
  try {
    const storage = await openHomeStorage(home, config, logger, closers)
    const chain = await openImport(storage, genesis)
    mkdirSync(home.config.directory, { recursive: true, mode: 0o700 })
    if (!existsSync(home.config.app)) {
      await writeFileAtomic(home.config.app, renderConfigFile('app.toml', ARCHIVE_CONFIG))
    }
    await writeFileAtomic(home.config.genesis, text)
    const progress: ChainImportProgress = { imported: 0, known: 0, height: chain.latest, bytes: 0 }
    for (const raw of blocks) {
      progress[await chain.add(raw)]++
      progress.height = chain.latest
      progress.bytes += raw.length
      await onProgress(progress)
    }
    return progress
  } finally {
    await closers.close()
  }
}
