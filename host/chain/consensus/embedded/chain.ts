import { LockstepError } from '../../../base/error.ts'
import type { Genesis } from '../../../evm/chain-types/genesis.ts'
import { hashConsensusParams } from '../comet/consensus-params.ts'
import { type CometValidator, hashValidators, validatorSet } from '../comet/validator-set.ts'

/** Header fields that all blocks of a chain share, from its genesis. */
export interface ConsensusChain {
  readonly id: string
  readonly genesisTime: bigint
  readonly initialHeight: number
  readonly maxBlockBytes: number
  readonly maxGas: bigint
  readonly validators: readonly CometValidator[]
  readonly validatorsHash: Uint8Array
  readonly consensusHash: Uint8Array
}

/** @throws UNSUPPORTED if the chain continues an earlier one, whose blocks the embedded engine does not have */
export function requireNewChain({ initialHeight, continued }: Genesis): void {
  if (continued === undefined) return
  throw new LockstepError(
    'UNSUPPORTED',
    `engine is "embedded", but genesis.json continues a chain at height ${initialHeight} under CometBFT`,
    { hint: 'write engine = "cometbft" into [consensus] of config.toml' },
  )
}

/** @throws UNSUPPORTED */
export function consensusChainOf(genesis: Genesis): ConsensusChain {
  requireNewChain(genesis)
  const validators = validatorSet(genesis.validators)
  const { maxBlockBytes, params } = genesis
  return {
    id: genesis.consensusChainId,
    genesisTime: genesis.time,
    initialHeight: genesis.initialHeight,
    maxBlockBytes,
    maxGas: params.maxGas,
    validators,
    validatorsHash: hashValidators(validators),
    consensusHash: hashConsensusParams({ maxBytes: maxBlockBytes, maxGas: params.maxGas }),
  }
}
