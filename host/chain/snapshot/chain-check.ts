import { equalBytes } from '../../base/bytes.ts'
import { formatData, parseFixedData } from '../../base/hex.ts'
import type { BlockHeader } from '../../evm/chain-types/block.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import { encodeGenesis } from '../../evm/chain-types/genesis-codec.ts'
import type { Keccak256 } from '../../evm/chain-types/signature-recovery.ts'
import { blockIdOf } from '../consensus/comet/block.ts'
import { faultOfCommit } from '../consensus/comet/commit-verification.ts'
import { consensusChainOf } from '../consensus/embedded/chain.ts'
import type { DecidedRecord } from './chain-record.ts'
import type { SnapshotMetadata } from './metadata.ts'
import { firstBlock, invalidSnapshot } from './snapshot-format.ts'

const ANOTHER_GENESIS =
  "import it into a new home, with --genesis and the chain's genesis.json from a source you trust"

const UNDER_COMETBFT =
  'write engine = "cometbft" into [consensus] of config.toml, or export the snapshot from a node whose engine is embedded'

export interface ChainCheckRules {
  readonly genesis: Genesis
  readonly keccak256: Keccak256
  /**
   * True if CometBFT decides the blocks: it has its own record of them, and changing validators. The embedded engine
   * continues from the commit of the latest block.
   */
  readonly underCometBft: boolean
}

/**
 * Checks that the blocks of a snapshot form one chain from the genesis. For the embedded engine, also checks that the
 * genesis validators decided the latest block.
 */
export class ChainCheck {
  readonly #metadata: SnapshotMetadata
  readonly #rules: ChainCheckRules
  #newest: BlockHeader | undefined

  /** @throws SNAPSHOT_INVALID if the snapshot is of another chain */
  constructor(metadata: SnapshotMetadata, rules: ChainCheckRules) {
    this.#metadata = metadata
    this.#rules = rules
    const { genesis } = rules
    if (metadata.chainId !== genesis.consensusChainId) {
      throw invalidSnapshot(
        `the snapshot is of chain ${metadata.chainId}, genesis.json of ${genesis.consensusChainId}`,
        { hint: ANOTHER_GENESIS },
      )
    }
    this.#continued()
  }

  block(header: BlockHeader): void {
    const before = this.#newest
    this.#newest = header
    const { initialHeight, continued } = this.#rules.genesis
    if (continued !== undefined && header.number === initialHeight) {
      this.#beginsWith(continued.appHash, header.stateRoot)
    }
    if (before === undefined) {
      this.#genesisBlock(header)
      return
    }
    const expected = before.number === 0 ? firstBlock(this.#metadata.height) : before.number + 1
    if (header.number !== expected) {
      throw invalidSnapshot(`block ${header.number} is in the place of block ${expected}`)
    }
    if (header.number === before.number + 1 && !equalBytes(header.parentHash, before.hash)) {
      throw invalidSnapshot(
        `block ${header.number} follows ${formatData(header.parentHash)}, ` +
          `block ${before.number} is ${formatData(before.hash)}`,
      )
    }
  }

  /**
   * Called if the snapshot has no commit of the latest block.
   * @throws SNAPSHOT_INVALID if one is needed
   */
  undecided(): void {
    const { number } = this.#newestBlock()
    if (this.#rules.underCometBft) return
    throw invalidSnapshot(
      `the snapshot has no decision on block ${number}: its node ran under CometBFT`,
      {
        hint: UNDER_COMETBFT,
      },
    )
  }

  decided({ decided }: DecidedRecord): void {
    const { height, chainId } = this.#metadata
    const { block, encoded, blockId, commit } = decided
    const { header } = block
    const newest = this.#newestBlock()
    if (header.height !== height || commit.height !== height || header.chainId !== chainId) {
      throw invalidSnapshot(`the decided block is ${header.height} of chain ${header.chainId}`)
    }
    const actual = blockIdOf(header, encoded)
    const isSame =
      equalBytes(actual.hash, blockId.hash) && equalBytes(actual.parts.hash, blockId.parts.hash)
    if (!isSame || !equalBytes(actual.hash, newest.hash)) {
      throw invalidSnapshot(
        `the decided block ${height} has hash ${formatData(actual.hash)}, ` +
          'which is not that of its commit and of the chain',
      )
    }
    if (this.#rules.underCometBft) return
    const chain = consensusChainOf(this.#rules.genesis)
    if (!equalBytes(header.validatorsHash, chain.validatorsHash)) {
      throw invalidSnapshot(`the validators of block ${height} are not those of genesis.json`)
    }
    const fault = faultOfCommit(chain.id, chain.validators, commit)
    if (fault !== undefined) {
      throw invalidSnapshot(
        `block ${height} is not signed by two thirds of the validators: ${fault}`,
      )
    }
  }

  /** Compares the app hash with that of a genesis that continues a chain. */
  #continued(): void {
    const { initialHeight, continued } = this.#rules.genesis
    const { height, appHash } = this.#metadata
    if (continued === undefined || height >= initialHeight) return
    if (height < initialHeight - 1) {
      throw invalidSnapshot(
        `the snapshot is of height ${height}, but genesis.json continues a chain after height ${initialHeight - 1}`,
        { hint: `import one of height ${initialHeight - 1} or later` },
      )
    }
    this.#beginsWith(continued.appHash, parseFixedData(`0x${appHash}`, 32))
  }

  #beginsWith(stated: Uint8Array, actual: Uint8Array): void {
    if (equalBytes(stated, actual)) return
    const height = this.#rules.genesis.initialHeight - 1
    throw invalidSnapshot(
      `the app hash after height ${height} is ${formatData(actual)}, ` +
        `that of genesis.json is ${formatData(stated)}`,
      { hint: ANOTHER_GENESIS },
    )
  }

  #newestBlock(): BlockHeader {
    const { height } = this.#metadata
    if (this.#newest?.number === height) return this.#newest
    throw invalidSnapshot(`the blocks end at height ${this.#newest?.number}, not ${height}`)
  }

  #genesisBlock({ number, hash }: BlockHeader): void {
    const { genesis, keccak256 } = this.#rules
    const own =
      genesis.continued?.genesisBlock ?? keccak256(new TextEncoder().encode(encodeGenesis(genesis)))
    if (number === 0 && equalBytes(hash, own)) return
    throw invalidSnapshot(
      `the snapshot begins with block ${number} of hash ${formatData(hash)}, ` +
        `the genesis block of genesis.json is ${formatData(own)}`,
      { hint: ANOTHER_GENESIS },
    )
  }
}
