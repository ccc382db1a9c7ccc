import { bigintToBytes } from '../../../base/bytes.ts'
import type { BlockHeader } from '../../chain-types/block.ts'
import type { ChainParams } from '../../chain-types/genesis.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import type { BlockEnv } from '../../engine/message.ts'
import { type HeaderOverrides, NO_HEADER_OVERRIDES } from '../header-overrides.ts'

const NANOSECONDS = 1_000_000_000n

/** Header fields that code in the block can read. */
export type EnvHeader = Pick<
  BlockHeader,
  'number' | 'timestamp' | 'gasLimit' | 'baseFeePerGas' | 'miner' | 'prevRandao'
>

/** Returns the header fields determined by chain parameters, height, time and the developer's settings. */
export function envHeader(
  params: ChainParams,
  height: number,
  time: bigint,
  baseFee: bigint,
  keccak256: Keccak256,
  settings: HeaderOverrides = NO_HEADER_OVERRIDES,
): EnvHeader {
  return {
    number: height,
    timestamp: Number(time / NANOSECONDS),
    gasLimit: settings.gasLimit ?? params.maxGas,
    baseFeePerGas: settings.baseFee ?? baseFee,
    miner: settings.coinbase ?? params.feeCollector,
    prevRandao: settings.prevRandao ?? prevRandao(time, keccak256),
  }
}

/**
 * Returns a block's PREVRANDAO: Keccak-256 of its time in nanoseconds, eight bytes big-endian. The proposer can
 * choose it, so it is no source of randomness.
 */
export function prevRandao(time: bigint, keccak256: Keccak256): Uint8Array {
  return keccak256(bigintToBytes(time, 8))
}

/** Returns the environment of a block's transactions. The fee collector receives all fees. */
export function blockEnv(params: ChainParams, header: EnvHeader): BlockEnv {
  return {
    revision: params.revision,
    chainId: params.chainId,
    number: header.number,
    timestamp: header.timestamp,
    gasLimit: header.gasLimit,
    baseFee: header.baseFeePerGas,
    coinbase: header.miner,
    prevRandao: header.prevRandao,
    blobBaseFee: 1n,
    burnBaseFee: false,
    chainPrecompiles: true,
  }
}
