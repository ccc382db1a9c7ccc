import { randomUUID } from 'node:crypto'
import { BroadcastChannel, MessageChannel } from 'node:worker_threads'
import { chooseTransport } from '../../api/server/listen.ts'
import { RpcWorkerPool } from '../../api/server/threads/rpc-worker-pool.ts'
import type { Config } from '../../base/config/schema.ts'
import type { TransactionPool } from '../../chain/consensus/mempool/transaction-pool.ts'
import { BLOCK_CACHES, shareCaches } from '../../storage/store/chain/block-caches.ts'
import type { LiveSettings } from '../live-settings.ts'
import type { ServedChain } from '../open/served-chain.ts'
import { CLIENT_VERSION } from '../version.ts'
import { readModule } from '../wasm.ts'
import { rpcLimits } from './rpc-limits.ts'
import type {
  ChangedSettings,
  EvmWorkerNote,
  EvmWorkerParts,
  ServedStorage,
} from './rpc-worker-data.ts'
import type { ServerContext } from './server-context.ts'
import { logSlow } from './slow-requests.ts'
import { answerSubmissions } from './submissions.ts'

/** Cache for answers about finished blocks, over all workers, bytes. */
const ANSWER_BYTES = 32 * 1024 * 1024

/** Opens `count` RPC workers; undefined if the system has no transport that supports them. */
export async function openRpcWorkers(
  { config, logger, metrics, closers, live }: ServerContext,
  chain: ServedChain,
  count: number,
  submitAll: TransactionPool['addAll'],
): Promise<RpcWorkerPool | undefined> {
  const { evm, instrumentation } = config
  const { storage, heads, rules, poolRules, modules } = chain
  if ((await chooseTransport(evm.rpcServer)).name !== 'uws') {
    if (evm.servingThreads > 0) {
      logger.warn('serving_threads needs uWebSockets.js: serving on the main thread')
    }
    return undefined
  }
  const height = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)
  const word = new BigInt64Array(height)
  Atomics.store(word, 0, BigInt(storage.chain.latest))
  closers.add(
    heads.onBlock(({ block }) => {
      Atomics.store(word, 0, BigInt(block.header.number))
    }),
  )
  const recovery = await WebAssembly.compile(await readModule('recovery'))
  const settings = `lockstep-settings-${process.pid}-${randomUUID()}`
  /** With the settings of now: a thread may replace one that died. */
  const partsOf = ({ evm }: Config): Omit<EvmWorkerParts, 'storage'> => ({
    chainId: rules.chainId,
    height,
    clientVersion: CLIENT_VERSION,
    denied: evm.denyList,
    limits: rpcLimits({ evm }),
    corsOrigins: evm.corsOrigins,
    compression: evm.httpCompression,
    admission: poolRules && { rules: { ...poolRules }, recovery, engine: modules.engine },
    slowMs: evm.slowRequest,
    settings,
    counts: instrumentation.prometheus,
  })
  const threads = new RpcWorkerPool({
    threads: count,
    script: new URL('./rpc-worker.ts', import.meta.url),
    start: () => {
      const served = serveStorage(chain, evm, count)
      return {
        data: {
          ...partsOf(live?.config ?? config),
          storage: served?.storage,
        } satisfies EvmWorkerParts,
        transfer: served === undefined ? [] : [served.storage.editions],
        onExit: () => served?.close(),
      }
    },
    onNote: (thread, said) => {
      const note = said as EvmWorkerNote
      if (note.kind === 'counts') metrics.merge(thread, note.counts)
      else if (note.kind === 'slow') logSlow(logger, note.request)
      else logger.error('a method failed', { method: note.method, error: note.text })
    },
    onQuestion: (asked) => answerSubmissions(asked as Uint8Array, submitAll),
    onDeath: (error) => logger.error('an RPC worker died: starting another one', { error }),
  })
  closers.add(() => threads.close())
  if (live !== undefined) closers.add(passSettings(live, settings))
  return threads
}

/** Passes changed settings to the workers. Returns a function that ends that. */
function passSettings(live: LiveSettings, name: string): () => void {
  const channel = new BroadcastChannel(name)
  channel.unref()
  const stop = live.onChange(({ evm, minimumGasPrices: minTip }) => {
    const { corsOrigins, slowRequest: slowMs } = evm
    channel.postMessage({
      limits: rpcLimits({ evm }),
      corsOrigins,
      slowMs,
      minTip,
    } satisfies ChangedSettings)
  })
  return () => {
    stop()
    channel.close()
  }
}

/** Returns the storage of this node's own chain, shared out over the given number of workers. */
function serveStorage(
  { publisher, params, modules }: ServedChain,
  { maxConcurrentSimulationCalls }: Config['evm'],
  threads: number,
): { readonly storage: ServedStorage; close(): void } | undefined {
  if (publisher === undefined || params === undefined) return undefined
  const { port1: here, port2: editions } = new MessageChannel()
  const detach = publisher.attach((edition) => here.postMessage(edition))
  return {
    storage: {
      dirs: publisher.dirs,
      caches: shareCaches(BLOCK_CACHES, threads),
      editions,
      params,
      modules,
      waitingCalls: maxConcurrentSimulationCalls,
      answerBytes: Math.ceil(ANSWER_BYTES / threads),
    },
    close: () => {
      detach()
      here.close()
    },
  }
}
