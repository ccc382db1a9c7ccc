import { expect, test } from 'vitest'
import { lookup } from '../../../host/base/lookup.ts'

test('a lookup finds the names of the table and no property that every object inherits', () => {
  const table = { known: 1 }
  expect(lookup(table, 'known')).toBe(1)
  for (const name of ['', 'unknown', ...Object.getOwnPropertyNames(Object.prototype)]) {
    expect(lookup<unknown>(table, name), name).toBeUndefined()
  }
})
