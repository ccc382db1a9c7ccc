import { expect, test } from 'vitest'
import { forkHeaderFields } from '../../../../../host/chain/dev/fork/fork-headers.ts'

test('lines are read as header fields, and a value may have colons and commas', () => {
  const lines = ['Authorization: Bearer a:b', ' X-Many : one, two ', 'empty:']
  expect(forkHeaderFields(lines)).toEqual({
    authorization: 'Bearer a:b',
    'x-many': 'one, two',
    empty: '',
  })
})

test.each(['secret', 'a b: secret', 'a: secret\r\nb: c', ': secret', 'a: s\u00e9cret'])(
  '%j is refused without its text',
  (line) => {
    const read = () => forkHeaderFields(['a: 1', line])
    expect(read).toThrow('header 2 of --dev.fork-headers is not a name, a colon and a value')
    expect(read).not.toThrow(/secret|cret/)
  },
)
