import { expect, test } from 'vitest'
import { lookup } from '../../../host/base/lookup.ts'

test('a name finds what the table has, and nothing that every object inherits', () => {
  const table = { known: 1 }
  expect(lookup(table, 'known')).toBe(1)
  for (const name of ['', 'unknown', ...Object.getOwnPropertyNames(Object.prototype)]) {
    expect(lookup<unknown>(table, name), name).toBeUndefined()
  }
})
