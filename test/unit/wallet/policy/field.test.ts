import { expect, test } from 'vitest'
import { findField, type ParsedAbis } from '../../../../host/wallet/policy/field.ts'

const inputs = [{ name: 'to', type: 'address' }]
const CONDITION = {
  field_source: 'ethereum_calldata',
  field: 'transfer.to',
  operator: 'eq',
  value: '0x',
} as const

test('conditions with equal ABIs share one parsed ABI, and others have their own', () => {
  const abis: ParsedAbis = new Map()
  const withName = (name: string) => {
    const condition = {
      ...CONDITION,
      field: `${name}.to`,
      abi: [{ type: 'function', name, inputs }],
    }
    findField(condition, 'conditions[0]', abis)
    return [...abis.values()]
  }
  const [parsed] = withName('transfer')
  const [again, ...others] = withName('transfer')
  expect(others).toEqual([])
  expect(again).toBe(parsed)
  expect(withName('mint')).toHaveLength(2)
})
