import type { Command } from 'commander'
import { equalBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { formatTime } from '../../base/time.ts'
import { checksumText } from '../../evm/chain-types/account-key.ts'
import { NATIVE_DENOMINATION } from '../../evm/chain-types/generated/chain-precompile.ts'
import {
  readQueue,
  readShares,
  readTotal,
  readUnbonding,
  readValidator,
  TOTAL,
  worthOf,
} from '../../evm/modules/staking-rows.ts'
import { powerOf } from '../../evm/modules/validator-set.ts'
import { formatNative } from '../option/native-amount.ts'
import { QueryClient } from './query-client.ts'
import { addQueryFlags, printFacts, type QueryFlags } from './query-flags.ts'
import {
  allValidators,
  cosmosValidatorJson,
  findValidator,
  stakingRowsOf,
  statusOf,
  validatorFacts,
} from './staking-state.ts'

export function defineQueryValidators(command: Command): void {
  addQueryFlags(command).action(async (flags: QueryFlags) => {
    const validators = await allValidators(stakingRowsOf(new QueryClient(flags)))
    if (flags.json !== undefined) {
      process.stdout.write(`${JSON.stringify(validators.map(cosmosValidatorJson))}\n`)
      return
    }
    for (const validator of validators) {
      const status = statusOf(validator)
      const power = `${powerOf(validator)}`.padStart(12)
      const operator = checksumText(validator.operator)
      process.stdout.write(`${operator}  ${status}  ${power}  ${validator.moniker}\n`)
    }
  })
}

export function defineQueryValidator(command: Command): void {
  command.argument(
    '<validator_pubkey>',
    "consensus key: JSON, base64 or hex; or the operator's address, or name of its key",
  )
  addQueryFlags(command).action(async (word: string, flags: QueryFlags) => {
    const validator = await findValidator(new QueryClient(flags), word)
    const facts =
      flags.json === undefined ? validatorFacts(validator) : cosmosValidatorJson(validator)
    printFacts(facts, flags.json)
  })
}

export function defineQueryDelegation(command: Command): void {
  command
    .argument('<delegator>', 'address, or name of a key')
    .argument('<validator>', 'consensus key or operator of the validator')
  addQueryFlags(command).action(async (word: string, named: string, flags: QueryFlags) => {
    const client = new QueryClient(flags)
    const delegator = await client.account(word)
    const validator = await findValidator(client, named)
    const shares = await readShares(stakingRowsOf(client), delegator, validator.id)
    if (shares === 0n) {
      throw new LockstepError('NOT_FOUND', `${word} has delegated nothing to ${named}`, {
        hint: 'check both, and the height',
      })
    }
    const amount = worthOf(shares, validator)
    const delegator_address = checksumText(delegator)
    const validator_address = checksumText(validator.operator)
    const json = {
      delegation: { delegator_address, validator_address, shares: `${shares}` },
      balance: { denom: NATIVE_DENOMINATION, amount: `${amount}` },
    }
    const facts = {
      Delegator: delegator_address,
      Validator: validator_address,
      Worth: formatNative(amount),
      Shares: `${shares}`,
    }
    printFacts(flags.json === undefined ? facts : json, flags.json)
  })
}

export function defineQueryUnbonding(command: Command): void {
  command.argument('<delegator>', 'address, or name of a key')
  addQueryFlags(command).action(async (word: string, flags: QueryFlags) => {
    const client = new QueryClient(flags)
    const delegator = await client.account(word)
    const read = stakingRowsOf(client)
    const { first, next } = await readQueue(read)
    const entries: object[] = []
    for (let place = first; place < next; place++) {
      const entry = await readUnbonding(read, place)
      if (!equalBytes(entry.delegator, delegator)) continue
      const { operator } = await readValidator(read, entry.validatorId)
      entries.push({
        validator_address: checksumText(operator),
        creation_height: `${entry.height}`,
        completion_time: formatTime(entry.time * 1_000_000_000n),
        balance: `${entry.amount}`,
      })
    }
    if (flags.json === undefined) {
      for (const entry of entries) process.stdout.write(`${Object.values(entry).join('  ')}\n`)
    } else process.stdout.write(`${JSON.stringify(entries)}\n`)
  })
}

export function defineQueryPool(command: Command): void {
  addQueryFlags(command).action(async (flags: QueryFlags) => {
    const read = stakingRowsOf(new QueryClient(flags))
    const bonded = await readTotal(read, TOTAL.bonded)
    const unbonding = await readTotal(read, TOTAL.unbonding)
    const json = { bonded_tokens: `${bonded}`, not_bonded_tokens: `${unbonding}` }
    const facts = { Bonded: formatNative(bonded), Unbonding: formatNative(unbonding) }
    printFacts(flags.json === undefined ? facts : json, flags.json)
  })
}
