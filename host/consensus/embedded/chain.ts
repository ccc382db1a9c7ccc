import type { Genesis } from '../../chain-types/genesis.ts'
import { hashConsensusParams } from '../comet/consensus-params.ts'
import { type CometValidator, hashValidators, validatorSet } from '../comet/validator-set.ts'

/** The fields that every header of a chain shares, from its genesis. */
export interface Chain {
  readonly id: string
  readonly genesisTime: bigint
  readonly initialHeight: number
  readonly maxBlockBytes: number
  readonly maxGas: bigint
  readonly validators: readonly CometValidator[]
  readonly validatorsHash: Uint8Array
  readonly consensusHash: Uint8Array
}

export function chainOf(genesis: Genesis): Chain {
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
