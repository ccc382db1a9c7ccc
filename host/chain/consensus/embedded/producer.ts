import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { hasYear } from '../../../base/time.ts'
import type { Genesis } from '../../../evm/chain-types/genesis.ts'
import { type HeaderOverrides, NO_HEADER_OVERRIDES } from '../../../evm/execute/header-overrides.ts'
import type { Application } from '../application.ts'
import { blockIdOf } from '../comet/block.ts'
import { type HaltPoint, isHaltReached, NO_HALT } from '../halt-point.ts'
import { lastHeightOf, type UpgradeHalt } from '../upgrade-halt.ts'
import { STEP } from '../validator/sign-state.ts'
import type { BlockSigner } from '../validator/validator.ts'
import type { ConsensusBlockStore } from './block-store.ts'
import { type ConsensusChain, consensusChainOf, requireNewChain } from './chain.ts'
import { type Clock, systemClock } from './clock.ts'
import { applyBlock, decideBlock } from './decide.ts'
import { handshake } from './handshake.ts'
import { type BlockProposal, makeProposal } from './proposal.ts'
import { heightAfter, keepAppHash, type Tip, verifyAppHash } from './tip.ts'

export interface ProducerOptions {
  readonly application: Application
  readonly genesis: Genesis
  readonly validator: BlockSigner
  readonly blockStore: ConsensusBlockStore
  readonly clock?: Clock
  readonly halt?: HaltPoint
  /** Called once, when the last block before the halt is committed. */
  readonly onHalted?: (height: number) => void
  readonly upgrade?: UpgradeHalt | undefined
}

/** Least difference between the times of two headers in nanoseconds, as in CometBFT. */
const MIN_TIME_STEP = 1_000_000n

/** The only validator and proposer of its chain. Makes a block on each call of `make`. */
export class BlockProducer {
  readonly #options: ProducerOptions
  readonly #chain: ConsensusChain
  readonly #clock: Clock
  #tip: Tip
  #toldHalt = false

  constructor(options: ProducerOptions, chain: ConsensusChain, tip: Tip) {
    this.#options = options
    this.#chain = chain
    this.#clock = options.clock ?? systemClock
    this.#tip = tip
  }

  /** Latest height; 0 before the first block. */
  get height(): number {
    return this.#tip.height
  }

  get nextHeight(): number {
    return heightAfter(this.#chain, this.#tip)
  }

  /** Time of the latest block, or of genesis, in nanoseconds since 1970. */
  get time(): bigint {
    return this.#tip.time
  }

  /** True if the next block is decided, but needs another release. */
  get awaitsUpgrade(): boolean {
    const { upgrade, blockStore } = this.#options
    return upgrade !== undefined && blockStore.height >= upgrade.plan.height
  }

  /** True if no further block may be made. The first such read tells why, by `onHalted` or the upgrade. */
  get isHalted(): boolean {
    const { halt = NO_HALT, onHalted, upgrade } = this.#options
    const { awaitsUpgrade } = this
    if (!awaitsUpgrade && !isHaltReached(halt, this.#tip)) return false
    if (this.#toldHalt) return true
    this.#toldHalt = true
    if (awaitsUpgrade) upgrade?.onReached()
    else onHalted?.(this.height)
    return true
  }

  /** Resolves to true if no header states the app hash after the latest block yet. */
  async owesAppHash(): Promise<boolean> {
    const { height, appHash, headerAppHash } = this.#tip
    return height === 0 || !equalBytes(await appHash, headerAppHash)
  }

  /** Finishes a height that a crash interrupted after its block was stored. */
  async resume(): Promise<void> {
    if (this.awaitsUpgrade) return
    const height = this.nextHeight
    const stored = this.#options.blockStore.block(height)
    if (stored === undefined) return
    const { header } = stored.block
    const blockId = blockIdOf(header, stored.encoded)
    verifyAppHash(await this.#tip.appHash, header.appHash, height, blockId.hash)
    await this.#finish({ ...stored, blockId })
  }

  /**
   * Makes the next block from the pending transactions and returns their number.
   * @param time nanoseconds since 1970, by default the clock's; raised if not later than the previous block
   * @param due transactions may join the block until it resolves; if it rejects, so does this call, and no block is
   * made
   */
  async make(
    time = this.#clock.wallTime(),
    settings = NO_HEADER_OVERRIDES,
    due?: Promise<void>,
  ): Promise<number> {
    const proposal = await this.#propose(time, settings, due)
    await this.#finish(proposal)
    return proposal.block.transactions.length
  }

  /** Continues from the latest block in application and store, after later blocks were removed from both. */
  async rewind(): Promise<void> {
    const { application, blockStore, upgrade } = this.#options
    this.#tip = await handshake(application, this.#chain, blockStore, lastHeightOf(upgrade))
    this.#toldHalt = false
  }

  /** Stores the app hash that the next start verifies. Make no block afterwards. */
  async close(): Promise<void> {
    await keepAppHash(this.#options.blockStore, this.#tip)
  }

  async #propose(
    time: bigint,
    settings: HeaderOverrides,
    due: Promise<void> | undefined,
  ): Promise<BlockProposal> {
    const { application, blockStore, validator } = this.#options
    const blockTime = later(time, this.#tip.time)
    requireYear(later(this.#clock.wallTime(), blockTime))
    const made = {
      time: blockTime,
      proposerAddress: validator.address,
      settings,
      ...(due !== undefined && { due }),
    }
    const proposal = await makeProposal(application, this.#chain, this.#tip, made)
    blockStore.propose(proposal.block.header.height, proposal.encoded, settings)
    return proposal
  }

  async #finish(proposal: BlockProposal): Promise<void> {
    const { application, blockStore, validator } = this.#options
    const voteTime = later(this.#clock.wallTime(), proposal.block.header.time)
    const decided = await decideBlock(this.#chain, blockStore, validator, proposal, voteTime)
    if (this.awaitsUpgrade) return
    this.#tip = await applyBlock(application, blockStore, decided)
  }
}

/**
 * Rejects a block whose time cannot be encoded before anything of it is written.
 * @param time of its vote, which is later than that of the block
 */
function requireYear(time: bigint): void {
  if (hasYear(time)) return
  throw new LockstepError(
    'UNSUPPORTED',
    `a block at ${time} ns since 1970 would be later than the year 9999, the last that a header can state`,
    { hint: "set the machine's clock" },
  )
}

function later(time: bigint, earlier: bigint): bigint {
  const earliest = earlier + MIN_TIME_STEP
  return time > earliest ? time : earliest
}

/**
 * Returns true if the key belongs to the chain's only validator.
 * @throws GENESIS_INVALID if genesis does not name exactly one, UNSUPPORTED
 */
export function isValidatorOf(
  genesis: Genesis,
  { publicKey }: Pick<BlockSigner, 'publicKey'>,
): boolean {
  requireNewChain(genesis)
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
 * Compares the signing state with the blocks. Every block is stored before it is signed, and signed before it is
 * decided. If they contradict that, one of the two was restored from a backup.
 * @param next height of the next block
 * @throws DOUBLE_SIGN if a signed block is missing, or a stored one may already have been signed
 */
async function verifySigned(
  { validator, blockStore }: Pick<ProducerOptions, 'validator' | 'blockStore'>,
  next: number,
): Promise<void> {
  if (!validator.isBound) return
  const { height, step } = validator.lastSigned
  const isStored = blockStore.block(next) !== undefined
  if (height > next || (height === next && step === STEP.PRECOMMIT && !isStored)) {
    throw new LockstepError(
      'DOUBLE_SIGN',
      `Duplicate signature refused: the validator has signed height ${height}, but the blocks in ` +
        `${blockStore.dir} end at height ${next - 1}`,
      {
        hint:
          'the blocks are older than the signatures: restore the latest data/, or import a snapshot of ' +
          `height ${height} or later from a node that follows this one`,
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
  // If the signing state is from an older backup, the blocks tell what was signed.
  await validator.closeHeights(next - 1)
}

/**
 * Opens the consensus of a chain with one validator: replays the blocks that the application lacks and finishes an
 * interrupted height.
 * @throws GENESIS_INVALID if genesis does not name exactly one validator, VALIDATOR_KEY if it is another one, and
 * what the replay throws (APP_HASH_MISMATCH, CONSENSUS_FAILURE, DOUBLE_SIGN)
 */
export async function openProducer(options: ProducerOptions): Promise<BlockProducer> {
  const chain = consensusChainOf(options.genesis)
  if (!isValidatorOf(options.genesis, options.validator)) {
    throw new LockstepError(
      'VALIDATOR_KEY',
      "the node's validator key is not the validator of genesis.json",
    )
  }
  const last = lastHeightOf(options.upgrade)
  const tip = await handshake(options.application, chain, options.blockStore, last)
  const producer = new BlockProducer(options, chain, tip)
  await verifySigned(options, producer.nextHeight)
  await producer.resume()
  return producer
}
