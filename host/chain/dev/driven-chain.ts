import { randomBytes, randomInt } from 'node:crypto'
import { LockstepError } from '../../base/error.ts'
import { Mutex } from '../../base/mutex.ts'
import type { PendingBlockOverrides } from '../../evm/execute/pending-block.ts'
import type { WrittenKeys } from '../../evm/state/written-keys.ts'
import { BlockScheduler } from '../consensus/embedded/block-scheduler.ts'
import type { Clock } from '../consensus/embedded/clock.ts'
import type { Automining } from './automining-pool.ts'
import type { BlockMaker } from './block-maker.ts'
import { ChainClock, SECOND } from './chain-clock.ts'
import type {
  AmendmentMaking,
  DevChain,
  DevPool,
  ForkChoice,
  IntervalMs,
  MineRequest,
} from './dev-chain.ts'
import type { BlockRemoval, DevRecord, DevRecordStore, DevSnapshot } from './dev-memory.ts'
import type { NextBlockOverrides } from './next-block-overrides.ts'
import type { UnlockedAccounts } from './unlocked-accounts.ts'

export interface DrivenChainOptions {
  readonly maker: BlockMaker
  readonly memory: DevRecordStore
  readonly pool: DevPool
  readonly accounts: UnlockedAccounts
  readonly settings: NextBlockOverrides
  readonly clock: Clock
  /** Values at the start and after a reset. */
  readonly automine: boolean
  readonly intervalMs: IntervalMs
  /** True if the first block is due after the interval, as in anvil; by default it is due at once. */
  readonly waitsAtStart?: boolean
  /** False if the scheduler makes blocks only when there is work. */
  readonly createEmptyBlocks: boolean
  /** If above 0, the scheduler makes a block after this time even without work. */
  readonly createEmptyBlocksIntervalMs?: number
  /** Resolves to true if there is work for a block. By default, if transactions are pending. */
  readonly hasWork?: () => Promise<boolean>
  /** Time at which the clock of a new chain begins, in nanoseconds since 1970; undefined for now. */
  readonly beginsAt?: bigint | undefined
  /** True if each block made by hand has a second of its own. */
  readonly isStrictTime?: boolean
  /** As `DevChain.throwsOnRevert`; true by default. */
  readonly throwsOnRevert?: boolean
  /** As `DevChain.slotsInAnEpoch`; 0 by default. */
  readonly slotsInAnEpoch?: number
  /** Order in which the pool proposes transactions; by their tips if undefined. */
  readonly order?: DevChain['order']
  /** Returns the number of transactions that a block could contain now. */
  readonly waiting: () => number
  /** Called if a block fails; no further one is made. */
  readonly onError: (error: unknown) => void
}

/** Parts of the first half of what is left of a second, among which a time is drawn. */
const PARTS_OF_HALF = 2 ** 32

/** A chain that a developer controls, on top of a `BlockMaker`. */
export class DrivenChain implements DevChain, Automining {
  readonly time: ChainClock
  readonly next: NextBlockOverrides
  readonly pool: DevPool
  readonly accounts: UnlockedAccounts
  automine: boolean
  isLogging = true
  readonly #options: DrivenChainOptions
  #snapshots: Map<bigint, DevSnapshot>
  readonly #amendListeners = new Set<() => void>()
  #nextSnapshot: bigint
  #interval: IntervalMs = 0
  #rhythm: BlockScheduler | undefined
  #instanceId: Uint8Array = randomBytes(32)
  readonly #mutex = new Mutex()
  #isStopping = false

  constructor(options: DrivenChainOptions) {
    const { maker, memory, clock, settings, pool, accounts, automine } = options
    const { record } = memory
    this.#options = options
    this.automine = automine
    this.pool = pool
    this.accounts = accounts
    this.next = settings
    if (record !== undefined) {
      const { gasLimit = settings.gasLimit, ...stored } = record.settings
      settings.restore({ ...stored, gasLimit })
    }
    this.time = new ChainClock({
      wallTime: () => clock.wallTime(),
      lastTime: () => maker.time,
      offset: record?.offset,
      beginsAt: options.beginsAt,
      isStrict: options.isStrictTime === true,
      onChange: () => this.#save(),
    })
    this.#snapshots = new Map(record?.snapshots)
    this.#nextSnapshot = record?.nextSnapshot ?? 1n
  }

  /** Base fee of the next block, in wei per gas. */
  get nextBaseFee(): bigint {
    return this.next.baseFee ?? this.#options.maker.nextBaseFee
  }

  get upcoming(): PendingBlockOverrides {
    const { header } = this.next
    const baseFee = this.nextBaseFee
    return { ...header, baseFee, timestamp: Number(this.time.upcomingTime / SECOND) }
  }

  get fork(): BlockMaker['fork'] {
    return this.#options.maker.fork
  }

  get written(): WrittenKeys {
    return this.#options.maker.written
  }

  get throwsOnRevert(): boolean {
    return this.#options.throwsOnRevert !== false
  }

  get slotsInAnEpoch(): number {
    return this.#options.slotsInAnEpoch ?? 0
  }

  get order(): DevChain['order'] {
    return this.#options.order ?? 'fees'
  }

  get instanceId(): Uint8Array {
    return this.#instanceId
  }

  get intervalMs(): IntervalMs {
    return this.#interval
  }

  set intervalMs(interval: IntervalMs) {
    this.#interval = interval
    void this.#rhythm?.stop()
    this.#rhythm = this.#isStopping ? undefined : this.#beat(draw(interval))
  }

  async setAutomine(isOn: boolean): Promise<void> {
    this.automine = isOn
    const { waiting } = this.#options
    if (isOn) await this.automined(() => waiting() > 0)
  }

  /** Starts the block scheduler. With automining, also makes a block from the pending transactions. */
  start(): void {
    const { beginsAt, memory, waitsAtStart } = this.#options
    // A killed node continues from the same time.
    if (beginsAt !== undefined && memory.record === undefined) this.#save()
    this.#interval = this.#options.intervalMs
    this.#rhythm = this.#beat(waitsAtStart === true ? draw(this.#interval) : 0)
    if (!this.automine) return
    const { waiting, onError } = this.#options
    this.automined(() => waiting() > 0).catch((thrown) => {
      if (!isRefusal(thrown)) onError(thrown)
    })
  }

  /** Announces pending transactions. */
  notifyTransactions(): void {
    this.#rhythm?.wake()
  }

  /** Finishes the current work and starts no more. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#rhythm?.stop()
    await this.#mutex.runExclusive(() => {})
    this.#save()
  }

  mine(request: MineRequest): Promise<{ first: number; last: number }> {
    const { blocks, interval, timestamp, isReorganization = false, signal } = request
    return this.#inTurn(async () => {
      const { maker } = this.#options
      const first = maker.height + 1
      this.time.requireTimes(request)
      for (let made = 0; made < blocks; made++) {
        if (signal?.aborted || this.#isStopping) throw cutShort(made, blocks)
        if (made === 0 && timestamp !== undefined) this.time.setNext(timestamp)
        if (made > 0 && interval !== undefined) this.time.setNextAfter(interval)
        await this.#make(true, isReorganization)
      }
      return { first, last: maker.height }
    })
  }

  automined(isWaiting: () => boolean, onTurn = (): (() => void) => () => {}): Promise<void> {
    return this.#inTurn(async () => {
      const endTurn = onTurn()
      try {
        while (isWaiting()) if ((await this.#make(true)) === 0) return
      } finally {
        endTurn()
      }
    })
  }

  amend(make: AmendmentMaking): Promise<void> {
    return this.#inTurn(async () => {
      await this.#options.maker.amend(make)
      for (const listener of this.#amendListeners) listener()
    })
  }

  snapshot(): Promise<bigint> {
    return this.#inTurn(async () => {
      const { maker } = this.#options
      const { height } = maker
      const id = this.#nextSnapshot++
      const amendments = maker.amendments(height)
      this.#snapshots.set(id, {
        height,
        amendments,
        clock: this.time.state,
        settings: this.next.state,
      })
      this.#save()
      return id
    })
  }

  revert(id: bigint): Promise<boolean> {
    return this.#inTurn(async () => {
      const mark = this.#snapshots.get(id)
      if (mark === undefined) return false
      const { height, amendments, clock, settings } = mark
      const snapshots = this.#snapshotsBut((other) => other >= id)
      const offset = this.time.offsetAt(clock)
      const record = { ...this.#record, snapshots, offset, settings }
      await this.#cut({ height, amendments, record })
      this.next.restore(settings)
      this.time.restore(clock)
      return true
    })
  }

  rollback(blocks: number): Promise<void> {
    return this.#inTurn(async () => {
      const { maker } = this.#options
      const height = maker.height - blocks
      if (height < maker.earliest) {
        throw new LockstepError(
          'INVALID_ARGUMENT',
          `cannot remove ${blocks} blocks: only ${maker.height - maker.earliest} can be removed`,
          { hint: 'remove fewer' },
        )
      }
      const snapshots = this.#snapshotsBut((_, mark) => mark.height > height)
      const amendments = maker.amendments(height)
      await this.#cut({ height, amendments, record: { ...this.#record, snapshots } })
    })
  }

  async reset(fork?: ForkChoice): Promise<void> {
    await this.#inTurn(async () => {
      const { maker, automine } = this.#options
      if (fork !== undefined) await maker.refork(fork)
      const settings = this.next.initial
      const record = {
        ...this.#record,
        snapshots: new Map(),
        offset: this.time.initialOffset,
        settings,
      }
      await this.#cut({ height: maker.earliest, amendments: 0, record })
      this.pool.dropAll()
      this.next.reset()
      this.time.reset()
      this.automine = automine
      this.#instanceId = randomBytes(32)
    })
    this.intervalMs = this.#options.intervalMs
  }

  onAmend(listener: () => void): () => void {
    this.#amendListeners.add(listener)
    return () => this.#amendListeners.delete(listener)
  }

  async #cut(cut: BlockRemoval): Promise<void> {
    const { maker, onError } = this.#options
    try {
      await maker.cut(cut)
    } catch (thrown) {
      if (!isRefusal(thrown)) onError(thrown)
      throw thrown
    }
    this.#snapshots = new Map(cut.record.snapshots)
    for (const listener of this.#amendListeners) listener()
  }

  #snapshotsBut(isGone: (id: bigint, mark: DevSnapshot) => boolean): Map<bigint, DevSnapshot> {
    return new Map([...this.#snapshots].filter(([id, mark]) => !isGone(id, mark)))
  }

  /**
   * Makes a block and returns the number of its transactions.
   * @param isOther true for a hash that differs from that of a removed block with the same time and contents
   * @throws UNSUPPORTED if the chain has reached its halt height
   */
  async #make(isByHand: boolean, isOther = false): Promise<number> {
    const { maker, onError } = this.#options
    if (maker.isHalted) {
      throw new LockstepError('UNSUPPORTED', `no block is made after height ${maker.height}`, {
        hint: 'start the node without halt-height',
      })
    }
    const asked = this.time.nextTime(isByHand)
    const time = isOther ? laterInSecond(asked) : asked
    const { header: set } = this.next
    // On a fork, for example, the hash does not depend on parts of a second.
    const header = isOther ? { ...set, prevRandao: set.prevRandao ?? randomBytes(32) } : set
    let count: number
    try {
      count = await maker.make({ time, ...header })
    } catch (thrown) {
      onError(thrown)
      throw thrown
    }
    this.next.clearNextBlock()
    this.time.noteBlock(asked)
    return count
  }

  /** Runs tasks that change the chain one after another. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#mutex.runExclusive(() => {
      if (this.#isStopping) throw new LockstepError('INTERRUPTED', 'the node is stopping')
      return work()
    })
  }

  /** Starts the block scheduler; undefined if it is disabled. */
  #beat(delayMs: number): BlockScheduler | undefined {
    if (this.#interval === 0) return undefined
    const { clock, createEmptyBlocks, createEmptyBlocksIntervalMs, maker, waiting } = this.#options
    const { hasWork = async () => waiting() > 0 } = this.#options
    return new BlockScheduler(
      {
        clock,
        intervalMs: () => draw(this.#interval),
        createEmptyBlocks,
        createEmptyBlocksIntervalMs,
        hasWork,
        isHalted: () => maker.isHalted,
        make: async () => {
          await this.#inTurn(() => this.#make(false)).catch(() => undefined)
        },
        onError: this.#options.onError,
      },
      delayMs,
    )
  }

  get #record(): DevRecord {
    return {
      snapshots: this.#snapshots,
      nextSnapshot: this.#nextSnapshot,
      offset: this.time.offsetNs,
      settings: this.next.state,
    }
  }

  #save(): void {
    this.#options.memory.save(this.#record)
  }
}

/** Returns a random later time in the same second, in nanoseconds. */
function laterInSecond(time: bigint): bigint {
  const rest = SECOND - (time % SECOND)
  return time + (rest * BigInt(randomInt(1, PARTS_OF_HALF))) / BigInt(PARTS_OF_HALF * 2)
}

function cutShort(made: number, blocks: number): LockstepError {
  return new LockstepError('INTERRUPTED', `${made} of ${blocks} blocks were made`)
}

const REFUSALS: ReadonlySet<string> = new Set([
  'UNSUPPORTED',
  'INVALID_ARGUMENT',
  'REFUSED_ARGUMENT',
])

/** Returns true if the error left the chain unchanged. */
function isRefusal(thrown: unknown): boolean {
  return thrown instanceof LockstepError && REFUSALS.has(thrown.code)
}

/** Returns the milliseconds to the next block: random in a range. */
function draw(interval: IntervalMs): number {
  if (typeof interval === 'number') return interval
  const [least, most] = interval
  return least + Math.random() * (most - least)
}
