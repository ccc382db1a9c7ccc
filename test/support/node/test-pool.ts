import { bigintToBytes, concatBytes } from '../../../host/base/bytes.ts'
import type { Journal } from '../../../host/chain/consensus/mempool/journal.ts'
import {
  Mempool,
  type PoolHead,
  type Restored,
} from '../../../host/chain/consensus/mempool/mempool.ts'
import type { PoolLimits, PoolRules } from '../../../host/chain/consensus/mempool/pool-options.ts'
import type { Transaction } from '../../../host/evm/chain-types/transaction.ts'
import { EMPTY_CODE_HASH, encodeAccount } from '../../../host/evm/state/account.ts'
import { senderInR } from '../engine/unsigned-sender.ts'

export const POOL_RULES: PoolRules = {
  chainId: 1329n,
  revision: 'Prague',
  maxGas: 10_000_000n,
  minBaseFee: 10n,
  minTip: 1n,
  maxTransactionBytes: 131_072,
  allowUnprotected: false,
}
export const POOL_LIMITS: PoolLimits = {
  maxTransactions: 100,
  maxBytes: 1_000_000,
  accountSlots: 2,
  accountQueue: 4,
  globalQueue: 8,
  priceBump: 10,
  lifetime: 0,
  ttlDuration: 0,
  ttlBlocks: 0,
}

export const address = (id: number) => bigintToBytes(BigInt(id), 20)
export const ALICE = address(1)
export const BOB = address(2)
export const CAROL = address(3)

/** Balance and nonce of every account in the pool's state. */
export interface Funds {
  nonce?: bigint
  balance?: bigint
}

export interface PoolSetup {
  rules?: Partial<PoolRules>
  limits?: Partial<PoolLimits>
  funds?: Funds
  baseFee?: bigint
  journal?: Journal
  onRestored?: (restored: Restored) => void
  clock?: () => number
  refusedKept?: number
  /** Called for each sender recovery. */
  onRecovery?: () => void
}

function record({ nonce = 0n, balance = 10n ** 18n }: Funds): Uint8Array {
  return encodeAccount({ nonce, balance, codeHash: EMPTY_CODE_HASH })
}

/** Returns the row of an account in the diff of a block. */
export function row(who: Uint8Array, funds: Funds): Uint8Array {
  return concatBytes([who, record(funds)])
}

export function head(height: number, { funds = {}, baseFee = 10n }: PoolSetup = {}): PoolHead {
  return { height, baseFee, view: { account: () => record(funds) } }
}

/** Returns a pool that reads senders from `r` and has its first head. */
export function openPool(setup: PoolSetup = {}): Mempool {
  const pool = new Mempool({
    rules: { ...POOL_RULES, ...setup.rules },
    limits: { ...POOL_LIMITS, ...setup.limits },
    recovery: {
      ...senderInR,
      recoverAddress: (...signature) => {
        setup.onRecovery?.()
        return senderInR.recoverAddress(...signature)
      },
    },
    ...(setup.refusedKept !== undefined && { refusedKept: setup.refusedKept }),
    journal: setup.journal,
    ...(setup.onRestored && { onRestored: setup.onRestored }),
    clock: setup.clock ?? (() => 0),
  })
  pool.advance(head(0, setup), new Uint8Array())
  return pool
}

/** Returns all transactions that a block with `baseFee` could include, in order. */
export function drain(pool: Mempool, baseFee: bigint): Transaction[] {
  const order = pool.candidates(baseFee)
  const taken: Transaction[] = []
  for (let best = order.peek(); best !== undefined; best = order.peek()) {
    taken.push(best)
    order.take()
  }
  return taken
}
