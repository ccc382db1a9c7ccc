import { existsSync, readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { LockstepError, messageOf } from '../../base/error.ts'
import { nanosecondsNow } from '../../base/time.ts'
import type { Genesis } from '../../chain-types/genesis.ts'
import { decodeGenesis } from '../../chain-types/genesis-codec.ts'
import { loadConfig } from '../../config/load.ts'
import type { Config } from '../../config/schema.ts'
import {
  decodeEthereumGenesis,
  type EthereumGenesis,
  isEthereumGenesis,
} from '../../execute/ethereum/genesis.ts'
import type { Logger } from '../../log/logger.ts'
import { createMetrics } from '../../metrics/metrics.ts'
import type { Home } from '../../node/home/home.ts'
import { lockHome } from '../../node/home/home-lock.ts'
import { initializeHome } from '../../node/home/initialize-home.ts'
import type { RunningNode } from '../../node/running-node.ts'
import { VERSION } from '../../node/version.ts'
import { removeReadyFile, writeReadyFile } from '../client/ready-file.ts'
import { type ChainChoice, parseChainChoice } from '../option/chain-choice.ts'
import { addConfigFlags } from '../option/config-flags.ts'
import { chooseHome, homeOption } from '../option/home-option.ts'
import { untilStopSignal } from '../progress/stop-signals.ts'
import { renderBanner } from './banner.ts'
import { keepCrashReports } from './crash-reports.ts'
import { openNodeLog } from './node-log.ts'

interface StartFlags {
  readonly dev?: true
  readonly home?: string
  readonly chainId?: string
  readonly readyFile?: string
}

function refuseMissingGenesis(home: Home): void {
  if (existsSync(home.config.genesis)) return
  throw new LockstepError('HOME_MISSING', `${home.root} has no config/genesis.json`, {
    hint: 'run `lockstep init --chain-id <id>` with the same --home, or start with --dev',
  })
}

/** The chain that a home's genesis.json describes. */
type ChosenChain =
  | { readonly kind: 'own'; readonly chainId: bigint; readonly genesis: Genesis }
  | { readonly kind: 'imported'; readonly chainId: bigint; readonly genesis: EthereumGenesis }

/** @throws GENESIS_INVALID */
function readGenesisText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new LockstepError('GENESIS_INVALID', `cannot read ${path}: ${messageOf(cause)}`, {
      hint: "restore the chain's genesis.json, readable by the user that runs the node",
      cause,
    })
  }
}

function readChain(path: string): ChosenChain {
  const text = readGenesisText(path)
  if (isEthereumGenesis(text)) {
    const genesis = decodeEthereumGenesis(text)
    return { kind: 'imported', chainId: genesis.network.chainId, genesis }
  }
  const genesis = decodeGenesis(text)
  return { kind: 'own', chainId: genesis.params.chainId, genesis }
}

async function prepareChain(
  home: Home,
  dev: boolean,
  asked: ChainChoice | undefined,
): Promise<ChosenChain> {
  if (dev && !existsSync(home.config.genesis)) {
    await initializeHome(home, {
      preset: 'dev',
      ...(asked !== undefined && { chainId: asked.chainId }),
      moniker: 'dev',
      overwrite: false,
      time: nanosecondsNow(),
    })
  }
  const chain = readChain(home.config.genesis)
  if (asked !== undefined && asked.chainId !== chain.chainId) {
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `--chain-id is ${asked.chainId}, but ${home.config.genesis} is of chain ${chain.chainId}`,
      { hint: 'leave --chain-id out, or use another --home' },
    )
  }
  return chain
}

interface NodeSite {
  readonly home: Home
  readonly config: Config
  readonly logger: Logger
  readonly dev: boolean
}

/** Starts the node of a chain. Loaded here: help and refusals need neither the stores nor the engine. */
async function startChain(
  chain: ChosenChain,
  site: NodeSite & { readonly signal: AbortSignal },
): Promise<RunningNode> {
  const metrics = createMetrics()
  if (chain.kind === 'own') {
    const { startNode } = await import('../../node/run/node.ts')
    return startNode({ ...site, metrics, genesis: chain.genesis })
  }
  const { startImportedNode } = await import('../../node/run/imported-node.ts')
  return startImportedNode({ ...site, metrics, genesis: chain.genesis })
}

/** Where it is told that the node answers: to the commands of its home, and to who asked for it. */
function readyFiles({ running }: Home, { readyFile }: StartFlags): readonly string[] {
  return readyFile === undefined ? [running] : [running, readyFile]
}

async function serveUntilStopped(site: NodeSite, flags: StartFlags): Promise<void> {
  const { home, logger, dev } = site
  const otherwise = dev ? 'dev' : '1329'
  const asked = flags.chainId === undefined ? undefined : parseChainChoice(flags.chainId, otherwise)
  const running = await prepareChain(home, dev, asked)
  const stopSignal = untilStopSignal()
  const starting = new AbortController()
  stopSignal.then((signal) => {
    starting.abort(new LockstepError('INTERRUPTED', `stopped by ${signal} before the node was up`))
  })
  const node = await startChain(running, { ...site, signal: starting.signal })
  const { rpc = null, ws = null, explorer = null, consensus = null, metrics = null } = node.urls
  const { payments = null, paymentToken = null, wallets = null } = node.urls
  const { chainId } = running
  process.stdout.write(renderBanner({ urls: node.urls, chainId, home, dev }))
  const { pid } = process
  const addresses = { rpc, ws, explorer, consensus, metrics, payments, paymentToken, wallets }
  const facts = { ...addresses, pid, chainId: Number(chainId), home: home.root }
  for (const path of readyFiles(home, flags)) writeReadyFile(path, facts)
  const halted = node.halted?.then((height) => {
    logger.info('halting node per configuration', { height })
    return 'halt-height'
  })
  const reason = await Promise.race([stopSignal, node.failed, ...(halted ? [halted] : [])])
  logger.info('stopping', { signal: reason })
  await node.stop()
  logger.info('stopped')
}

async function runUntilStopped(
  home: Home,
  flags: StartFlags,
  passed: ReadonlyMap<string, string>,
): Promise<void> {
  const sources = { directory: home.config.directory, environment: process.env, flags: passed }
  const { config: loaded } = loadConfig(sources)
  // A developer's chain is this node's own, whatever release made its home.
  const isOwn = flags.dev === true && loaded.mode === ''
  const config = isOwn ? { ...loaded, mode: 'validator' as const } : loaded
  keepCrashReports(home)
  const log = openNodeLog(home, config)
  try {
    const { logger } = log
    logger.info('starting', {
      version: VERSION,
      node: process.version,
      pid: process.pid,
      home: home.root,
    })
    await serveUntilStopped({ home, config, logger, dev: flags.dev === true }, flags)
  } catch (thrown) {
    log.end(thrown)
    throw thrown
  } finally {
    log.close()
  }
}

export function defineStart(command: Command): void {
  command
    .option('--dev', 'a chain of this node alone, with funded accounts; made when missing')
    .addOption(homeOption())
    .option('--chain-id <ID>', 'EVM chain id of a new dev chain; otherwise checked')
    .option('--ready-file <PATH>', 'write addresses there as JSON once everything answers')
  const readFlags = addConfigFlags(command)
  command.action(async (flags: StartFlags) => {
    const home = chooseHome(flags.home, flags.dev)
    if (flags.dev === undefined) refuseMissingGenesis(home)
    const lock = lockHome(home)
    const announced = readyFiles(home, flags)
    try {
      announced.forEach(removeReadyFile)
      await runUntilStopped(home, flags, readFlags())
    } finally {
      announced.forEach(removeReadyFile)
      lock.release()
    }
  })
}
