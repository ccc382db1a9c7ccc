import { loadConfig } from '../../base/config/load.ts'
import type { Config } from '../../base/config/schema.ts'
import { LockstepError } from '../../base/error.ts'
import type { Logger } from '../../base/log/logger.ts'
import type { Metrics } from '../../base/metrics/metrics.ts'
import { UNREAD_METRICS } from '../../base/metrics/unread-metrics.ts'
import { writeCompiledCode } from '../../base/process/compile-cache.ts'
import { answerProfileRequests } from '../../node/diagnosis/cpu-profile.ts'
import { devGenesis } from '../../node/home/dev-genesis.ts'
import { type DeveloperAccounts, developerAccounts } from '../../node/home/developer-accounts.ts'
import type { Home } from '../../node/home/home.ts'
import { lockHome } from '../../node/home/home-lock.ts'
import { LiveSettings } from '../../node/live-settings.ts'
import type { RunningNode } from '../../node/running-node.ts'
import { refuseTakenAddresses } from '../../node/serve/own-addresses.ts'
import { VERSION } from '../../node/version.ts'
import { removeReadyFile, writeReadyFile } from '../client/ready-file.ts'
import { type ChainChoice, parseChainChoice } from '../option/chain-choice.ts'
import { untilStopSignal } from '../progress/stop-signals.ts'
import { type BannerFacts, renderBanner } from './banner.ts'
import {
  beginDevHome,
  type ChosenChain,
  chooseChain,
  refuseMissingGenesis,
} from './chosen-chain.ts'
import { keepCrashReports } from './crash-reports.ts'
import { openNodeLog } from './node-log.ts'
import { refuseFewOpenFiles } from './open-file-limit.ts'
import { startHome } from './start-home.ts'

/** The flags of `start`. */
export interface StartFlags {
  readonly dev?: true
  readonly home?: string
  readonly chainId?: string
  readonly readyFile?: string
  /** True for a new home that is removed after the run. */
  readonly isTemporary?: true
  /** Returns the output once the node responds; by default that of `start`. */
  readonly banner?: (facts: BannerFacts) => string
  /** True to show the log on stdout instead of stderr. */
  readonly logsToStdout?: true
}

interface NodeSite {
  readonly home: Home
  readonly config: Config
  readonly logger: Logger
  readonly dev: boolean
  /** Accounts that the node signs for under --dev. */
  readonly developers: DeveloperAccounts | undefined
  readonly asked: ChainChoice | undefined
  readonly live: LiveSettings
}

/** Loads prom-client only if metrics are on: that takes as long as the engine. */
async function metricsOf({ instrumentation }: Config): Promise<Metrics> {
  if (!instrumentation.prometheus) return UNREAD_METRICS
  const { createMetrics } = await import('../../base/metrics/metrics.ts')
  return createMetrics(instrumentation.namespace)
}

/** Starts the node of a chain. Loaded here: help and argument errors need neither the stores nor the engine. */
async function startChain(
  chain: ChosenChain,
  site: NodeSite & { readonly signal: AbortSignal },
): Promise<RunningNode> {
  await refuseTakenAddresses(site.home, site.config, chain.kind === 'own')
  const metrics = await metricsOf(site.config)
  if (chain.kind === 'own') {
    const { startNode } = await import('../../node/run/node.ts')
    return startNode({ ...site, metrics, genesis: chain.genesis })
  }
  const { startImportedNode } = await import('../../node/run/imported-node.ts')
  return startImportedNode({ ...site, metrics, genesis: chain.genesis })
}

/** Returns the files that announce a ready node: one in the home for commands, and the one of the flag. */
function readyFiles({ running }: Home, { readyFile }: StartFlags): readonly string[] {
  return readyFile === undefined ? [running] : [running, readyFile]
}

/** A running node and its chain id. */
interface Started {
  readonly node: RunningNode
  readonly chainId: bigint
}

async function startOwn(site: NodeSite, signal: AbortSignal): Promise<Started> {
  const { home, developers, asked, config, dev } = site
  const chain = chooseChain(home, dev ? config.dev : undefined, developers, asked)
  return { node: await startChain(chain, { ...site, signal }), chainId: chain.chainId }
}

async function startFork(site: NodeSite, developers: DeveloperAccounts): Promise<Started> {
  await refuseTakenAddresses(site.home, site.config, false)
  const { startForkNode } = await import('../../node/run/fork-node.ts')
  const node = await startForkNode({ ...site, developers, metrics: await metricsOf(site.config) })
  return { node, chainId: node.chainId }
}

/**
 * Returns true if SIGHUP reads the configuration again. A terminal sends it when it closes: a node that reads from one
 * stops, and so does a development chain.
 */
function isRereadable({ dev }: Pick<NodeSite, 'dev'>): boolean {
  return !dev && !process.stdin.isTTY
}

/** Reads the configuration again at SIGHUP. Returns a function that ends that. */
function rereadOnHangup({
  live,
  logger,
  dev,
}: Pick<NodeSite, 'live' | 'logger' | 'dev'>): () => void {
  if (!isRereadable({ dev })) return () => {}
  const reread = (): void => live.reload(logger)
  process.on('SIGHUP', reread)
  return () => process.off('SIGHUP', reread)
}

async function serveUntilStopped(site: NodeSite, flags: StartFlags): Promise<void> {
  const { home, config, logger, developers } = site
  const stopSignal = untilStopSignal(isRereadable(site) ? ['SIGINT', 'SIGTERM'] : undefined)
  const starting = new AbortController()
  stopSignal.then((signal) => {
    starting.abort(new LockstepError('INTERRUPTED', `stopped by ${signal} before the node was up`))
  })
  const started =
    developers !== undefined && isFork(flags, config)
      ? startFork(site, developers)
      : startOwn(site, starting.signal)
  const { node, chainId } = await started
  const { rpc = null, ws = null, explorer = null, consensus = null, metrics = null } = node.urls
  const { payments = null, paymentToken = null, wallets = null } = node.urls
  const { banner = renderBanner } = flags
  process.stdout.write(banner({ urls: node.urls, chainId, home, developers }))
  const { pid } = process
  const addresses = { rpc, ws, explorer, consensus, metrics, payments, paymentToken, wallets }
  const facts = { ...addresses, pid, chainId: Number(chainId), home: home.root }
  logger.info('started', { rpc, consensus })
  for (const path of readyFiles(home, flags)) writeReadyFile(path, facts)
  writeCompiledCode()
  const halted = node.halted?.then((height) => {
    logger.info('halting node per configuration', { height })
    return 'halt-height'
  })
  const reason = await Promise.race([stopSignal, node.failed, ...(halted ? [halted] : [])])
  logger.info('stopping', { signal: reason })
  await node.stop()
  logger.info('stopped')
}

function isFork({ dev }: StartFlags, config: Config): boolean {
  return dev === true && config.dev.fork !== ''
}

function readConfig(home: Home, flags: StartFlags, passed: ReadonlyMap<string, string>): Config {
  const sources = { directory: home.config.directory, environment: process.env, flags: passed }
  const { config } = loadConfig(sources)
  // A development chain has one node, whatever release created its home.
  const isOwn = flags.dev === true && config.mode === ''
  return isOwn ? { ...config, mode: 'validator' as const } : config
}

/** Returns the configuration and the requested chain; creates a missing home of a development chain. */
async function prepare(
  home: Home,
  flags: StartFlags,
  passed: ReadonlyMap<string, string>,
): Promise<Pick<NodeSite, 'config' | 'developers' | 'asked'>> {
  const config = readConfig(home, flags, passed)
  const dev = flags.dev === true
  const otherwise = dev ? 'dev' : '1329'
  const asked = flags.chainId === undefined ? undefined : parseChainChoice(flags.chainId, otherwise)
  if (!dev) return { config, asked, developers: undefined }
  const developers = await developerAccounts(config.dev)
  const isOwn = !isFork(flags, config)
  const isNew = isOwn && (await beginDevHome(home, developers, devGenesis(config.dev), asked))
  // A new home overrides some defaults.
  return { config: isNew ? readConfig(home, flags, passed) : config, asked, developers }
}

async function runUntilStopped(
  home: Home,
  flags: StartFlags,
  passed: ReadonlyMap<string, string>,
): Promise<void> {
  const prepared = await prepare(home, flags, passed)
  const { config } = prepared
  keepCrashReports(home)
  const live = new LiveSettings(config, () => readConfig(home, flags, passed))
  const stream = flags.logsToStdout === true ? process.stdout : process.stderr
  const log = openNodeLog(home, config, () => live.config.logLevel, stream)
  const endProfiles = answerProfileRequests(home, log.logger)
  const dev = flags.dev === true
  const endRereading = rereadOnHangup({ live, logger: log.logger, dev })
  try {
    const { logger } = log
    logger.info('starting', {
      version: VERSION,
      node: process.version,
      pid: process.pid,
      home: home.root,
    })
    await serveUntilStopped({ home, ...prepared, logger, live, dev }, flags)
  } catch (thrown) {
    log.end(thrown)
    throw thrown
  } finally {
    endRereading()
    endProfiles()
    log.close()
  }
}

/** @throws INVALID_ARGUMENT if a flag for development chains is used on another chain */
function refuseDevFlags(passed: ReadonlyMap<string, string>): void {
  const [flag] = [...passed.keys()].filter((name) => name.startsWith('dev.'))
  if (flag === undefined) return
  throw new LockstepError('INVALID_ARGUMENT', `--${flag} is for development chains`, {
    hint: 'start with --dev, or omit it',
  })
}

/** Runs a node with these flags until it is stopped. `passed` holds the flags that are configuration keys. */
export async function runStart(
  flags: StartFlags,
  passed: ReadonlyMap<string, string>,
): Promise<void> {
  refuseFewOpenFiles()
  const place = startHome(flags, passed)
  const { home } = place
  if (flags.dev === undefined) {
    refuseDevFlags(passed)
    refuseMissingGenesis(home)
  }
  const lock = lockHome(home)
  const announced = readyFiles(home, flags)
  try {
    announced.forEach(removeReadyFile)
    await runUntilStopped(home, flags, passed)
  } finally {
    announced.forEach(removeReadyFile)
    lock.release()
    place.leave()
  }
}
