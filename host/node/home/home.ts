import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Config } from '../../base/config/schema.ts'

/** Absolute paths of a node's home. Operators' scripts rely on the names in `data/`. */
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
    /** Written at an upgrade, for cosmovisor. */
    readonly upgradeInfo: string
    /** General state store. */
    readonly generalState: string
    /** Dedicated EVM state store. */
    readonly evmState: string
    readonly stateCommit: string
    readonly snapshots: string
    /** Claims and challenges of payments. */
    readonly payments: string
    /** CometBFT's data, if it decides the blocks. */
    readonly comet: string
  }
  /** Account keys, encrypted with passphrases. */
  readonly keystore: string
  /** Held by the running node; see `home-lock.ts`. */
  readonly lock: string
  /** Process id of the lock holder, for messages. */
  readonly lockOwner: string
  /** Ready file of the running node, in the format of `--ready-file`. */
  readonly running: string
}

/** Returns the home at a folder, which need not exist. */
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
      upgradeInfo: join(data, 'upgrade-info.json'),
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
 * Returns the default home: LOCKSTEP_HOME, else ~/.lockstep. A dev node uses ~/.lockstep/dev, so that experiments do
 * not touch a real node's files.
 */
export function defaultHome(
  environment: Readonly<Record<string, string | undefined>>,
  dev: boolean,
): string {
  const named = environment.LOCKSTEP_HOME
  if (named !== undefined && named !== '') return named
  return dev ? join(homedir(), '.lockstep', 'dev') : join(homedir(), '.lockstep')
}

/** Returns the folder of Node's crash reports. */
export function crashFolder(home: Home): string {
  return join(home.root, 'crash')
}

/** Returns the folder of a home's snapshots: `snapshot-directory`, else `data/snapshots`. */
export function snapshotFolder(home: Home, { stateSync }: Config): string {
  const { snapshotDirectory } = stateSync
  return snapshotDirectory === '' ? home.data.snapshots : resolve(home.root, snapshotDirectory)
}

/** Returns the path of a home's log from `log-file`; undefined if that is empty. */
export function logPath(home: Home, { logFile }: Config): string | undefined {
  return logFile === '' ? undefined : resolve(home.root, logFile)
}
