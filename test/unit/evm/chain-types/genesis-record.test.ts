import { hash as digest } from 'node:crypto'
import { expect, test } from 'vitest'
import * as genesisRecord from '../../../../host/evm/chain-types/genesis-record.ts'

const { describeChanges } = genesisRecord
const recordGenesis = (text: string) =>
  genesisRecord.recordGenesis(text, (part) => digest('sha256', part))

const accounts = (count: number, balance: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`0x${i}`, { balance }]))
const document = (maxGas: string, alloc: object = accounts(60, '1')) => ({
  chain_id: '1329',
  validators: [{ power: '10' }],
  app_state: { evm: { max_gas: maxGas, alloc } },
})

test('the genesis hash depends only on the content, not on layout or order', () => {
  const { hash } = recordGenesis(JSON.stringify(document('30')))
  expect(hash).toMatch(/^[0-9a-f]{64}$/)
  const { app_state, validators, chain_id } = document('30')
  const other = JSON.stringify({ validators, app_state, chain_id }, null, 7)
  expect(recordGenesis(`${other}\n\n`).hash).toBe(hash)
  expect(recordGenesis(JSON.stringify(document('31'))).hash).not.toBe(hash)
})

test('a difference lists the changed fields, and only summarizes many changed accounts', () => {
  const before = recordGenesis(JSON.stringify(document('30')))
  const after = recordGenesis(
    JSON.stringify({ ...document('31', accounts(60, '2')), app_hash: '' }),
  )
  expect(describeChanges(before, after)).toEqual([
    'app_state.evm.max_gas was "30" and is "31"',
    expect.stringMatching(
      /^app_state\.evm\.alloc was sha256:[0-9a-f]{64} and is sha256:[0-9a-f]{64}$/,
    ),
    'app_hash was absent and is ""',
  ])
  expect(describeChanges(before, before)).toEqual([])
})
