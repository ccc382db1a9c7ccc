import { sha256 } from '@noble/hashes/sha2.js'
import type { Command } from 'commander'
import { LockstepError } from '../../base/error.ts'
import { hexDigits } from '../../base/hex.ts'
import { formatTime } from '../../base/time.ts'
import { decodeDowntimeRules, decodeSigningInfo } from '../../evm/modules/staking-downtime.ts'
import { fieldKey, JAIL, TOTAL, totalKey, VALIDATOR_FIELD } from '../../evm/modules/staking-rows.ts'
import { QueryClient } from './query-client.ts'
import { addQueryFlags, printFacts, type QueryFlags } from './query-flags.ts'
import { findValidator, stakingRowsOf, statusOf } from './staking-state.ts'

export function defineQuerySigningInfo(command: Command): void {
  command.argument('<validator>', 'consensus key or operator of the validator')
  addQueryFlags(command).action(async (word: string, flags: QueryFlags) => {
    const client = new QueryClient(flags)
    const read = stakingRowsOf(client)
    const rules = decodeDowntimeRules(await read(totalKey(TOTAL.downtime)))
    if (rules === undefined) {
      throw new LockstepError('NOT_FOUND', 'the chain counts no missed blocks', {
        hint: 'its genesis.json has no app_state.evm.staking.downtime',
      })
    }
    const validator = await findValidator(client, word)
    const row = await read(fieldKey(validator.id, VALIDATOR_FIELD.signing))
    const { startHeight, missedBlocks, jailedUntil } = decodeSigningInfo(row)
    const until = formatTime(BigInt(jailedUntil) * 1_000_000_000n)
    const address = hexDigits(sha256(validator.consensusKey).subarray(0, 20)).toUpperCase()
    const { window, leastSigned } = rules
    const json = {
      address,
      start_height: `${startHeight}`,
      jailed_until: until,
      tombstoned: validator.jail === JAIL.forGood,
      missed_blocks_counter: `${missedBlocks}`,
      signed_blocks_window: `${window}`,
    }
    const facts = {
      Address: address,
      Status: statusOf(validator),
      Missed: `${missedBlocks} of the last ${window} blocks, at most ${window - leastSigned}`,
      'Counted since': startHeight === 0 ? 'not yet' : `block ${startHeight}`,
      ...(jailedUntil > 0 && { 'Jail ends': until }),
    }
    printFacts(flags.json === undefined ? facts : json, flags.json)
  })
}
