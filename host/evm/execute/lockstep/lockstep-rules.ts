import { LockstepError } from '../../../base/error.ts'
import type { BlockHeader } from '../../chain-types/block.ts'
import { BLOOM_BYTES } from '../../chain-types/bloom.ts'
import type { ChainParams } from '../../chain-types/genesis.ts'
import type { ChainRules } from '../chain-rules.ts'
import { type DraftRequest, UNKNOWN } from '../header-draft.ts'
import { baseFeeAfter, fixedFee, marketAt, nextBaseFee, wholeWei } from './base-fee.ts'
import { BEGIN_BLOCK } from './begin-block.ts'
import { blockEnv } from './block-env.ts'
import { lockstepHeader } from './lockstep-header.ts'

/** Computes the fee after a simulated block from the whole wei that it charged, as the fraction is unknown. */
function feeAfterDraft(parent: BlockHeader, params: ChainParams): bigint {
  const { baseFeePerGas, gasUsed, gasLimit } = parent
  const market = marketAt(gasLimit, params)
  return wholeWei(nextBaseFee(fixedFee(baseFeePerGas), gasUsed, gasLimit, market))
}

/** @throws INVALID_ARGUMENT if the time exceeds what headers of this chain can hold. */
function timeOf({ timestamp }: DraftRequest): number {
  if (timestamp <= Number.MAX_SAFE_INTEGER) return Number(timestamp)
  throw new LockstepError('INVALID_ARGUMENT', `block override time ${timestamp} is out of range`)
}

function draft(parent: BlockHeader, request: DraftRequest, params: ChainParams): BlockHeader {
  return {
    number: request.number,
    hash: UNKNOWN,
    parentHash: parent.hash,
    stateRoot: UNKNOWN,
    transactionsRoot: UNKNOWN,
    receiptsRoot: UNKNOWN,
    logsBloom: new Uint8Array(BLOOM_BYTES),
    miner: request.coinbase ?? parent.miner,
    prevRandao: request.prevRandao ?? UNKNOWN,
    timestamp: timeOf(request),
    gasLimit: request.gasLimit ?? parent.gasLimit,
    gasUsed: 0n,
    baseFeePerGas: request.baseFee ?? feeAfterDraft(parent, params),
    size: 0,
  }
}

/**
 * Returns the rules of this node's own chain: one revision, the calls of `BEGIN_BLOCK`, its fee market.
 * @param state holds the base fee between blocks
 */
export function lockstepRules(
  params: ChainParams,
  state: Parameters<typeof baseFeeAfter>[0],
): ChainRules {
  const { chainId, feeMarket } = params
  return {
    chainId,
    envOf: (header) => blockEnv(params, header),
    ethereumHeader: (header) => lockstepHeader(header, params.revision),
    systemCallsOf: () => BEGIN_BLOCK,
    blobsOf: () => undefined,
    nextBaseFee: ({ number }) => baseFeeAfter(state, number, feeMarket),
    nextBlobBaseFee: () => undefined,
    draft: (parent, request) => draft(parent, request, params),
    close: () => undefined,
  }
}
