import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { METHODS } from '../../host/api/rpc/methods.ts'
import { Dispatcher } from '../../host/api/rpc/protocol/dispatcher.ts'
import { WorkScheduler } from '../../host/api/server/work-scheduler.ts'
import { loadConfig } from '../../host/base/config/load.ts'
import type { Config } from '../../host/base/config/schema.ts'
import { createLogger } from '../../host/base/log/pino-logger.ts'
import { createMetrics } from '../../host/base/metrics/metrics.ts'
import { readBlocks } from '../../host/chain/consensus/import/block-file.ts'
import { decodeEthereumGenesis } from '../../host/evm/execute/ethereum/genesis.ts'
import { Disposables } from '../../host/node/disposables.ts'
import { openImport, openImported } from '../../host/node/open/open-imported.ts'
import { rpcContext } from '../../host/node/serve/serve-evm.ts'
import { SubmissionLog } from '../../host/node/serve/submission-log.ts'
import { openStorage } from '../../host/storage/store/open-storage.ts'
import type { Machines } from './case.ts'

/** Returns the folder with the `chain.rlp` and `genesis.json` of a file's round trips: the parent of its own. */
export function chainFolderOf(path: string): string {
  return dirname(dirname(path))
}

/** geth's default gas limit for calls, used in its recorded responses. */
const GAS_LIMIT = '50000000'

function testConfig(directory: string): Config {
  const flags = new Map([['evm.simulation-gas-limit', GAS_LIMIT]])
  return loadConfig({ directory, environment: {}, flags }).config
}

/** Imports the chain of a folder into its own storage and serves it. */
async function openChain(folder: string, dir: string): Promise<Dispatcher> {
  mkdirSync(dir, { recursive: true })
  const genesis = decodeEthereumGenesis(readFileSync(join(folder, 'genesis.json'), 'utf8'))
  const storage = await openStorage({
    dir,
    backend: 'lmdb',
    evmSplit: false,
    evmSeparateDbs: false,
    keepRecent: 0,
    retainBlocks: 0,
    flushInterval: 10,
  })
  const chain = await openImport(storage, genesis)
  for (const raw of readBlocks(join(folder, 'chain.rlp'))) await chain.add(raw)
  const config = testConfig(dir)
  const logger = createLogger({
    level: 'error',
    format: 'plain',
    write: (line) => void console.error(line),
  })
  const site = { config, logger, closers: new Disposables() }
  const served = await openImported(site, storage, genesis)
  const context = rpcContext({
    config,
    chain: { ...served, addressIndex: undefined },
    logger,
    metrics: createMetrics(),
    work: WORK,
    submissions: new SubmissionLog(logger, () => undefined),
  })
  return new Dispatcher(context, METHODS)
}

/** Unlimited, so that no request is refused for the work of others. */
const WORK = new WorkScheduler(Number.POSITIVE_INFINITY)

const opened = new Map<string, Promise<Dispatcher>>()

/** Returns the response of a node that serves the chain of a folder. Imports the chain at the first request. */
export async function answerImported(
  { scratch }: Machines,
  folder: string,
  request: string,
): Promise<unknown> {
  const dir = join(scratch, encodeURIComponent(folder))
  const opening = opened.get(folder) ?? openChain(folder, dir)
  opened.set(folder, opening)
  const dispatcher = await opening
  const answer = await dispatcher.answer(Buffer.from(request), {
    transport: 'http',
    signal: new AbortController().signal,
    subscriber: undefined,
    account: WORK.account('192.0.2.1'),
  })
  if (answer === undefined) return undefined
  if (typeof answer === 'string') return JSON.parse(answer)
  const pieces: Uint8Array[] = []
  for await (const { borrowed } of answer) pieces.push(new Uint8Array(borrowed))
  return JSON.parse(Buffer.concat(pieces).toString())
}
