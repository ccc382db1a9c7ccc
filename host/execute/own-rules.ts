import type { ChainParams } from '../chain-types/genesis.ts'
import { baseFeeAfter } from './base-fee.ts'
import { blockEnv } from './block-env.ts'
import type { ChainRules } from './chain-rules.ts'

/**
 * The rules of this node's own chain: one revision, no calls by the protocol, the base fee of its market.
 * @param state where the base fee between blocks is kept.
 */
export function ownRules(
  params: ChainParams,
  state: Parameters<typeof baseFeeAfter>[0],
): ChainRules {
  return {
    chainId: params.chainId,
    envOf: (header) => blockEnv(params, header),
    systemCallsOf: () => [],
    blobsOf: () => undefined,
    nextBaseFee: ({ number }) => baseFeeAfter(state, number, params.feeMarket),
    nextBlobBaseFee: () => undefined,
  }
}
