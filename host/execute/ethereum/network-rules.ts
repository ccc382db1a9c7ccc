import type { BlockHeader, EthereumSeal } from '../../chain-types/block.ts'
import { atLeast } from '../../chain-types/revision.ts'
import type { BlockEnv } from '../../engine/message.ts'
import type { ChainRules, SystemCall } from '../chain-rules.ts'
import { type BlobSchedule, blobBaseFee, nextExcessBlobGas } from './blob-gas.ts'
import { callsAtStart, ethereumEnv } from './block-env.ts'
import { nextEthereumBaseFee } from './header-rules.ts'
import { type BlockRules, type Network, rulesAt } from './rules.ts'

/** The rules of an imported chain: Ethereum's, by the forks of its network. */
export class NetworkRules implements ChainRules {
  readonly network: Network

  constructor(network: Network) {
    this.network = network
  }

  get chainId(): bigint {
    return this.network.chainId
  }

  /** The fork's rules at a header. */
  rulesOf(header: BlockHeader): BlockRules {
    const { header: own, totalDifficulty } = sealOf(header)
    const parentTotalDifficulty = totalDifficulty - own.difficulty
    return rulesAt(this.network, { ...own, parentTotalDifficulty })
  }

  envOf(header: BlockHeader): BlockEnv {
    return ethereumEnv(sealOf(header).header, this.rulesOf(header), this.chainId)
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
    return blobBaseFee(nextExcessBlobGas(sealOf(header).header, blobs, revision), blobs)
  }

  /** Rules of a block that follows as soon as it may. */
  #rulesAfter(header: BlockHeader): BlockRules {
    const { header: own, totalDifficulty } = sealOf(header)
    return rulesAt(this.network, {
      number: own.number + 1n,
      timestamp: own.timestamp + 1n,
      parentTotalDifficulty: totalDifficulty,
    })
  }
}

/** What an imported block's header has beyond others. */
export function sealOf({ ethereum }: BlockHeader): EthereumSeal {
  // Only an importer stores blocks of such a chain, and it stores none without.
  return ethereum as EthereumSeal
}
