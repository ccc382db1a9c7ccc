import { parseData } from '../../../base/hex.ts'
import type { Revision } from '../../chain-types/revision.ts'
import { type BlobSchedule, blobSchedule } from '../blob-gas.ts'

/**
 * Ethereum forks that change a rule of blocks or execution, in order. Each has its revision and the total delay of
 * the difficulty bomb in blocks.
 */
export const FORKS = {
  Frontier: { revision: 'Frontier', bombDelay: 0n },
  Homestead: { revision: 'Homestead', bombDelay: 0n },
  // EIP-779
  Dao: { revision: 'Homestead', bombDelay: 0n },
  TangerineWhistle: { revision: 'TangerineWhistle', bombDelay: 0n },
  SpuriousDragon: { revision: 'SpuriousDragon', bombDelay: 0n },
  // EIP-649
  Byzantium: { revision: 'Byzantium', bombDelay: 3_000_000n },
  // EIP-1234
  Constantinople: { revision: 'Constantinople', bombDelay: 5_000_000n },
  Petersburg: { revision: 'Petersburg', bombDelay: 5_000_000n },
  Istanbul: { revision: 'Istanbul', bombDelay: 5_000_000n },
  // EIP-2384
  MuirGlacier: { revision: 'Istanbul', bombDelay: 9_000_000n },
  Berlin: { revision: 'Berlin', bombDelay: 9_000_000n },
  // EIP-3554
  London: { revision: 'London', bombDelay: 9_700_000n },
  // EIP-4345
  ArrowGlacier: { revision: 'London', bombDelay: 10_700_000n },
  // EIP-5133
  GrayGlacier: { revision: 'London', bombDelay: 11_400_000n },
  Paris: { revision: 'Paris', bombDelay: 0n },
  Shanghai: { revision: 'Shanghai', bombDelay: 0n },
  Cancun: { revision: 'Cancun', bombDelay: 0n },
  Prague: { revision: 'Prague', bombDelay: 0n },
  Osaka: { revision: 'Osaka', bombDelay: 0n },
  // EIP-7892: forks that change only the blob schedule.
  BPO1: { revision: 'Osaka', bombDelay: 0n },
  BPO2: { revision: 'Osaka', bombDelay: 0n },
  BPO3: { revision: 'Osaka', bombDelay: 0n },
  BPO4: { revision: 'Osaka', bombDelay: 0n },
  BPO5: { revision: 'Osaka', bombDelay: 0n },
  // EIP-7773
  Amsterdam: { revision: 'Amsterdam', bombDelay: 0n },
} as const satisfies Record<string, { readonly revision: Revision; readonly bombDelay: bigint }>

export type ForkName = keyof typeof FORKS

/** A fork and when it activates. */
export interface ForkActivation {
  readonly fork: ForkName
  /** Number or time of its first block, or total difficulty of that block's parent. */
  readonly since:
    | { readonly block: bigint }
    | { readonly time: bigint }
    | { readonly totalDifficulty: bigint }
}

/** Mainnet's deposit contract (EIP-6110). */
export const MAINNET_DEPOSITS: Uint8Array = parseData('0x00000000219ab540356cbb839cbe05303d7705fa')

/** The rules of one network. */
export interface EthereumNetwork {
  /** True if its blocks may contain impersonated transactions (`chain-types/impersonation.ts`). */
  readonly isDevelopment?: boolean
  readonly chainId: bigint
  /** In order; the first is active from genesis. */
  readonly forks: readonly ForkActivation[]
  /** Blob schedules that differ from those of the revisions. */
  readonly blobSchedules: ReadonlyMap<ForkName, BlobSchedule>
  readonly depositContract: Uint8Array
}

/** The rules of one block. */
export interface BlockRules {
  readonly revision: Revision
  readonly bombDelay: bigint
  readonly blobs: BlobSchedule | undefined
  /** Blocks since the DAO fork; undefined before it, or if the network had none. */
  readonly sinceDao: bigint | undefined
}

/** The fields that determine a block's fork. */
export interface BlockPosition {
  readonly number: bigint
  readonly timestamp: bigint
  readonly parentTotalDifficulty: bigint
}

export function rulesAt(network: EthereumNetwork, position: BlockPosition): BlockRules {
  let fork: ForkName = 'Frontier'
  let blobs: BlobSchedule | undefined
  let sinceDao: bigint | undefined
  for (const activation of network.forks) {
    if (!isActive(activation, position)) break
    fork = activation.fork
    const inherits = fork.startsWith('BPO') || fork === 'Amsterdam'
    const usual = inherits ? blobs : blobSchedule(FORKS[fork].revision)
    blobs = network.blobSchedules.get(fork) ?? usual
    if (fork === 'Dao' && 'block' in activation.since) {
      sinceDao = position.number - activation.since.block
    }
  }
  return { ...FORKS[fork], blobs, sinceDao }
}

function isActive({ since }: ForkActivation, position: BlockPosition): boolean {
  if ('block' in since) return position.number >= since.block
  if ('time' in since) return position.timestamp >= since.time
  return position.parentTotalDifficulty >= since.totalDifficulty
}
