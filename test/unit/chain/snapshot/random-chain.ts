import { sign } from 'node:crypto'
import { EMPTY_BYTES } from '../../../../host/base/bytes.ts'
import {
  blockIdOf,
  encodeCometBlock,
  hashNoEvidence,
  hashTransactions,
} from '../../../../host/chain/consensus/comet/block.ts'
import { NO_BLOCK_ID } from '../../../../host/chain/consensus/comet/block-id.ts'
import { hashResults } from '../../../../host/chain/consensus/comet/block-results.ts'
import {
  BLOCK_ID_FLAG,
  type Commit,
  hashCommit,
  NO_COMMIT,
} from '../../../../host/chain/consensus/comet/commit.ts'
import { keyFromSeed } from '../../../../host/chain/consensus/comet/ed25519.ts'
import { BLOCK_PROTOCOL } from '../../../../host/chain/consensus/comet/header.ts'
import { cometAddress } from '../../../../host/chain/consensus/comet/validator-set.ts'
import { VOTE_TYPE, voteSignBytes } from '../../../../host/chain/consensus/comet/vote.ts'
import type { DecidedBlock } from '../../../../host/chain/consensus/embedded/block-store.ts'
import { consensusChainOf } from '../../../../host/chain/consensus/embedded/chain.ts'
import type { Genesis } from '../../../../host/evm/chain-types/genesis.ts'
import { encodeGenesis } from '../../../../host/evm/chain-types/genesis-codec.ts'
import { presetGenesis } from '../../../../host/evm/chain-types/genesis-presets.ts'
import type { Changeset, KeyWrite } from '../../../../host/evm/state/changeset.ts'
import type { CommitHasher } from '../../../../host/storage/commit/hash/commit-hasher.ts'
import type { BlockRecord } from '../../../../host/storage/store/codec/block-record.ts'
import { makeRandom } from '../../../support/random.ts'
import {
  account,
  blockRecord,
  changeset,
  digest,
  slot,
  word,
} from '../../storage/store/chain/block-records.ts'

/** Number of accounts, and of slots of each, that blocks write. Few, so that rows are overwritten and deleted. */
export const ACCOUNTS = 40
export const SLOTS = 6
export const KEYS = 60
export const LEGACY_KEYS = 20
const CODES = 12

const TIME = 1_700_000_000_000_000_000n
const SECOND = 1_000_000_000n

const validator = keyFromSeed(digest('validator'))

/** The genesis of every chain here, with one validator. */
export const genesis: Genesis = presetGenesis('dev', {
  time: TIME,
  validators: [{ publicKey: validator.publicKey, power: 10, name: 'one' }],
})

const chain = consensusChainOf(genesis)

/** General modules that the blocks write to. */
export const MODULES = ['bank', 'params', 'staking']

/** Returns key number `n` of the EVM rows without a kind of their own. */
export function legacyKey(n: number): Uint8Array {
  return digest('legacy', n).slice(0, 1 + (n % 18))
}

/** Returns key number `n` of a general module. */
export function moduleKey(n: number): Uint8Array {
  return slot(n).slice(31 - (n % 20))
}

/** Returns code number `n`, between 1 and 3,000 bytes. */
function code(n: number): Uint8Array {
  return new Uint8Array(1 + ((n * 251) % 3000)).fill(n + 1)
}

/** The output of one height. Height 0 has no decision. */
export interface ChainStep {
  readonly record: BlockRecord
  readonly decided: DecidedBlock | undefined
}

/**
 * A chain of random state from a seed, with blocks signed by its validator. It depends only on the seed, the steps
 * and the app hashes.
 */
export class RandomChain {
  readonly #seed: number
  readonly #hasher: CommitHasher
  #height = -1
  #hash: Uint8Array = EMPTY_BYTES
  #commit: Commit = NO_COMMIT

  constructor(seed: number, hasher: CommitHasher) {
    this.#seed = seed
    this.#hasher = hasher
  }

  /** Returns a copy at the same height that continues with the same blocks. */
  copy(): RandomChain {
    const copy = new RandomChain(this.#seed, this.#hasher)
    copy.follow(this)
    return copy
  }

  /** Continues from the height of another chain with different blocks. */
  follow(other: RandomChain): void {
    this.#height = other.#height
    this.#hash = other.#hash
    this.#commit = other.#commit
  }

  /** Produces the next height, whose header contains the app hash of the previous one. */
  next(appHash: Uint8Array): ChainStep {
    const height = ++this.#height
    const changes = this.#changes(height)
    const { executed } = blockRecord(height, {}, height % 4)
    const decided =
      height === 0 ? undefined : this.#decide(height, appHash, executed.block.transactions)
    const hash =
      decided?.blockId.hash ??
      this.#hasher.keccak256(new TextEncoder().encode(encodeGenesis(genesis)))
    const header = { ...executed.block.header, hash, parentHash: this.#hash, stateRoot: appHash }
    this.#hash = hash
    const block = { ...executed.block, header }
    return { record: { executed: { ...executed, block }, changeset: changes }, decided }
  }

  #decide(height: number, appHash: Uint8Array, transactions: readonly Uint8Array[]): DecidedBlock {
    const proposerAddress = cometAddress(validator.publicKey)
    const header = {
      version: { block: BLOCK_PROTOCOL, app: 0 },
      chainId: chain.id,
      height,
      time: TIME + BigInt(height) * SECOND,
      lastBlockId: height === 1 ? NO_BLOCK_ID : this.#commit.blockId,
      lastCommitHash: hashCommit(this.#commit),
      dataHash: hashTransactions(transactions),
      validatorsHash: chain.validatorsHash,
      nextValidatorsHash: chain.validatorsHash,
      consensusHash: chain.consensusHash,
      appHash,
      lastResultsHash: hashResults([]),
      evidenceHash: hashNoEvidence(),
      proposerAddress,
    }
    const block = { header, transactions, lastCommit: this.#commit }
    const encoded = encodeCometBlock(block)
    const blockId = blockIdOf(header, encoded)
    const timestamp = header.time + SECOND
    const vote = { type: VOTE_TYPE.PRECOMMIT, height, round: 0, blockId, timestamp }
    const signature = Uint8Array.from(sign(null, voteSignBytes(chain.id, vote), validator.signer))
    const one = {
      blockIdFlag: BLOCK_ID_FLAG.COMMIT,
      validatorAddress: proposerAddress,
      timestamp,
      signature,
    }
    this.#commit = { height, round: 0, blockId, signatures: [one] }
    return { block, encoded, blockId, commit: this.#commit }
  }

  #changes(height: number): Changeset {
    const random = makeRandom(this.#seed * 1009 + height)
    const below = (bound: number): number => Math.floor(random() * bound)
    const several = <T>(count: number, make: () => readonly [number, T]): [number, T][] => [
      ...new Map(Array.from({ length: count }, make)),
    ]
    const codes = Array.from({ length: CODES }, (_, n) => code(n))
    const hashes = codes.map((each) => this.#hasher.keccak256(each))
    const accounts = several(below(12), () => {
      const contract = below(3) === 0 ? hashes[below(CODES)] : undefined
      const record = below(6) === 0 ? undefined : account(below(99), below(1e6), contract)
      return [below(ACCOUNTS), record]
    })
    const slots = several(below(30), () => [below(ACCOUNTS * SLOTS), below(4)])
    const legacy: KeyWrite[] = several(below(6), () => [
      below(LEGACY_KEYS),
      below(5) === 0 ? undefined : word(below(1e6)).slice(below(33)),
    ]).map(([n, value]) => ({ key: legacyKey(n), value }))
    const module = (): KeyWrite[] =>
      several(below(20), () => [
        below(KEYS),
        below(4) === 0 ? undefined : digest('value', below(1e6)).slice(below(33)),
      ])
        .map(([n, value]) => ({ key: moduleKey(n), value }))
        .sort((a, b) => Buffer.compare(a.key, b.key))
    const made = changeset(height, {
      accounts,
      cleared: below(4) === 0 ? [below(ACCOUNTS)] : [],
      storage: slots.map(([n, value]) => [Math.floor(n / SLOTS), n % SLOTS, value]),
      legacy: legacy.sort((a, b) => Buffer.compare(a.key, b.key)),
      modules: [
        { module: 'bank', writes: module() },
        { module: 'params', writes: height === 0 ? [] : module().slice(0, below(2)) },
        { module: 'staking', writes: module() },
      ],
    })
    // The first block deploys all code, so that any account may refer to it by its hash.
    const deployed = codes.map((each, n) => ({ codeHash: hashes[n] as Uint8Array, code: each }))
    return height === 0 ? { ...made, evm: { ...made.evm, codes: deployed } } : made
  }
}
