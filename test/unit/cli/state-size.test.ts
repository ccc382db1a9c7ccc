import { expect, test } from 'vitest'
import { formatSizes } from '../../../host/cli/state-size.ts'

test('sizes are a table with texts at the left, numbers at the right, and a total', () => {
  const sizes = [
    { part: 'evm', name: 'storage', rows: 12_345, bytes: 987_654 },
    { part: 'data', name: 'committer.db', rows: undefined, bytes: 4096 },
  ] as const
  expect(formatSizes(sizes).split('\n')).toEqual([
    'part   name           rows   bytes',
    'evm    storage       12345  987654',
    'data   committer.db      -    4096',
    'total                       991750',
  ])
})
