import { LockstepError } from '../../base/error.ts'
import type { Genesis, GenesisValidator } from '../../evm/chain-types/genesis.ts'
import { encodeGenesis } from '../../evm/chain-types/genesis-codec.ts'
import { readTotal, readValidator, STAKING_ADDRESS, TOTAL } from '../../evm/modules/staking-rows.ts'
import { MAX_VOTING_VALIDATORS, powerOf } from '../../evm/modules/validator-set.ts'
import type { StateView } from '../../evm/state/view.ts'
import { openHasher } from '../commit-hasher.ts'
import { Disposables } from '../disposables.ts'
import { openStores } from '../open/open-stores.ts'
import { type HomeContext, readOwnGenesis } from './home-snapshots.ts'

const NANOSECONDS = 1_000_000_000n

/** Returns the validators that consensus was told about; if it was told none yet, those with the highest stake. */
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
    .slice(0, MAX_VOTING_VALIDATORS)
    .map(({ stake: power, validator }) => ({ ...validator, power }))
}

/**
 * Returns the genesis with which a stopped home's chain continues under CometBFT: at the next height, with the
 * current state and the validators of its staking. Every home at that height produces the same document.
 * @throws NOT_FOUND if the chain has no block or no validator; errors of opening the home
 */
export async function continueGenesis({ home, config, logger }: HomeContext): Promise<Genesis> {
  const genesis = readOwnGenesis(home)
  const closers = new Disposables()
  try {
    const { storage, committer } = await openStores(home, config, logger, closers, () => {})
    const height = storage.chain.latest
    const header = storage.chain.header(height)
    if (height < 1 || header === undefined) {
      throw new LockstepError(
        'NOT_FOUND',
        'the chain has no block yet: there is nothing to continue from',
        {
          hint: 'start it under CometBFT: its genesis.json works with both engines',
        },
      )
    }
    const validators = await votersOf(storage.state.view(height))
    if (validators.length === 0) {
      throw new LockstepError('NOT_FOUND', `no validator has power at height ${height}`, {
        hint: 'stake for one with `lockstep tx stake create-validator`, while the node runs',
      })
    }
    const { consensusChainId, maxBlockBytes, params, unbondingSeconds, downtime, upgrades } =
      genesis
    const { appHash } = committer
    return {
      consensusChainId,
      // Rounded up: the first block must not precede its parent, whose time is in whole seconds.
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
      ...(downtime !== undefined && { downtime }),
      ...(upgrades !== undefined && { upgrades }),
      accounts: [],
    }
  } finally {
    await closers.close()
  }
}

/** Returns the hash of block 0. */
async function blockZero(genesis: Genesis): Promise<Uint8Array> {
  const hasher = await openHasher()
  return hasher.keccak256(new TextEncoder().encode(encodeGenesis(genesis)))
}
