import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Config } from '../../base/config/schema.ts'

/** Every path of a node's home, absolute. The names in `data/` are those operators' scripts use. */
export interface Home {
  readonly root: string
  readonly config: {
    readonly directory: string
    readonly app: string
    readonly consensus: string
    readonly genesis: string
    readonly nodeKey: string
    readonly validatorKey: string
  }
  readonly data: {
    readonly directory: string
    readonly validatorState: string
    readonly addressBook: string
    /** General state store. */
    readonly generalState: string
    /** Dedicated EVM state store. */
    readonly evmState: string
    readonly stateCommit: string
    readonly snapshots: string
    /** Claims and challenges of payments. */
    readonly payments: string
    /** What CometBFT keeps, where it decides the blocks. */
    readonly comet: string
  }
  /** Keys of accounts, under passphrases. */
  readonly keystore: string
  /** Held by the running node; see `home-lock.ts`. */
  readonly lock: string
  /** Process id of whoever holds the lock, for messages. */
  readonly lockOwner: string
  /** Where the running node answers, as `--ready-file` says it. */
  readonly running: string
}

/** The home at a folder, which need not exist. */
export function homeAt(folder: string): Home {
  const root = resolve(folder)
  const config = join(root, 'config')
  const data = join(root, 'data')
  return {
    root,
    config: {
      directory: config,
      app: join(config, 'app.toml'),
      consensus: join(config, 'config.toml'),
      genesis: join(config, 'genesis.json'),
      nodeKey: join(config, 'node_key.json'),
      validatorKey: join(config, 'priv_validator_key.json'),
    },
    data: {
      directory: data,
      validatorState: join(data, 'priv_validator_state.json'),
      addressBook: join(data, 'addrbook.json'),
      generalState: join(data, 'pebbledb'),
      evmState: join(data, 'evm_ss'),
      stateCommit: join(data, 'committer.db'),
      snapshots: join(data, 'snapshots'),
      payments: join(data, 'payments'),
      comet: join(data, 'cometbft'),
    },
    keystore: join(root, 'keystore'),
    lock: join(root, 'LOCK'),
    lockOwner: join(root, 'LOCK.pid'),
    running: join(root, 'running.json'),
  }
}

/**
 * The home when no flag names one: LOCKSTEP_HOME, else ~/.lockstep; for a dev node ~/.lockstep/dev, so
 * that trying things out never touches a real node's files.
 */
export function defaultHome(
  environment: Readonly<Record<string, string | undefined>>,
  dev: boolean,
): string {
  const named = environment.LOCKSTEP_HOME
  if (named !== undefined && named !== '') return named
  return dev ? join(homedir(), '.lockstep', 'dev') : join(homedir(), '.lockstep')
}

/** The folder of the reports that Node writes when it has to end the process. */
export function crashFolder(home: Home): string {
  return join(home.root, 'crash')
}

/** The folder of a home's snapshots: that of `snapshot-directory`, else `data/snapshots`. */
export function snapshotFolder(home: Home, { stateSync }: Config): string {
  const { snapshotDirectory } = stateSync
  return snapshotDirectory === '' ? home.data.snapshots : resolve(home.root, snapshotDirectory)
}

/** The file of a home's log: that of `log-file`; undefined where there is none. */
export function logPath(home: Home, { logFile }: Config): string | undefined {
  return logFile === '' ? undefined : resolve(home.root, logFile)
}
