import { sha256 } from '@noble/hashes/sha2.js'
import { LockstepError } from '../../base/error.ts'
import { formatTime } from '../../base/time.ts'
import { checksumText } from '../../evm/chain-types/account-key.ts'
import type { ReadRow } from '../../evm/modules/row-text.ts'
import {
  consensusAddressKey,
  JAIL,
  operatorKey,
  readId,
  readTotal,
  readValidator,
  STAKING_ADDRESS,
  type StakingValidator,
  TOTAL,
} from '../../evm/modules/staking-rows.ts'
import { powerOf } from '../../evm/modules/validator-set.ts'
import { readConsensusKey } from '../option/consensus-key.ts'
import { formatNative } from '../option/native-amount.ts'
import type { QueryClient } from './query-client.ts'

/** Returns a reader of the staking rows at the client's height. */
export function stakingRowsOf(client: QueryClient): ReadRow {
  return (key) => client.storage(STAKING_ADDRESS, key)
}

/** Returns all validators in the order of their creation. */
export async function allValidators(read: ReadRow): Promise<StakingValidator[]> {
  const count = Number(await readTotal(read, TOTAL.validators))
  const validators: StakingValidator[] = []
  for (let id = 1; id <= count; id++) validators.push(await readValidator(read, id))
  return validators
}

/** Returns the validator of a consensus key or an operator. @throws NOT_FOUND */
export async function findValidator(client: QueryClient, word: string): Promise<StakingValidator> {
  const read = stakingRowsOf(client)
  const key = readConsensusKey(word)
  const place =
    key === undefined
      ? operatorKey(await client.account(word))
      : consensusAddressKey(sha256(key).subarray(0, 20))
  const id = await readId(read, place)
  if (id !== 0) return await readValidator(read, id)
  throw new LockstepError('NOT_FOUND', `no validator has the key or the operator ${word}`, {
    hint: 'list them with `lockstep query staking validators`',
  })
}

/** Returns the status of a validator in a few words. One that is not jailed votes if it is among the top hundred. */
export function statusOf({ jail, votingPower }: StakingValidator): string {
  if (jail === JAIL.forGood) return 'jailed for good'
  if ((jail & JAIL.forDowntime) !== 0) return 'jailed for downtime'
  if (jail !== JAIL.free) return 'jailed'
  return votingPower > 0 ? 'bonded' : 'unbonded'
}

/** Formats a share of one with all its digits. */
function formatRate(rate: bigint): string {
  const digits = rate.toString().padStart(19, '0')
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`
}

/** Returns a validator in the JSON form of Cosmos command lines. */
export function cosmosValidatorJson(validator: StakingValidator): Record<string, unknown> {
  const { commission } = validator
  return {
    operator_address: checksumText(validator.operator),
    consensus_pubkey: {
      '@type': '/cosmos.crypto.ed25519.PubKey',
      key: Buffer.from(validator.consensusKey).toString('base64'),
    },
    jailed: validator.jail !== JAIL.free,
    tombstoned: validator.jail === JAIL.forGood,
    status: validator.votingPower > 0 ? 'BOND_STATUS_BONDED' : 'BOND_STATUS_UNBONDED',
    power: `${powerOf(validator)}`,
    tokens: `${validator.tokens}`,
    delegator_shares: `${validator.shares}`,
    description: { moniker: validator.moniker },
    commission: {
      commission_rates: {
        rate: formatRate(commission.rate),
        max_rate: formatRate(commission.maxRate),
        max_change_rate: formatRate(commission.maxChangeRate),
      },
      update_time: formatTime(commission.updated * 1_000_000_000n),
    },
    min_self_delegation: `${validator.minSelfDelegation}`,
  }
}

/** Returns the facts of a validator for display. */
export function validatorFacts(validator: StakingValidator): Record<string, unknown> {
  const { commission } = validator
  return {
    Moniker: validator.moniker,
    Operator: checksumText(validator.operator),
    Key: Buffer.from(validator.consensusKey).toString('base64'),
    Status: statusOf(validator),
    Power: `${powerOf(validator)}`,
    Tokens: formatNative(validator.tokens),
    Commission: `${formatRate(commission.rate)} (at most ${formatRate(commission.maxRate)})`,
    'Least stake': formatNative(validator.minSelfDelegation),
  }
}
