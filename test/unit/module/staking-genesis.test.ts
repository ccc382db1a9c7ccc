import { expect, test } from 'vitest'
import { bytesToBigint } from '../../../host/base/bytes.ts'
import { formatData } from '../../../host/base/hex.ts'
import { presetGenesis } from '../../../host/evm/chain-types/genesis-presets.ts'
import { stakingAccount } from '../../../host/evm/modules/staking-genesis.ts'
import { TOTAL, totalKey } from '../../../host/evm/modules/staking-rows.ts'

/** Returns the unbonding time in seconds of a chain whose genesis defines this many. */
function unbondingOf(unbondingSeconds: number | undefined): bigint {
  const genesis = presetGenesis('1329', { time: 0n, validators: [] })
  const { storage } = stakingAccount({
    ...genesis,
    ...(unbondingSeconds !== undefined && { unbondingSeconds }),
  })
  const wanted = formatData(totalKey(TOTAL.unbondingTime))
  const row = storage.find(({ slot }) => formatData(slot) === wanted)
  return row === undefined ? 0n : bytesToBigint(row.value)
}

test('unbonding takes 21 days if genesis does not define it, as on Cosmos chains', () => {
  expect(unbondingOf(undefined)).toBe(21n * 24n * 3600n)
})

test('unbonding takes as long as genesis defines', () => {
  expect(unbondingOf(90)).toBe(90n)
})
