import { equalBytes } from '../../base/bytes.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import type { Genesis } from '../../chain-types/genesis.ts'
import { type Application, type ConsensusEngine, IN_SYNC } from '../application.ts'
import { blockIdOf } from '../comet/block.ts'
import { STEP } from '../validator/sign-state.ts'
import type { Validator } from '../validator/validator.ts'
import type { BlockStore } from './block-store.ts'
import { type Chain, chainOf, requireBeginning } from './chain.ts'
import { type Clock, systemClock } from './clock.ts'
import { applyBlock, decideBlock } from './decide.ts'
import { handshake } from './handshake.ts'
import { makeProposal, type Proposal } from './proposal.ts'
import { heightAfter, keepAppHash, type Tip, verifyAppHash } from './tip.ts'

export interface EmbeddedEngineOptions {
  readonly application: Application
  readonly genesis: Genesis
  readonly validator: Validator
  readonly blockStore: BlockStore
  /** From the start of one block to the start of the next. */
  readonly blockTimeMs: number
  /** False: a block is made when there are transactions, and one after the app hash has changed. */
  readonly createEmptyBlocks?: boolean
  /** Above 0: a block is made after this long also without transactions. */
  readonly createEmptyBlocksIntervalMs?: number
  readonly clock?: Clock
  /** Above 0: no block is made after that of this height. */
  readonly haltHeight?: number
  /** Called once, when the block of `haltHeight` is committed. */
  readonly onHalted?: (height: number) => void
  /** Called once when a height fails; the chain then stands still. */
  readonly onError: (error: LockstepError) => void
}

/** Header times of two blocks differ by at least this, as CometBFT's do. */
const MIN_TIME_STEP = 1_000_000n

/** The longest timer of Node, 24.8 days. */
const FOREVER_MS = 2 ** 31 - 1

/** The error with which a node stands still at a height. */
export function haltError(height: number, cause: unknown): LockstepError {
  return new LockstepError(
    cause instanceof LockstepError ? cause.code : 'CONSENSUS_FAILURE',
    `Consensus failure - height halted at ${height}: ${messageOf(cause)}`,
    cause instanceof LockstepError ? { cause, data: cause.data, hint: cause.hint } : { cause },
  )
}

/** The single validator and proposer of its chain. */
class EmbeddedEngine implements ConsensusEngine {
  readonly sync = IN_SYNC
  readonly #options: EmbeddedEngineOptions
  readonly #chain: Chain
  readonly #clock: Clock
  readonly #stopping = new AbortController()
  #tip: Tip
  #transactionsPending = false
  #wake = new AbortController()
  #finished: Promise<void> = Promise.resolve()

  constructor(options: EmbeddedEngineOptions, chain: Chain, tip: Tip) {
    this.#options = options
    this.#chain = chain
    this.#clock = options.clock ?? systemClock
    this.#tip = tip
  }

  get height(): number {
    return this.#tip.height
  }

  notifyTransactions(): void {
    if (this.#transactionsPending) return
    this.#transactionsPending = true
    this.#wake.abort()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#wake.abort()
    await this.#finished
    await keepAppHash(this.#options.blockStore, this.#tip)
  }

  /** Finishes the height that a crash interrupted after its block was stored. */
  async resume(): Promise<void> {
    const height = heightAfter(this.#chain, this.#tip)
    const stored = this.#options.blockStore.block(height)
    if (stored === undefined) return
    const { header } = stored.block
    const blockId = blockIdOf(header, stored.encoded)
    verifyAppHash(await this.#tip.appHash, header.appHash, height, blockId.hash)
    await this.#finish({ ...stored, blockId })
  }

  start(): void {
    this.#finished = this.#run()
  }

  async #run(): Promise<void> {
    const interval = this.#options.blockTimeMs
    let due = this.#clock.monotonic()
    try {
      while (!this.#isHalted()) {
        await this.#waitUntil(due)
        await this.#waitForWork()
        if (this.#stopping.signal.aborted) return
        const started = this.#clock.monotonic()
        await this.#makeBlock()
        // A late block shortens the wait for the next; one later than an interval starts a new beat.
        due = (started - due > interval ? started : due) + interval
      }
    } catch (cause) {
      this.#options.onError(haltError(heightAfter(this.#chain, this.#tip), cause))
    }
  }

  #isHalted(): boolean {
    const { haltHeight = 0, onHalted } = this.#options
    const { height } = this.#tip
    if (haltHeight === 0 || height < haltHeight) return false
    onHalted?.(height)
    return true
  }

  async #waitUntil(due: number): Promise<void> {
    const rest = due - this.#clock.monotonic()
    if (rest > 0) await this.#clock.wait(rest, this.#stopping.signal)
  }

  async #waitForWork(): Promise<void> {
    const { createEmptyBlocks = true, createEmptyBlocksIntervalMs = 0 } = this.#options
    if (createEmptyBlocks && createEmptyBlocksIntervalMs === 0) return
    // Transactions may come while the app hash is waited for.
    const wake = new AbortController()
    this.#wake = wake
    if ((await this.#hasWork()) || this.#stopping.signal.aborted) return
    await this.#clock.wait(createEmptyBlocksIntervalMs || FOREVER_MS, wake.signal)
  }

  /** Transactions wait, or a header has yet to state the app hash of the newest block. */
  async #hasWork(): Promise<boolean> {
    const { height, appHash, headerAppHash } = this.#tip
    if (this.#transactionsPending || height === 0) return true
    return !equalBytes(await appHash, headerAppHash)
  }

  async #makeBlock(): Promise<void> {
    const { application, blockStore, validator } = this.#options
    this.#transactionsPending = false
    const time = this.#timeAfter(this.#tip.time)
    const tip = this.#tip
    const proposal = await makeProposal(application, this.#chain, tip, validator.address, time)
    // A full block may have left transactions behind.
    if (proposal.block.transactions.length > 0) this.#transactionsPending = true
    blockStore.propose(proposal.block.header.height, proposal.encoded)
    await this.#finish(proposal)
  }

  async #finish(proposal: Proposal): Promise<void> {
    const { application, blockStore, validator } = this.#options
    const voteTime = this.#timeAfter(proposal.block.header.time)
    const decided = await decideBlock(this.#chain, blockStore, validator, proposal, voteTime)
    this.#tip = await applyBlock(application, blockStore, decided)
  }

  #timeAfter(earlier: bigint): bigint {
    const now = this.#clock.wallTime()
    const earliest = earlier + MIN_TIME_STEP
    return now > earliest ? now : earliest
  }
}

/**
 * True when the key is that of the chain's one validator.
 * @throws GENESIS_INVALID when genesis does not name exactly one, UNSUPPORTED
 */
export function isValidatorOf(
  genesis: Genesis,
  { publicKey }: Pick<Validator, 'publicKey'>,
): boolean {
  requireBeginning(genesis)
  const { validators } = genesis
  const [only, ...others] = validators
  if (only === undefined || others.length > 0) {
    throw new LockstepError(
      'GENESIS_INVALID',
      `genesis.json names ${validators.length} validators; the embedded engine runs one`,
      { hint: 'write engine = "cometbft" into [consensus] of config.toml, or name one validator' },
    )
  }
  return equalBytes(only.publicKey, publicKey)
}

/**
 * Compares what the validator has signed with the blocks. Every block is stored before it is signed, and
 * signed before it is decided: where they contradict that, one of the two is a restored one.
 * @param next height of the next block
 * @throws DOUBLE_SIGN when a block that was signed is not there, or a stored one may have been signed
 */
async function verifySigned(
  { validator, blockStore }: Pick<EmbeddedEngineOptions, 'validator' | 'blockStore'>,
  next: number,
): Promise<void> {
  const { height, step } = validator.lastSigned
  const isStored = blockStore.block(next) !== undefined
  if (height > next || (height === next && step === STEP.PRECOMMIT && !isStored)) {
    throw new LockstepError(
      'DOUBLE_SIGN',
      `Duplicate signature refused: the validator has signed height ${height}, but the blocks in ` +
        `${blockStore.dir} end at height ${next - 1}`,
      {
        hint:
          'the blocks are older than the signatures: put the newest data/ back, or import a snapshot of ' +
          `height ${height} or later of a node that followed`,
      },
    )
  }
  if (height < next - 1 && isStored) {
    throw new LockstepError(
      'DOUBLE_SIGN',
      `Duplicate signature refused: the signing state ends at height ${height}, but block ${next} in ` +
        `${blockStore.dir} may have been signed`,
      { hint: 'restore data/priv_validator_state.json: it is older than the blocks' },
    )
  }
  // The blocks say what was signed, where the state is of an older backup than they are.
  await validator.closeHeights(next - 1)
}

/**
 * Starts the consensus of a chain with one validator: replays what the application has missed, finishes
 * a height that was interrupted, and then makes blocks until it is stopped.
 * @throws GENESIS_INVALID when genesis does not name exactly one validator, VALIDATOR_KEY when it is not
 * this one, and what the replay throws (APP_HASH_MISMATCH, CONSENSUS_FAILURE, DOUBLE_SIGN).
 */
export async function startEmbeddedEngine(
  options: EmbeddedEngineOptions,
): Promise<ConsensusEngine> {
  const chain = chainOf(options.genesis)
  if (!isValidatorOf(options.genesis, options.validator)) {
    throw new LockstepError(
      'VALIDATOR_KEY',
      "the node's validator key is not the validator of genesis.json",
    )
  }
  const tip = await handshake(options.application, chain, options.blockStore)
  await verifySigned(options, heightAfter(chain, tip))
  const engine = new EmbeddedEngine(options, chain, tip)
  await engine.resume()
  engine.start()
  return engine
}
