import { EMPTY_BYTES } from '../../../base/bytes.ts'
import type {
  BlockHeader,
  EthereumBody,
  EthereumSeal,
  Withdrawal,
} from '../../chain-types/block.ts'
import { BLOOM_BYTES } from '../../chain-types/bloom.ts'
import { finishedHeader } from '../../chain-types/ethereum-block.ts'
import { type EthereumHeader, NO_OMMERS_HASH } from '../../chain-types/ethereum-header.ts'
import type { Log } from '../../chain-types/log.ts'
import { atLeast } from '../../chain-types/revision.ts'
import type { BlockEnv } from '../../engine/message.ts'
import type { StateFork } from '../../state/state-fork.ts'
import type { BlockListing } from '../access-list-builder.ts'
import { type BlobSchedule, blobBaseFeeOf, nextExcessBlobGas } from '../blob-gas.ts'
import type { BlockEngine, SystemCall } from '../block-engine.ts'
import type { ChainRules } from '../chain-rules.ts'
import { type DraftRequest, UNKNOWN } from '../header-draft.ts'
import { callsAtStart, ethereumEnv } from './block-env.ts'
import { closeBlock } from './block-processor.ts'
import { drainDao } from './dao.ts'
import { type BlockRules, type EthereumNetwork, rulesAt } from './forks.ts'
import { nextEthereumBaseFee } from './header-rules.ts'

/** Rules of an imported chain: Ethereum's, by the forks of its network. */
export class EthereumRules implements ChainRules {
  readonly network: EthereumNetwork

  constructor(network: EthereumNetwork) {
    this.network = network
  }

  get chainId(): bigint {
    return this.network.chainId
  }

  /** Returns the fork rules at a header. */
  rulesOf(header: BlockHeader): BlockRules {
    const { header: own, totalDifficulty } = sealOf(header)
    const parentTotalDifficulty = totalDifficulty - own.difficulty
    return rulesAt(this.network, { ...own, parentTotalDifficulty })
  }

  /** Prepares the parent's state for the block's transactions: the DAO fork moves balances (EIP-779). */
  prepareState(header: BlockHeader, parent: StateFork): StateFork {
    if (this.rulesOf(header).sinceDao === 0n) drainDao(parent)
    return parent
  }

  envOf(header: BlockHeader): BlockEnv {
    return ethereumEnv(sealOf(header).header, this.rulesOf(header), this.chainId)
  }

  ethereumHeader(header: BlockHeader): EthereumHeader {
    return sealOf(header).header
  }

  systemCallsOf(header: BlockHeader): readonly SystemCall[] {
    return callsAtStart(sealOf(header).header, this.rulesOf(header).revision)
  }

  blobsOf(header: BlockHeader): BlobSchedule | undefined {
    return this.rulesOf(header).blobs
  }

  nextBaseFee(header: BlockHeader): bigint {
    const next = this.#rulesAfter(header)
    return atLeast(next.revision, 'London') ? nextEthereumBaseFee(sealOf(header).header) : 0n
  }

  nextBlobBaseFee(header: BlockHeader): bigint | undefined {
    const { blobs, revision } = this.#rulesAfter(header)
    if (blobs === undefined) return undefined
    return blobBaseFeeOf(nextExcessBlobGas(sealOf(header).header, blobs, revision), blobs)
  }

  draft(parent: BlockHeader, request: DraftRequest): BlockHeader {
    const { header: before, totalDifficulty } = sealOf(parent)
    const number = BigInt(request.number)
    const timestamp = BigInt(request.timestamp)
    const position = { number, timestamp, parentTotalDifficulty: totalDifficulty }
    const { revision, blobs } = rulesAt(this.network, position)
    const since = <Value>(fork: typeof revision, value: () => Value) =>
      atLeast(revision, fork) ? value() : undefined
    const difficulty = atLeast(revision, 'Paris') ? 0n : before.difficulty
    const header: EthereumHeader = {
      parentHash: parent.hash,
      ommersHash: NO_OMMERS_HASH,
      coinbase: request.coinbase ?? before.coinbase,
      stateRoot: UNKNOWN,
      transactionsRoot: UNKNOWN,
      receiptsRoot: UNKNOWN,
      logsBloom: new Uint8Array(BLOOM_BYTES),
      difficulty,
      number,
      gasLimit: request.gasLimit ?? before.gasLimit,
      gasUsed: 0n,
      timestamp,
      extraData: EMPTY_BYTES,
      mixHash: request.prevRandao ?? UNKNOWN,
      nonce: new Uint8Array(8),
      baseFeePerGas: since('London', () => request.baseFee ?? nextEthereumBaseFee(before)),
      withdrawalsRoot: since('Shanghai', () => request.withdrawalsRoot),
      blobGasUsed: since('Cancun', () => 0n),
      excessBlobGas:
        blobs === undefined || before.excessBlobGas === undefined
          ? since('Cancun', () => 0n)
          : nextExcessBlobGas(before, blobs, revision),
      parentBeaconBlockRoot: since('Cancun', () => request.parentBeaconBlockRoot ?? UNKNOWN),
      requestsHash: undefined,
      slotNumber: since('Amsterdam', () => (before.slotNumber ?? -1n) + 1n),
    }
    return finishedHeader(header, UNKNOWN, 0, totalDifficulty + difficulty)
  }

  close(
    engine: BlockEngine,
    state: StateFork,
    draft: BlockHeader,
    withdrawals: readonly Withdrawal[],
    logs: Iterable<Log>,
    listing?: BlockListing,
  ): Uint8Array | undefined {
    return this.closeWith(engine, state, draft, { ommers: [], withdrawals }, logs, listing)
  }

  /** Like `close`, with everything an imported block may contain. @throws BLOCK_INVALID */
  closeWith(
    engine: BlockEngine,
    state: StateFork,
    blockHeader: BlockHeader,
    body: EthereumBody,
    logs: Iterable<Log>,
    listing?: BlockListing,
  ): Uint8Array | undefined {
    const { header } = sealOf(blockHeader)
    const { revision } = this.rulesOf(blockHeader)
    const env = this.envOf(blockHeader)
    const { network } = this
    return closeBlock(engine, state, { header, body, revision, env, logs, network, listing })
  }

  /** Returns the rules of a next block with the earliest allowed timestamp. */
  #rulesAfter(header: BlockHeader): BlockRules {
    const { header: own, totalDifficulty } = sealOf(header)
    return rulesAt(this.network, {
      number: own.number + 1n,
      timestamp: own.timestamp + 1n,
      parentTotalDifficulty: totalDifficulty,
    })
  }
}

/** Returns the fields that only headers of imported blocks have. */
export function sealOf({ ethereum }: BlockHeader): EthereumSeal {
  // Only an importer stores blocks of such a chain, always with these fields.
  return ethereum as EthereumSeal
}
