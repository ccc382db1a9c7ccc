import { existsSync, readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { LockstepError } from '../base/error.ts'
import type { Genesis } from '../chain-types/genesis.ts'
import { decodeGenesis } from '../chain-types/genesis-codec.ts'
import { loadConfig } from '../config/load.ts'
import type { Logger } from '../log/logger.ts'
import { createLogger } from '../log/pino-logger.ts'
import { createMetrics } from '../metrics/metrics.ts'
import type { Home } from '../node/home.ts'
import { lockHome } from '../node/home-lock.ts'
import { initializeHome } from '../node/initialize-home.ts'
import { renderBanner } from './banner.ts'
import { type ChainChoice, parseChainChoice } from './chain-choice.ts'
import { addConfigFlags } from './config-flags.ts'
import { nanosecondsNow } from './genesis-time.ts'
import { chooseHome, homeOption } from './home-option.ts'
import { removeReadyFile, writeReadyFile } from './ready-file.ts'
import { untilStopSignal } from './stop-signals.ts'

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

async function prepareGenesis(
  home: Home,
  dev: boolean,
  chain: ChainChoice | undefined,
): Promise<Genesis> {
  if (dev && !existsSync(home.config.genesis)) {
    await initializeHome(home, {
      preset: 'dev',
      ...(chain !== undefined && { chainId: chain.chainId }),
      moniker: 'dev',
      overwrite: false,
      time: nanosecondsNow(),
    })
  }
  const genesis = decodeGenesis(readFileSync(home.config.genesis, 'utf8'))
  if (chain !== undefined && chain.chainId !== genesis.params.chainId) {
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `--chain-id is ${chain.chainId}, but ${home.config.genesis} is of chain ${genesis.params.chainId}`,
      { hint: 'leave --chain-id out, or use another --home' },
    )
  }
  return genesis
}

async function runUntilStopped(
  home: Home,
  flags: StartFlags,
  passed: ReadonlyMap<string, string>,
): Promise<void> {
  const { dev = false } = flags
  const otherwise = dev ? 'dev' : '1329'
  const chain = flags.chainId === undefined ? undefined : parseChainChoice(flags.chainId, otherwise)
  const sources = { directory: home.config.directory, environment: process.env, flags: passed }
  const { config, inert } = loadConfig(sources)
  const write = (line: string): void => {
    process.stderr.write(line)
  }
  const logger: Logger = createLogger({ level: config.logLevel, format: config.logFormat, write })
  for (const key of inert) logger.warn('this key has no effect in this release', { key })

  const genesis = await prepareGenesis(home, dev, chain)
  const stopSignal = untilStopSignal()
  // Loaded here: help and refusals need neither the stores nor the engine.
  const { startNode } = await import('../node/node.ts')
  const options = { home, config, genesis, logger, metrics: createMetrics() }
  const node = await startNode(options)
  const { rpc = null, ws = null, consensus } = node.urls
  process.stdout.write(renderBanner({ urls: node.urls, genesis, home, dev }))
  if (flags.readyFile !== undefined) {
    const chainId = Number(genesis.params.chainId)
    const facts = { rpc, ws, consensus, pid: process.pid, chainId, home: home.root }
    writeReadyFile(flags.readyFile, facts)
  }
  const signal = await Promise.race([stopSignal, node.failed])
  logger.info('stopping', { signal })
  await node.stop()
  logger.info('stopped')
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
    try {
      if (flags.readyFile !== undefined) removeReadyFile(flags.readyFile)
      await runUntilStopped(home, flags, readFlags())
    } finally {
      if (flags.readyFile !== undefined) removeReadyFile(flags.readyFile)
      lock.release()
    }
  })
}
