import { parseFixedData } from '../../../base/hex.ts'
import type { BlobSchedule } from '../blob-gas.ts'
import {
  type EthereumNetwork,
  type ForkActivation,
  type ForkName,
  MAINNET_DEPOSITS,
} from './forks.ts'

// Public Ethereum networks, as published by their clients (go-ethereum's params; EIP-7607 for Osaka and the blob
// schedule forks).

/** Schedules of the first two EIP-7892 forks, the same on all networks. */
const BLOB_SCHEDULES: ReadonlyMap<ForkName, BlobSchedule> = new Map([
  ['BPO1', { target: 10n, max: 15n, updateFraction: 8_346_193n }],
  ['BPO2', { target: 14n, max: 21n, updateFraction: 11_684_671n }],
])

function forksBy(
  unit: 'block' | 'time',
  activations: Readonly<Partial<Record<ForkName, bigint>>>,
): ForkActivation[] {
  return Object.entries(activations).map(([fork, value]) => ({
    fork: fork as ForkName,
    since: unit === 'block' ? { block: value } : { time: value },
  }))
}

const paris = (totalDifficulty: bigint): ForkActivation => ({
  fork: 'Paris',
  since: { totalDifficulty },
})

/** Forks of a test network that started with London. */
const FROM_LONDON = forksBy('block', { Frontier: 0n, London: 0n })

export const MAINNET: EthereumNetwork = {
  chainId: 1n,
  forks: [
    ...forksBy('block', {
      Frontier: 0n,
      Homestead: 1_150_000n,
      Dao: 1_920_000n,
      TangerineWhistle: 2_463_000n,
      SpuriousDragon: 2_675_000n,
      Byzantium: 4_370_000n,
      Petersburg: 7_280_000n,
      Istanbul: 9_069_000n,
      MuirGlacier: 9_200_000n,
      Berlin: 12_244_000n,
      London: 12_965_000n,
      ArrowGlacier: 13_773_000n,
      GrayGlacier: 15_050_000n,
    }),
    paris(58_750_000_000_000_000_000_000n),
    ...forksBy('time', {
      Shanghai: 1_681_338_455n,
      Cancun: 1_710_338_135n,
      Prague: 1_746_612_311n,
      Osaka: 1_764_798_551n,
      BPO1: 1_765_290_071n,
      BPO2: 1_767_747_671n,
    }),
  ],
  blobSchedules: BLOB_SCHEDULES,
  depositContract: MAINNET_DEPOSITS,
}

export const SEPOLIA: EthereumNetwork = {
  chainId: 11_155_111n,
  forks: [
    ...FROM_LONDON,
    paris(17_000_000_000_000_000n),
    ...forksBy('time', {
      Shanghai: 1_677_557_088n,
      Cancun: 1_706_655_072n,
      Prague: 1_741_159_776n,
      Osaka: 1_760_427_360n,
      BPO1: 1_761_017_184n,
      BPO2: 1_761_607_008n,
      Amsterdam: 1_791_294_816n,
    }),
  ],
  blobSchedules: BLOB_SCHEDULES,
  depositContract: parseFixedData('0x7f02c3e3c98b133055b8b348b2ac625669ed295d', 20),
}

export const HOLESKY: EthereumNetwork = {
  chainId: 17_000n,
  forks: [
    ...FROM_LONDON,
    paris(0n),
    ...forksBy('time', {
      Shanghai: 1_696_000_704n,
      Cancun: 1_707_305_664n,
      Prague: 1_740_434_112n,
      Osaka: 1_759_308_480n,
      BPO1: 1_759_800_000n,
      BPO2: 1_760_389_824n,
    }),
  ],
  blobSchedules: BLOB_SCHEDULES,
  depositContract: parseFixedData('0x4242424242424242424242424242424242424242', 20),
}

export const HOODI: EthereumNetwork = {
  chainId: 560_048n,
  forks: [
    ...FROM_LONDON,
    paris(0n),
    ...forksBy('time', {
      Shanghai: 0n,
      Cancun: 0n,
      Prague: 1_742_999_832n,
      Osaka: 1_761_677_592n,
      BPO1: 1_762_365_720n,
      BPO2: 1_762_955_544n,
    }),
  ],
  blobSchedules: BLOB_SCHEDULES,
  depositContract: MAINNET_DEPOSITS,
}

export const NETWORKS: readonly EthereumNetwork[] = [MAINNET, SEPOLIA, HOLESKY, HOODI]
