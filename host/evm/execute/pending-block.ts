import { LockstepError } from '../../base/error.ts'
import { neverAborted } from '../../base/signal.ts'
import type { Block, BlockHeader } from '../chain-types/block.ts'
import { uniteBlooms } from '../chain-types/bloom.ts'
import { type BlockHasher, listRoot } from '../chain-types/ethereum-block.ts'
import { TRANSACTION_GAS } from '../chain-types/generated/gas.ts'
import type { Receipt } from '../chain-types/receipt.ts'
import type { Transaction } from '../chain-types/transaction.ts'
import type { BlockEnv } from '../engine/message.ts'
import type { Run } from '../engine/need.ts'
import type { Outcome } from '../engine/outcome.ts'
import type { StateFork } from '../state/state-fork.ts'
import type { StateView } from '../state/view.ts'
import { type BlockEngine, runSystemCalls } from './block-engine.ts'
import type { CandidateSource, PendingSource } from './candidates.ts'
import type { ChainRules } from './chain-rules.ts'
import type { EnginePool } from './engine-pool.ts'
import { bodyOf, sealDraft, UNKNOWN } from './header-draft.ts'
import { type HeaderSettings, isSameSettings } from './header-settings.ts'
import { type History, knownHeader } from './history.ts'
import { makeReceipt } from './receipt.ts'
import { runUntil } from './run-until.ts'
import { transactNew } from './transact.ts'

/** The block that would follow the newest one now, and the state after it. */
export interface PendingBlock {
  /**
   * The roots of its lists are zeros, and its hash is that of a header with zeros: nobody has decided the
   * block.
   */
  readonly block: Block
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
  readonly view: StateView
}

/** What a developer has set of the next block. */
export interface UpcomingBlock extends HeaderSettings {
  /** Seconds since 1970. */
  readonly timestamp: number
}

export interface PendingBlocksOptions {
  readonly history: History
  readonly rules: ChainRules
  readonly hasher: BlockHasher
  readonly engines: EnginePool<BlockEngine>
  readonly pool: PendingSource
  /** Height of the newest block. */
  readonly latest: () => number
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Milliseconds of a clock that only goes forward. */
  readonly timer: () => number
  /** How the next block is set by hand, on a development chain. */
  readonly upcoming?: () => UpcomingBlock
  /** Lets other work of the process run while a block is put together. */
  readonly pause: () => Promise<void>
}

/** A pending block, the pool and head that it was made of, and when. */
interface Built {
  readonly pending: PendingBlock
  readonly height: number
  readonly version: number
  readonly upcoming: UpcomingBlock | undefined
  /** By the timer. */
  readonly started: number
  readonly ended: number
}

/** Gas that is always run for a pending block, some 10 ms, and after every change of the pool. */
const CHEAP_GAS = 5_000_000n
/** Milliseconds after which no candidate beyond that gas is added: about half of the time between two blocks. */
const BUILD_MS = 200
/** Milliseconds of work between two pauses. */
const TURN_MS = 2
/** A block that took more gas is shown for this many times the time it took, unless a new head comes. */
const KEPT = 4

const NEVER = neverAborted()

/**
 * Puts pending blocks together by running the pool's candidates, on an engine beside the chain's. Requests
 * share one run; each sees what the pool held when it asked, but for a pool that takes long to run.
 */
export class PendingBlocks {
  readonly #options: PendingBlocksOptions
  #built: Built | undefined
  #running: Promise<PendingBlock> | undefined
  #epoch = 0

  constructor(options: PendingBlocksOptions) {
    this.#options = options
  }

  /** @throws SERVER_BUSY when all engines work and the queue for them is full. */
  async latest(): Promise<PendingBlock> {
    const known = this.#fresh()
    if (known !== undefined) return known
    // A build in progress may have begun before the caller's last transaction came.
    if (this.#running !== undefined) {
      await this.#running.catch(() => undefined)
      const ran = this.#fresh()
      if (ran !== undefined) return ran
    }
    this.#running ??= this.#build().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Forgets what was put together: the chain or its state is no longer what it was made of. */
  forget(): void {
    this.#epoch++
    this.#built = undefined
  }

  #fresh(): PendingBlock | undefined {
    const { pool, latest, timer } = this.#options
    const built = this.#built
    if (built === undefined || built.height !== latest()) return undefined
    if (!isSameUpcoming(built.upcoming, this.#options.upcoming?.())) return undefined
    if (built.version === pool.version) return built.pending
    const { pending, started, ended } = built
    const isCheap = pending.block.header.gasUsed <= CHEAP_GAS
    return isCheap || timer() > ended + KEPT * (ended - started) ? undefined : pending
  }

  async #build(): Promise<PendingBlock> {
    const { engines, pool, latest, timer } = this.#options
    return engines.use(async (engine) => {
      const started = timer()
      const height = latest()
      const { version } = pool
      const epoch = this.#epoch
      const upcoming = this.#options.upcoming?.()
      const pending = await this.#run(engine, height, upcoming, started + BUILD_MS)
      if (epoch === this.#epoch) {
        this.#built = { pending, height, version, upcoming, started, ended: timer() }
      }
      return pending
    })
  }

  async #run(
    engine: BlockEngine,
    height: number,
    upcoming: UpcomingBlock | undefined,
    deadline: number,
  ): Promise<PendingBlock> {
    const { history, rules, hasher, pool } = this.#options
    const keccak256 = (bytes: Uint8Array) => hasher.keccak256(bytes)
    const state = history.fork(height)
    const draft = this.#draft(knownHeader(history, height), upcoming)
    const env = rules.envOf(draft)
    engine.beginBlock(env)
    runSystemCalls(engine, state, rules.systemCallsOf(draft))
    const candidates = pool.candidates(env.baseFee)
    const { transactions, receipts, gasUsed } = await this.#fill(
      { engine, state, env, keccak256 },
      candidates,
      deadline,
    )
    state.apply(engine.diff())
    engine.beginBlock(env)
    const logs = receipts.flatMap((receipt) => receipt.logs)
    const requestsHash = rules.close(engine, state, draft, [], logs)
    const raws = transactions.map(({ raw }) => raw)
    const body = bodyOf(draft, [])
    const results = {
      stateRoot: state.root(),
      transactionsRoot: UNKNOWN,
      receiptsRoot: UNKNOWN,
      logsBloom: uniteBlooms(receipts.map(({ logsBloom }) => logsBloom)),
      gasUsed,
      blobGasUsed: 0n,
      requestsHash,
    }
    const toEthereum = (one: BlockHeader) => rules.ethereumHeader(one)
    const header = sealDraft(draft, results, raws, body, toEthereum, keccak256)
    const block = { header, transactions: raws, ...(body !== undefined && { ethereum: body }) }
    return { block, transactions, receipts, view: state }
  }

  #draft(parent: BlockHeader, upcoming: UpcomingBlock | undefined): BlockHeader {
    const { rules, hasher, clock } = this.#options
    return rules.draft(parent, {
      number: parent.number + 1,
      timestamp: upcoming?.timestamp ?? Math.max(Math.floor(clock() / 1000), parent.timestamp + 1),
      gasLimit: upcoming?.gasLimit,
      coinbase: upcoming?.coinbase,
      prevRandao: upcoming?.prevRandao,
      baseFee: upcoming?.baseFee ?? rules.nextBaseFee(parent),
      parentBeaconBlockRoot: undefined,
      withdrawalsRoot: listRoot(hasher, []),
    })
  }

  async #fill(
    { engine, state, env, keccak256 }: Filling,
    candidates: CandidateSource,
    deadline: number,
  ): Promise<Filled> {
    const { pause, timer } = this.#options
    const transactions: Transaction[] = []
    const receipts: Receipt[] = []
    let gasUsed = 0n
    let turnEnd = timer() + TURN_MS
    for (;;) {
      const candidate = candidates.peek()
      const gasLeft = env.gasLimit - gasUsed
      if (candidate === undefined || gasLeft < TRANSACTION_GAS) break
      if (timer() > turnEnd) {
        await pause()
        turnEnd = timer() + TURN_MS
        if (turnEnd > deadline && gasUsed > CHEAP_GAS) break
      }
      if (candidate.gas > gasLeft) {
        candidates.skip()
        continue
      }
      const outcome = await outcomeOf(transactNew(engine, candidate), state)
      // A candidate that exhausted the engine may exhaust it again.
      if (outcome === undefined) break
      if (outcome.kind === 'rejected') {
        candidates.skip()
        continue
      }
      gasUsed += outcome.gasUsed
      transactions.push(candidate)
      receipts.push(makeReceipt(candidate, outcome, gasUsed, env, keccak256))
      candidates.take()
    }
    return { transactions, receipts, gasUsed }
  }
}

function isSameUpcoming(a: UpcomingBlock | undefined, b: UpcomingBlock | undefined): boolean {
  return a?.timestamp === b?.timestamp && isSameSettings(a, b)
}

/** Undefined for a candidate that exhausts the engine: it has no effect. */
async function outcomeOf(run: Run<Outcome>, state: StateView): Promise<Outcome | undefined> {
  try {
    return await runUntil(run, state, NEVER)
  } catch (error) {
    if (error instanceof LockstepError && error.code === 'ENGINE_FAULT') return undefined
    throw error
  }
}

/** All that candidates run with. */
interface Filling {
  readonly engine: BlockEngine
  readonly state: StateFork
  readonly env: BlockEnv
  readonly keccak256: (bytes: Uint8Array) => Uint8Array
}

/** Candidates that ran. */
interface Filled {
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
  readonly gasUsed: bigint
}
