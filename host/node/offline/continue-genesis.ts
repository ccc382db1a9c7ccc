import { LockstepError } from '../../base/error.ts'
import type { Genesis, GenesisValidator } from '../../evm/chain-types/genesis.ts'
import { encodeGenesis } from '../../evm/chain-types/genesis-codec.ts'
import { readTotal, readValidator, STAKING_ADDRESS, TOTAL } from '../../evm/modules/staking-rows.ts'
import { MOST_VALIDATORS, powerOf } from '../../evm/modules/validator-set.ts'
import type { StateView } from '../../evm/state/view.ts'
import { Closers } from '../closers.ts'
import { openHasher } from '../commit-hasher.ts'
import { openStores } from '../open/open-stores.ts'
import { type HomeContext, readOwnGenesis } from './home-snapshots.ts'

const NANOSECONDS = 1_000_000_000n

/** Those that consensus was told to have vote; of a home that tells nobody yet, those with the most at stake. */
async function votersOf(view: StateView): Promise<readonly GenesisValidator[]> {
  const read = async (key: Uint8Array) => view.storage(STAKING_ADDRESS, key) ?? new Uint8Array(32)
  const count = Number(await readTotal(read, TOTAL.validators))
  const able: { told: number; stake: number; validator: Omit<GenesisValidator, 'power'> }[] = []
  for (let id = 1; id <= count; id++) {
    const validator = await readValidator(read, id)
    able.push({
      told: validator.votingPower,
      stake: Number(powerOf(validator)),
      validator: { publicKey: validator.consensusKey, name: validator.moniker },
    })
  }
  const told = able.filter((each) => each.told > 0)
  if (told.length > 0) return told.map(({ told: power, validator }) => ({ ...validator, power }))
  return able
    .filter(({ stake }) => stake > 0)
    .sort((one, other) => other.stake - one.stake)
    .slice(0, MOST_VALIDATORS)
    .map(({ stake: power, validator }) => ({ ...validator, power }))
}

/**
 * The document with which the chain of a stopped home goes on under CometBFT: with the block after its newest, the
 * state that it has, and the validators of its staking. Every home of that height gives the same.
 * @throws NOT_FOUND where the chain has no block or no validator, and what opening the home throws
 */
export async function continueGenesis({ home, config, logger }: HomeContext): Promise<Genesis> {
  const genesis = readOwnGenesis(home)
  const closers = new Closers()
  try {
    const { storage, committer } = await openStores(home, config, logger, closers, () => {})
    const height = storage.chain.latest
    const header = storage.chain.header(height)
    if (height < 1 || header === undefined) {
      throw new LockstepError(
        'NOT_FOUND',
        'the chain has no block yet: there is nothing to go on from',
        {
          hint: 'begin it under CometBFT: its genesis.json is good for both engines',
        },
      )
    }
    const validators = await votersOf(storage.state.view(height))
    if (validators.length === 0) {
      throw new LockstepError('NOT_FOUND', `no validator has power at height ${height}`, {
        hint: 'stake for one with `lockstep tx stake create-validator`, while the node runs',
      })
    }
    const { consensusChainId, maxBlockBytes, params, unbondingSeconds } = genesis
    const { appHash } = committer
    return {
      consensusChainId,
      // Of the first block, which must not be before its parent: headers here have whole seconds.
      time: BigInt(header.timestamp + 1) * NANOSECONDS,
      initialHeight: height + 1,
      continued: {
        appHash,
        genesisBlock: genesis.continued?.genesisBlock ?? (await blockZero(genesis)),
      },
      maxBlockBytes,
      validators,
      params,
      ...(unbondingSeconds !== undefined && { unbondingSeconds }),
      accounts: [],
    }
  } finally {
    await closers.close()
  }
}

/** Hash of block 0. */
async function blockZero(genesis: Genesis): Promise<Uint8Array> {
  const hasher = await openHasher()
  return hasher.keccak256(new TextEncoder().encode(encodeGenesis(genesis)))
}
