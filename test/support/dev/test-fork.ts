import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { WorkScheduler } from '../../../host/api/server/work-scheduler.ts'
import { loadConfig } from '../../../host/base/config/load.ts'
import { createLogger } from '../../../host/base/log/pino-logger.ts'
import { createMetrics } from '../../../host/base/metrics/metrics.ts'
import { NextBlockOverrides } from '../../../host/chain/dev/next-block-overrides.ts'
import type { SignatureRecovery } from '../../../host/evm/chain-types/signature-recovery.ts'
import { loadEngine } from '../../../host/evm/engine/engine.ts'
import { Disposables } from '../../../host/node/disposables.ts'
import { homeAt } from '../../../host/node/home/home.ts'
import { type OpenedForkChain, openForkChain } from '../../../host/node/open/open-fork-chain.ts'
import { chooseListen, serveChain } from '../../../host/node/serve/node-servers.ts'
import { readModule } from '../../../host/node/wasm.ts'

export interface TestForkOptions {
  /** URL of the forked node. */
  readonly url: string
  readonly block: number
  /** Parent folder of homes and caches. */
  readonly folder: string
}

/** A fork in this process whose blocks a test makes. */
export interface TestFork {
  /** URL of its JSON-RPC. */
  readonly url: string
  readonly opened: OpenedForkChain
  readonly recovery: SignatureRecovery
  close(): Promise<void>
}

/** Opens a fork without funded accounts, whose state is that of the forked block. */
export async function openTestFork({ url, block, folder }: TestForkOptions): Promise<TestFork> {
  const home = homeAt(mkdtempSync(join(folder, 'home-')))
  const flags = new Map([
    ['dev.fork', url],
    ['dev.fork-block', String(block)],
    ['dev.fork-cache', join(folder, 'cache')],
    ['evm.http-port', '0'],
    // As on a development chain, since the test removes blocks
    ['evm.serving-threads', '0'],
    ['evm.ws-enabled', 'false'],
    ['explorer.enable', 'false'],
    ['instrumentation.prometheus', 'false'],
  ])
  const { config } = loadConfig({ directory: home.config.directory, environment: {}, flags })
  const logger = createLogger({ level: 'error', format: 'plain', write: () => {} })
  const closers = new Disposables()
  const opened = await openForkChain(
    {
      home,
      config,
      logger,
      developers: { keys: [], balance: 0n },
      settings: new NextBlockOverrides(),
      onError: () => {},
    },
    closers,
  )
  const work = new WorkScheduler(config.evm.maxClientBytes)
  const context = { config, logger, metrics: createMetrics(), closers, work }
  const urls = await serveChain(context, opened.served, await chooseListen(context), home.root)
  return {
    url: urls.rpc as string,
    opened,
    recovery: await loadEngine(await WebAssembly.compile(await readModule('engine'))),
    close: () => closers.close(),
  }
}
