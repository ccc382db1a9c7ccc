import type { BlobSchedule } from '../../host/evm/execute/blob-gas.ts'
import {
  type EthereumNetwork,
  FORKS,
  type ForkActivation,
  type ForkName,
  MAINNET_DEPOSITS,
} from '../../host/evm/execute/ethereum/forks.ts'
import { parseNumber } from './fixture.ts'

/** The `config` of a blockchain test. */
export interface NetworkConfig {
  readonly chainid?: string
  readonly blobSchedule?: Readonly<
    Record<string, { readonly target: string; readonly max: string; baseFeeUpdateFraction: string }>
  >
}

const NAMES: Readonly<Record<string, ForkName>> = {
  EIP150: 'TangerineWhistle',
  EIP158: 'SpuriousDragon',
  ConstantinopleFix: 'Petersburg',
  Merge: 'Paris',
}

/** `AToBAtN`, `AToBAtTimeN` with an optional k for thousands, `AToBAtDiffN` in hex. */
const TRANSITION = /^(\w+?)To(\w+?)At(Time|Diff|)([0-9a-fA-F]+)(k?)$/

function forkOf(name: string): ForkName | undefined {
  const fork = NAMES[name] ?? name
  return Object.hasOwn(FORKS, fork) ? (fork as ForkName) : undefined
}

function activationsOf(name: string): ForkActivation[] | undefined {
  const only = forkOf(name)
  if (only !== undefined) return [{ fork: only, since: { block: 0n } }]
  const [, from = '', to = '', unit, digits = '', k] = TRANSITION.exec(name) ?? []
  const first = forkOf(from)
  const second = forkOf(to)
  if (first === undefined || second === undefined) return undefined
  const start: ForkActivation = { fork: first, since: { block: 0n } }
  if (unit === 'Diff') {
    return [start, { fork: second, since: { totalDifficulty: BigInt(`0x${digits}`) } }]
  }
  const at = BigInt(digits) * (k === 'k' ? 1000n : 1n)
  return [start, { fork: second, since: unit === 'Time' ? { time: at } : { block: at } }]
}

/** Returns the network for a name of the suites, or undefined if it is unknown. */
export function networkOf(name: string, config: NetworkConfig = {}): EthereumNetwork | undefined {
  const forks = activationsOf(name)
  if (forks === undefined) return undefined
  const blobSchedules = new Map<ForkName, BlobSchedule>()
  for (const [key, row] of Object.entries(config.blobSchedule ?? {})) {
    const fork = forkOf(key)
    if (fork === undefined) continue
    blobSchedules.set(fork, {
      target: parseNumber(row.target),
      max: parseNumber(row.max),
      updateFraction: parseNumber(row.baseFeeUpdateFraction),
    })
  }
  return {
    chainId: parseNumber(config.chainid ?? '0x1'),
    forks,
    blobSchedules,
    depositContract: MAINNET_DEPOSITS,
  }
}
