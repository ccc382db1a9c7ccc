import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LockstepError } from '../../base/error.ts'
import { nanosecondsNow } from '../../base/time.ts'
import type { Config } from '../../config/schema.ts'
import { ONE_THIRD } from '../../consensus/comet/commit-verification.ts'
import { RpcServer, serverUrl } from '../../consensus/follow/rpc-server.ts'
import { MAX_CLOCK_DRIFT } from '../../consensus/light/verify.ts'
import type { Logger } from '../../log/logger.ts'
import type { ImportOptions } from '../../snapshot/import-snapshot.ts'
import { importTarget } from '../../snapshot/import-target.ts'
import type { SnapshotMetadata } from '../../snapshot/metadata.ts'
import { StateSync, type StateSyncReport } from '../../snapshot/sync/state-sync.ts'
import type { Home } from '../home/home.ts'
import { type HomeContext, importHome, readOwnGenesis } from './home-snapshots.ts'

const NANOS_PER_MILLI = 1_000_000n

/** Between two lines about chunks that arrive. */
const PROGRESS_MS = 5_000

function refuse(key: string, value: unknown, rule: string, hint: string): never {
  throw new LockstepError(
    'CONFIG_INVALID',
    `[statesync] ${key} = ${JSON.stringify(value)}: ${rule} where statesync.enable is true`,
    { hint },
  )
}

const TRUST =
  'take height and block_id.hash of a recent /block from a node that you trust, and set trust-height and trust-hash'

/** The rules of CometBFT for `[statesync]`. @throws CONFIG_INVALID */
export function checkStateSync({ statesync, mode }: Config): void {
  const { rpcServers, trustHeight, trustHash, trustPeriod } = statesync
  if (mode === 'validator') {
    refuse(
      'enable',
      true,
      'a validator cannot',
      'write mode = "full" until the home has its chain, or enable = false',
    )
  }
  if (rpcServers.length < 2) {
    const hint = 'name the consensus RPC of two nodes, separated by a comma'
    refuse('rpc-servers', rpcServers, 'at least two servers are needed', hint)
  }
  if (trustHeight === 0) refuse('trust-height', trustHeight, 'must be above 0', TRUST)
  if (!/^[0-9a-fA-F]{64}$/.test(trustHash)) {
    refuse('trust-hash', trustHash, 'must be 64 hex digits', TRUST)
  }
  if (trustPeriod === 0) {
    refuse('trust-period', trustPeriod, 'must be above 0', 'leave it out for 168h0m0s')
  }
}

/** True where a home has a chain, or the half of one that `snapshot import` was told to bring. */
export function hasChain({ data }: Home, { stateStore }: Config): boolean {
  if (existsSync(join(data.directory, 'snapshot-import.json'))) return false
  const { dataDir, ...databases } = importTarget(data.directory, stateStore.ssBackend)
  return [join(dataDir, 'wal'), ...Object.values(databases)].some((dir) => existsSync(dir))
}

function syncLog(logger: Logger): StateSyncReport {
  let saidAt = Number.NEGATIVE_INFINITY
  return {
    punished: ({ name }, reason) => {
      logger.error('state sync: a server is asked no more', { server: name, reason })
    },
    waiting: (reason) => logger.warn('state sync: no snapshot can be had yet', { reason }),
    chosen: ({ height, appHash, chunks }, headerTime) => {
      logger.info('state sync: fetching a snapshot', {
        height,
        appHash,
        chunks: chunks.length,
        headerTime,
      })
    },
    fetched: (chunks, of) => {
      if (chunks < of && performance.now() - saidAt < PROGRESS_MS) return
      saidAt = performance.now()
      logger.info('state sync: chunks fetched', { chunks, of })
    },
    rejected: ({ height }, reason) => {
      logger.error('state sync: a snapshot is false', { height, reason })
    },
  }
}

export interface SyncOptions {
  readonly context: HomeContext
  readonly signal: AbortSignal
  readonly onStep?: NonNullable<ImportOptions['onStep']>
}

/**
 * Gives an empty home the newest snapshot of the servers of `[statesync]`. Cut short, the next call goes on.
 * @throws CONFIG_INVALID, UNTRUSTED, PEER_INVALID where no server is left, STORE_FULL, the signal's reason
 */
export async function syncHome({
  context,
  signal,
  onStep = () => undefined,
}: SyncOptions): Promise<SnapshotMetadata> {
  const { home, config, logger } = context
  checkStateSync(config)
  const genesis = readOwnGenesis(home)
  const { rpcServers, trustHeight, trustHash, trustPeriod, tempDir } = config.statesync
  const urls = new Map(rpcServers.map(serverUrl).map((url) => [url.href, url]))
  const servers = [...urls.values()].map((url) => new RpcServer(url, genesis.maxBlockBytes, signal))
  if (servers.length === 1) {
    logger.warn('state sync: all rpc-servers are one node: nobody confirms what it says', {
      server: servers[0]?.name,
    })
  }
  const sync = new StateSync({
    servers,
    rules: {
      chainId: genesis.consensusChainId,
      trustingPeriod: BigInt(trustPeriod) * NANOS_PER_MILLI,
      maxClockDrift: MAX_CLOCK_DRIFT,
      trustLevel: ONE_THIRD,
    },
    trustHeight,
    trustHash: Uint8Array.from(Buffer.from(trustHash, 'hex')),
    folder: tempDir === '' ? join(home.data.directory, 'state-sync') : resolve(home.root, tempDir),
    importFrom: (dir) =>
      importHome(context, { dir, genesis: undefined, mode: 'full' }, (step) => {
        signal.throwIfAborted()
        return onStep(step)
      }),
    now: nanosecondsNow,
    wait: async (milliseconds) => {
      await sleep(milliseconds, undefined, { signal }).catch(() => undefined)
    },
    report: syncLog(logger),
    signal,
  })
  const metadata = await sync.run()
  logger.info('state sync: the home has its chain', { height: metadata.height })
  return metadata
}
