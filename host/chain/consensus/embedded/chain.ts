import { LockstepError } from '../../../base/error.ts'
import type { Genesis } from '../../../evm/chain-types/genesis.ts'
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

/** @throws UNSUPPORTED for a chain that goes on: its blocks so far are in no store of the embedded engine */
export function requireBeginning({ initialHeight, continued }: Genesis): void {
  if (continued === undefined) return
  throw new LockstepError(
    'UNSUPPORTED',
    `engine is "embedded", but genesis.json is of a chain that goes on with height ${initialHeight} under CometBFT`,
    { hint: 'write engine = "cometbft" into [consensus] of config.toml' },
  )
}

/** @throws UNSUPPORTED */
export function chainOf(genesis: Genesis): Chain {
  requireBeginning(genesis)
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
