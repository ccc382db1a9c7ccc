import type { Config } from '../../base/config/schema.ts'
import type { Logger } from '../../base/log/logger.ts'
import { startInterval, stopTimer } from '../../base/timer.ts'
import type { Journal } from '../../chain/consensus/mempool/journal.ts'
import { Mempool, type Restored } from '../../chain/consensus/mempool/mempool.ts'
import type { PoolRules } from '../../chain/consensus/mempool/pool-options.ts'
import type { NextBlockOverrides } from '../../chain/dev/next-block-overrides.ts'
import type {
  DeferredRecovery,
  SignatureRecovery,
} from '../../evm/chain-types/signature-recovery.ts'
import type { Disposables } from '../disposables.ts'

export interface PoolOptions {
  readonly config: Config
  readonly logger: Logger
  readonly rules: PoolRules
  readonly recovery: SignatureRecovery
  readonly deferredRecovery: DeferredRecovery | undefined
  /** Undefined to drop pending transactions when the process ends. */
  readonly journal: Journal | undefined
}

/** Interval of removing expired transactions, ms. */
const SWEEP_MS = 1000

function logRestored(logger: Logger, { transactions, dropped, lostBytes }: Restored): void {
  if (transactions > 0) logger.info('mempool restored', { transactions })
  for (const [reason, count] of dropped) {
    logger.info('mempool: dropped transactions of the journal', { transactions: count, reason })
  }
  if (lostBytes > 0) {
    logger.warn('mempool: the journal has bytes that are not a whole transaction', {
      bytes: lostBytes,
    })
  }
}

/** Returns the pool rules of a development chain, whose limits next-block overrides can change at run time. */
export function drivenRules(rules: PoolRules, settings: NextBlockOverrides): PoolRules {
  const { maxGas, minBaseFee, minTip } = rules
  return {
    ...rules,
    allowUnprotected: true,
    replacesByCap: true,
    get maxGas() {
      return settings.gasLimit ?? maxGas
    },
    get minBaseFee() {
      const { baseFee = minBaseFee } = settings
      if (baseFee < minBaseFee) return baseFee
      return minBaseFee
    },
    get minTip() {
      const { minGasPrice } = settings
      if (minGasPrice > minTip) return minGasPrice
      return minTip
    },
  }
}

/** Opens the pool of a chain with the configured limits. */
export function openMempool(
  { config, logger, rules, recovery, deferredRecovery, journal }: PoolOptions,
  closers: Disposables,
): Mempool {
  const mempool = new Mempool({
    rules,
    limits: {
      maxTransactions: config.mempool.size,
      maxBytes: config.mempool.maxTxsBytes,
      accountSlots: config.mempool.accountSlots,
      accountQueue: config.mempool.accountQueue,
      globalQueue: config.mempool.globalQueue,
      priceBump: config.mempool.priceBump,
      isByArrival: rules.isDevelopment === true && config.dev.order === 'fifo',
      lifetime: config.mempool.lifetime,
      ttlDuration: config.mempool.ttlDuration,
      ttlBlocks: config.mempool.ttlNumBlocks,
    },
    recovery,
    deferredRecovery,
    refusedKept: config.mempool.keepInvalidTxsInCache ? config.mempool.cacheSize : 0,
    journal,
    onRestored: (restored) => logRestored(logger, restored),
    clock: () => Date.now(),
  })
  // A chain without empty blocks may have no new heads, which normally trigger expiry.
  const sweep = startInterval(() => mempool.expire(), SWEEP_MS)
  closers.add(() => {
    stopTimer(sweep)
    mempool.close()
  })
  return mempool
}
