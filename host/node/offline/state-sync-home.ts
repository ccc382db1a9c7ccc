import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../../base/config/schema.ts'
import { LockstepError } from '../../base/error.ts'
import type { Logger } from '../../base/log/logger.ts'
import { nanosecondsNow } from '../../base/time.ts'
import { pause } from '../../base/timer.ts'
import { ONE_THIRD } from '../../chain/consensus/comet/commit-verification.ts'
import { RpcServer, serverUrl } from '../../chain/consensus/follow/rpc-server.ts'
import { MAX_CLOCK_DRIFT } from '../../chain/consensus/light/verify.ts'
import type { SnapshotImportOptions } from '../../chain/snapshot/import-snapshot.ts'
import { importTarget } from '../../chain/snapshot/import-target.ts'
import type { SnapshotMetadata } from '../../chain/snapshot/metadata.ts'
import { StateSync, type StateSyncReport } from '../../chain/snapshot/sync/state-sync.ts'
import { type TrustedBlock, trustedBlock } from '../../chain/snapshot/sync/trusted-block.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import type { Home } from '../home/home.ts'
import { type HomeContext, importHome, readOwnGenesis } from './home-snapshots.ts'

const NANOS_PER_MILLI = 1_000_000n

/** Minimum time between log lines about chunks, ms. */
const PROGRESS_MS = 5_000

function refuse(key: string, value: unknown, rule: string, hint: string): never {
  throw new LockstepError(
    'CONFIG_INVALID',
    `[statesync] ${key} = ${JSON.stringify(value)}: ${rule} if statesync.enable is true`,
    { hint },
  )
}

const TRUST =
  'take height and block_id.hash of a recent /block from a node that you trust, and set trust-height and trust-hash; ' +
  'or neither, to trust the servers'

/** Applies CometBFT's rules for `[statesync]`. @throws CONFIG_INVALID */
export function checkStateSync({ statesync, mode, consensus }: Config): void {
  const { rpcServers, trustHeight, trustHash, trustPeriod } = statesync
  if (mode === 'validator' && consensus.engine === 'embedded') {
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
  const isNamed = trustHeight !== 0 || trustHash !== ''
  if (isNamed && trustHeight === 0) refuse('trust-height', trustHeight, 'must be above 0', TRUST)
  if (isNamed && !/^[0-9a-fA-F]{64}$/.test(trustHash)) {
    refuse('trust-hash', trustHash, 'must be 64 hex digits', TRUST)
  }
  if (trustPeriod === 0) {
    refuse('trust-period', trustPeriod, 'must be above 0', 'omit it for 168h0m0s')
  }
}

/** Returns whether a home has a chain. A partial one from an unfinished `snapshot import` does not count. */
export function hasChain({ data }: Home, { stateStore }: Config): boolean {
  if (existsSync(join(data.directory, 'snapshot-import.json'))) return false
  const { dataDir, ...databases } = importTarget(data.directory, stateStore.ssBackend)
  return [join(dataDir, 'wal'), ...Object.values(databases)].some((dir) => existsSync(dir))
}

function syncLog(logger: Logger): StateSyncReport {
  let saidAt = Number.NEGATIVE_INFINITY
  return {
    punished: ({ name }, reason) => {
      logger.error('state sync: a server is no longer used', { server: name, reason })
    },
    waiting: (reason) => logger.warn('state sync: no snapshot is available yet', { reason }),
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
      logger.error('state sync: a snapshot is invalid', { height, reason })
    },
  }
}

/** Returns the folder for chunks while they arrive. */
export function arrivalFolder({ root, data }: Home, { statesync: { tempDir } }: Config): string {
  return tempDir === '' ? join(data.directory, 'state-sync') : resolve(root, tempDir)
}

/** Returns the servers of `[statesync]` without duplicates. */
export function syncServers(
  { statesync: { rpcServers } }: Config,
  { maxBlockBytes }: Genesis,
  signal: AbortSignal,
): readonly RpcServer[] {
  const urls = new Map(rpcServers.map(serverUrl).map((url) => [url.href, url]))
  return [...urls.values()].map((url) => new RpcServer(url, maxBlockBytes, signal))
}

/** Retry delay for unreachable servers, ms. */
const AGAIN_MS = 5_000

/**
 * Returns the trusted block of `[statesync]`: the configured one, else one that the servers agree on.
 * @throws UNTRUSTED, INVALID_ARGUMENT if a server is on another chain; the signal's reason
 */
export async function syncTrust(
  { statesync }: Config,
  { consensusChainId }: Genesis,
  servers: readonly RpcServer[],
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
): Promise<TrustedBlock> {
  const { trustHeight, trustHash } = statesync
  if (servers.length === 1) {
    logger.warn(
      'state sync: all rpc-servers are the same node: its statements cannot be cross-checked',
      {
        server: servers[0]?.name,
      },
    )
  }
  if (trustHash !== '') return { height: trustHeight, hash: trustHash.toUpperCase() }
  for (;;) {
    signal.throwIfAborted()
    try {
      const trusted = await trustedBlock(servers, consensusChainId)
      const { height, hash } = trusted
      logger.warn('state sync: no trusted block is configured: trusting the servers', {
        trustHeight: height,
        trustHash: hash,
      })
      return trusted
    } catch (thrown) {
      signal.throwIfAborted()
      const isAway = thrown instanceof LockstepError && thrown.code === 'NODE_UNREACHABLE'
      if (!isAway) throw thrown
      logger.warn('state sync: a server does not provide a block to trust', {
        reason: thrown.message,
      })
    }
    await pause(AGAIN_MS, signal)
  }
}

export interface SyncOptions {
  readonly context: HomeContext
  readonly signal: AbortSignal
  readonly onStep?: NonNullable<SnapshotImportOptions['onStep']>
}

/**
 * Restores the latest snapshot of the `[statesync]` servers into an empty home. An interrupted call is continued by
 * the next.
 * @throws CONFIG_INVALID, UNTRUSTED, PEER_INVALID if no server is left, STORE_FULL, the signal's reason
 */
export async function syncHome({
  context,
  signal,
  onStep = () => undefined,
}: SyncOptions): Promise<SnapshotMetadata> {
  const { home, config, logger } = context
  checkStateSync(config)
  const genesis = readOwnGenesis(home)
  const { trustPeriod } = config.statesync
  const servers = syncServers(config, genesis, signal)
  const trusted = await syncTrust(config, genesis, servers, { logger, signal })
  const sync = new StateSync({
    servers,
    rules: {
      chainId: genesis.consensusChainId,
      trustingPeriod: BigInt(trustPeriod) * NANOS_PER_MILLI,
      maxClockDrift: MAX_CLOCK_DRIFT,
      trustLevel: ONE_THIRD,
    },
    trustHeight: trusted.height,
    trustHash: Uint8Array.from(Buffer.from(trusted.hash, 'hex')),
    folder: arrivalFolder(home, config),
    importFrom: (dir) =>
      importHome(context, { dir, genesis: undefined, mode: 'full' }, (step) => {
        signal.throwIfAborted()
        return onStep(step)
      }),
    now: nanosecondsNow,
    wait: async (milliseconds) => {
      await pause(milliseconds, signal)
    },
    report: syncLog(logger),
    signal,
  })
  const metadata = await sync.run()
  logger.info('state sync: the home has its chain', { height: metadata.height })
  return metadata
}
