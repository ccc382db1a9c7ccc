import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type InspectedConfig, inspectConfig } from '../../base/config/load.ts'
import { decodeCometBlock } from '../../chain/consensus/comet/block.ts'
import type { CometHeader } from '../../chain/consensus/comet/header.ts'
import { GENESIS_KEY } from '../../chain/consensus/embedded/block-store.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import { decodeGenesis } from '../../evm/chain-types/genesis-codec.ts'
import type { GenesisRecord } from '../../evm/chain-types/genesis-record.ts'
import { decodeEthereumGenesis, isEthereumGenesis } from '../../evm/execute/ethereum/genesis.ts'
import { readMarkerWord, VERSION_KEY } from '../../storage/commit/commit-markers.ts'
import { decodeHeight, encodeHeight } from '../../storage/store/codec/ordered-key.ts'
import { LmdbPeek } from '../../storage/store/lmdb/lmdb-peek.ts'
import type { Home } from '../home/home.ts'
import { GenesisFileKeeper, genesisRecordOf } from '../run/genesis-file-keeper.ts'

/** What could be read of a home. */
export interface HomeFacts {
  readonly home: Home
  readonly inspected: InspectedConfig
  /** Undefined for an imported chain, and if the file is missing or invalid. */
  readonly genesis: Genesis | undefined
  /** Error of reading the genesis. */
  readonly genesisError: unknown
  readonly isImported: boolean
  /** True if CometBFT has the blocks, in databases that only it reads. */
  readonly isUnderComet: boolean
  /** Id of the process that holds the home. */
  readonly process: number | undefined
  /** Height of the state commit; undefined before the first block, or if unreadable. */
  readonly committed: number | undefined
  /** Header of the latest decided block. */
  readonly newest: CometHeader | undefined
  /** The genesis record that the chain stored at its start. */
  readonly kept: GenesisRecord | undefined
  /** False if there may be unreadable blocks. */
  readonly knowsNewest: boolean
}

/** Attempts to read a file that a running node may be writing. */
const ATTEMPTS = 4

/** Reads rows of the environment in `dir`; undefined if it does not exist. @throws STORE_CORRUPTED */
export function peek<Result>(
  dir: string,
  isRunning: boolean,
  read: (env: LmdbPeek) => Result,
): Result | undefined {
  for (let attempt = 1; ; attempt++) {
    try {
      const env = LmdbPeek.open(dir)
      if (env === undefined) return undefined
      try {
        return read(env)
      } finally {
        env.close()
      }
    } catch (thrown) {
      if (!isRunning || attempt === ATTEMPTS) throw thrown
    }
  }
}

/** Returns the id of the live process that holds the home. */
export function processOf(home: Home): number | undefined {
  try {
    const pid = Number(/^\d+/.exec(readFileSync(home.lockOwner, 'utf8'))?.[0])
    process.kill(pid, 0)
    return pid
  } catch (thrown) {
    const pid = (thrown as NodeJS.ErrnoException).code === 'EPERM' ? readOwner(home) : undefined
    return pid
  }
}

function readOwner(home: Home): number {
  return Number(/^\d+/.exec(readFileSync(home.lockOwner, 'utf8'))?.[0])
}

/** Returns the header of a block by height. @throws STORE_CORRUPTED, or the decoder's error */
export function headerAt(env: LmdbPeek, height: number): CometHeader | undefined {
  const encoded = env.get('blocks', encodeHeight(height))
  return encoded && decodeCometBlock(encoded).header
}

function readNewest(
  home: Home,
  isRunning: boolean,
): Pick<HomeFacts, 'newest' | 'kept' | 'knowsNewest'> {
  try {
    const read = peek(join(home.data.directory, 'blockstore.db'), isRunning, (env) => {
      const last = env.last('commits')
      const genesis = env.get('chain', GENESIS_KEY)
      return {
        newest: last && headerAt(env, decodeHeight(last.key)),
        kept: genesis && (JSON.parse(Buffer.from(genesis).toString()) as GenesisRecord),
      }
    })
    return { newest: undefined, kept: undefined, ...read, knowsNewest: true }
  } catch {
    // The stores check reports the error.
    return { newest: undefined, kept: undefined, knowsNewest: false }
  }
}

/** Returns the genesis record of a chain whose blocks CometBFT has. */
function readKept({ data }: Home): GenesisRecord | undefined {
  try {
    return new GenesisFileKeeper(genesisRecordOf(data)).genesis()
  } catch {
    return undefined
  }
}

function readCommitted({ data }: Home, isRunning: boolean): number | undefined {
  try {
    return peek(data.stateCommit, isRunning, (env) => {
      const version = env.get('markers', VERSION_KEY)
      return version && readMarkerWord(version, 0)
    })
  } catch {
    // The stores check reports the error.
    return undefined
  }
}

function readGenesis(home: Home): Pick<HomeFacts, 'genesis' | 'genesisError' | 'isImported'> {
  try {
    const text = readFileSync(home.config.genesis, 'utf8')
    if (!isEthereumGenesis(text)) {
      return { genesis: decodeGenesis(text), genesisError: undefined, isImported: false }
    }
    decodeEthereumGenesis(text)
    return { genesis: undefined, genesisError: undefined, isImported: true }
  } catch (genesisError) {
    return { genesis: undefined, genesisError, isImported: false }
  }
}

export function readHomeFacts(
  home: Home,
  environment: Readonly<Record<string, string | undefined>>,
): HomeFacts {
  const pid = processOf(home)
  const isRunning = pid !== undefined
  const { directory } = home.config
  const inspected = inspectConfig({ directory, environment, flags: new Map() })
  const genesis = readGenesis(home)
  const isUnderComet = !genesis.isImported && inspected.config.consensus.engine === 'cometbft'
  return {
    home,
    inspected,
    ...genesis,
    isUnderComet,
    process: pid,
    committed: readCommitted(home, isRunning),
    ...(isUnderComet
      ? { newest: undefined, kept: readKept(home), knowsNewest: false }
      : readNewest(home, isRunning)),
  }
}
