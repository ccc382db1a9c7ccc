import { bigintToBytes } from '../../../base/bytes.ts'
import { parseData } from '../../../base/hex.ts'
import type { EthereumHeader } from '../../chain-types/ethereum-header.ts'
import { atLeast, type Revision } from '../../chain-types/revision.ts'
import type { BlockEnv } from '../../engine/message.ts'
import { blobBaseFeeOf } from '../blob-gas.ts'
import type { SystemCall } from '../block-engine.ts'
import type { BlockRules } from './forks.ts'

/** Beacon roots contract (EIP-4788). */
export const BEACON_ROOTS: Uint8Array = parseData('0x000f3df6d732807ef1319fb7b8bb8522d0beac02')
/** Block hash history contract (EIP-2935). */
export const BLOCK_HASH_CONTRACT: Uint8Array = parseData(
  '0x0000f90827f1c53a10cb7a02335b175320002935',
)

/** Returns the environment of the block's transactions. */
export function ethereumEnv(
  header: EthereumHeader,
  { revision, blobs }: BlockRules,
  chainId: bigint,
): BlockEnv {
  const { difficulty, excessBlobGas = 0n, slotNumber } = header
  return {
    revision,
    chainId,
    number: Number(header.number),
    timestamp: header.timestamp,
    gasLimit: header.gasLimit,
    baseFee: header.baseFeePerGas ?? 0n,
    coinbase: header.coinbase,
    prevRandao: atLeast(revision, 'Paris') ? header.mixHash : bigintToBytes(difficulty, 32),
    blobBaseFee: blobs === undefined ? 1n : blobBaseFeeOf(excessBlobGas, blobs),
    burnBaseFee: true,
    ...(slotNumber !== undefined && { slotNumber }),
  }
}

/**
 * Returns the system calls at the start of a block: EIP-4788, EIP-2935. A call to an address without code does
 * nothing.
 */
export function callsAtStart(
  { parentBeaconBlockRoot, parentHash }: EthereumHeader,
  revision: Revision,
): SystemCall[] {
  const calls: SystemCall[] = []
  if (parentBeaconBlockRoot !== undefined) {
    calls.push({ to: BEACON_ROOTS, data: parentBeaconBlockRoot })
  }
  if (atLeast(revision, 'Prague')) calls.push({ to: BLOCK_HASH_CONTRACT, data: parentHash })
  return calls
}
