import { LockstepError } from '../../base/error.ts'
import { neverAborted } from '../../base/signal.ts'
import type { Block, BlockHeader } from '../chain-types/block.ts'
import { encodeBlockAccessList } from '../chain-types/block-access-list.ts'
import { uniteBlooms } from '../chain-types/bloom.ts'
import { type BlockHasher, listRoot } from '../chain-types/ethereum-block.ts'
import { TRANSACTION_GAS } from '../chain-types/generated/gas.ts'
import type { Receipt } from '../chain-types/receipt.ts'
import { atLeast } from '../chain-types/revision.ts'
import type { Transaction } from '../chain-types/transaction.ts'
import type { BlockEnv } from '../engine/message.ts'
import type { Run } from '../engine/need.ts'
import type { Outcome } from '../engine/outcome.ts'
import type { StateFork } from '../state/state-fork.ts'
import type { StateView } from '../state/view.ts'
import { AccessListBuilder } from './access-list-builder.ts'
import { type BlockEngine, runSystemCalls } from './block-engine.ts'
import { BlockGas } from './block-gas.ts'
import type { CandidateSource, PendingSource } from './candidates.ts'
import type { ChainRules } from './chain-rules.ts'
import type { EnginePool } from './engine-pool.ts'
import { bodyOf, sealDraft, UNKNOWN } from './header-draft.ts'
import { type HeaderOverrides, isSameHeaderOverrides } from './header-overrides.ts'
import { type History, knownHeader } from './history.ts'
import { makeReceipt } from './receipt.ts'
import { runUntil } from './run-until.ts'
import { transactNew } from './transact.ts'

/** The block that would now follow the latest one, and its post-state. */
export interface PendingBlock {
  /** Undecided: the roots of its lists are zeros, and its hash is that of a header with zeros. */
  readonly block: Block
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
  readonly view: StateFork
}

/** Developer settings for the next block. */
export interface PendingBlockOverrides extends HeaderOverrides {
  /** Unix time in seconds. */
  readonly timestamp: number
}

export interface PendingBlocksOptions {
  readonly history: History
  readonly rules: ChainRules
  readonly hasher: BlockHasher
  readonly engines: EnginePool<BlockEngine>
  readonly pool: PendingSource
  /** Returns the height of the latest block. */
  readonly latest: () => number
  /** Returns the Unix time in milliseconds. */
  readonly clock: () => number
  /** Returns a monotonic time in milliseconds. */
  readonly timer: () => number
  /** Returns the settings of the next block, on a development chain. */
  readonly upcoming?: () => PendingBlockOverrides
  /** Yields to other work while a block is built. */
  readonly pause: () => Promise<void>
}

/** A pending block, and the pool version, head and time it was built for. */
interface Built {
  readonly pending: PendingBlock
  readonly height: number
  readonly version: number
  readonly upcoming: PendingBlockOverrides | undefined
  /** From `timer`. */
  readonly started: number
  readonly ended: number
}

/** Gas that is always executed for a pending block, after every change of the pool; about 10 ms. */
const CHEAP_GAS = 5_000_000n
/** Milliseconds after which no candidates beyond CHEAP_GAS are added: about half the time between blocks. */
const BUILD_MS = 200
/** Milliseconds of work between two pauses. */
const TURN_MS = 2
/** A costlier block is reused for this multiple of its build time, unless the head changes. */
const KEPT = 4

const NEVER = neverAborted()

/**
 * Builds pending blocks by executing the pool's candidates on an engine of its own. Concurrent requests share a
 * build. Each request sees the pool as of its arrival, unless the pool takes long to execute.
 */
export class PendingBlocks {
  readonly #options: PendingBlocksOptions
  #built: Built | undefined
  #running: Promise<PendingBlock> | undefined
  #epoch = 0

  constructor(options: PendingBlocksOptions) {
    this.#options = options
  }

  /** @throws SERVER_BUSY if all engines are in use and the queue is full. */
  async latest(): Promise<PendingBlock> {
    const known = this.#fresh()
    if (known !== undefined) return known
    // A build in progress may predate the caller's last transaction.
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

  /** Discards the built block, when the chain or its state has changed. */
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
    upcoming: PendingBlockOverrides | undefined,
    deadline: number,
  ): Promise<PendingBlock> {
    const { history, rules, hasher, pool } = this.#options
    const keccak256 = (bytes: Uint8Array) => hasher.keccak256(bytes)
    const state = history.fork(height)
    const draft = this.#draft(knownHeader(history, height), upcoming)
    const env = rules.envOf(draft)
    engine.beginBlock(env)
    const isListed = atLeast(env.revision, 'Amsterdam')
    runSystemCalls(engine, state, rules.systemCallsOf(draft), isListed)
    const candidates = pool.candidates(env.baseFee)
    const { transactions, receipts, gasUsed } = await this.#fill(
      { engine, state, env, keccak256 },
      candidates,
      deadline,
    )
    const accesses = isListed ? new AccessListBuilder() : undefined
    accesses?.add(engine.accessList())
    state.apply(engine.diff())
    engine.beginBlock(env)
    const listing = accesses && { accesses, index: transactions.length + 1 }
    const logs = receipts.flatMap((receipt) => receipt.logs)
    const requestsHash = rules.close(engine, state, draft, [], logs, listing)
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
      blockAccessListHash: accesses && keccak256(encodeBlockAccessList(accesses.build())),
    }
    const toEthereum = (one: BlockHeader) => rules.ethereumHeader(one)
    const header = sealDraft(draft, results, raws, body, toEthereum, keccak256)
    const block = { header, transactions: raws, ...(body !== undefined && { ethereum: body }) }
    return { block, transactions, receipts, view: state }
  }

  #draft(parent: BlockHeader, upcoming: PendingBlockOverrides | undefined): BlockHeader {
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
    const blockGas = new BlockGas(env.gasLimit, env.revision)
    let turnEnd = timer() + TURN_MS
    for (;;) {
      if (timer() > turnEnd) {
        await pause()
        turnEnd = timer() + TURN_MS
        if (turnEnd > deadline && gasUsed > CHEAP_GAS) break
      }
      const candidate = candidates.peek()
      const gasLeft = blockGas.left
      if (candidate === undefined || gasLeft < TRANSACTION_GAS) break
      if (candidate.gas > gasLeft) {
        candidates.skip()
        continue
      }
      // Before it runs: the pool may change meanwhile, and then another is the best
      const sender = candidates.take()
      const outcome = await outcomeOf(transactNew(engine, candidate), state)
      // A candidate that exhausted the engine may do so again.
      if (outcome === undefined) break
      if (outcome.kind === 'rejected') {
        candidates.drop(sender)
        continue
      }
      gasUsed += outcome.gasUsed
      blockGas.add(outcome)
      transactions.push(candidate)
      receipts.push(makeReceipt(candidate, outcome, gasUsed, env, keccak256))
    }
    return { transactions, receipts, gasUsed: blockGas.used }
  }
}

function isSameUpcoming(
  a: PendingBlockOverrides | undefined,
  b: PendingBlockOverrides | undefined,
): boolean {
  return a?.timestamp === b?.timestamp && isSameHeaderOverrides(a, b)
}

/** Resolves to undefined if the candidate exhausts the engine; it then has no effect. */
async function outcomeOf(run: Run<Outcome>, state: StateView): Promise<Outcome | undefined> {
  try {
    return await runUntil(run, state, NEVER)
  } catch (error) {
    if (error instanceof LockstepError && error.code === 'ENGINE_FAULT') return undefined
    throw error
  }
}

/** Everything that executing candidates needs. */
interface Filling {
  readonly engine: BlockEngine
  readonly state: StateFork
  readonly env: BlockEnv
  readonly keccak256: (bytes: Uint8Array) => Uint8Array
}

/** Executed candidates. */
interface Filled {
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
  /** Gas that the block has used: since EIP-8037 the larger of two dimensions. */
  readonly gasUsed: bigint
}
