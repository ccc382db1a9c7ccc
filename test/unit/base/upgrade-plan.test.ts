import { expect, test } from 'vitest'
import { upgradePlanList } from '../../../host/base/config/value-type.ts'
import { parseUpgradePlan } from '../../../host/base/upgrade-plan.ts'

test('an upgrade plan is a name and a height', () => {
  expect(parseUpgradePlan('v2@100000')).toEqual({ name: 'v2', height: 100_000 })
  expect(parseUpgradePlan('v1.2.3-rc_1@1')).toEqual({ name: 'v1.2.3-rc_1', height: 1 })
})

test.each([
  '',
  'v2',
  'v2@',
  '@5',
  'v2@0',
  'v2@-5',
  'v2@05',
  'v2@1e3',
  'V2@5',
  '../v2@5',
  '.@5',
  'v2@5 ',
  'v 2@5',
  `${'a'.repeat(65)}@5`,
  'v2@9999999999999999',
  'v2@5\n',
])('%j is not an upgrade plan', (text) => {
  expect(parseUpgradePlan(text)).toBeUndefined()
})

test('plans are read from a list or a text, and ordered by height', () => {
  const { decode } = upgradePlanList()
  const plans = [
    { name: 'v2', height: 5 },
    { name: 'v3', height: 9 },
  ]
  expect(decode(['v3@9', 'v2@5'])).toEqual(plans)
  expect(decode('v3@9, v2@5')).toEqual(plans)
  expect(decode([])).toEqual([])
})

test('a name or a height that is planned twice is refused', () => {
  const { decode } = upgradePlanList()
  expect(decode(['v2@5', 'v2@9'])).toBeUndefined()
  expect(decode(['v2@5', 'v3@5'])).toBeUndefined()
})
