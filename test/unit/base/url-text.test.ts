import { expect, test } from 'vitest'
import { fetchFailure } from '../../../host/base/error.ts'
import { withoutCredentials } from '../../../host/base/url-text.ts'

test.each([
  ['http://alice:s3cret@127.0.0.1:8545/rpc', 'http://127.0.0.1:8545/rpc'],
  [
    'failed: tcp://alice@host and wss://a:b%40c@other?x=1',
    'failed: tcp://host and wss://other?x=1',
  ],
  ['https://a:p@ss@host/', 'https://host/'],
  ['http://host/path@2 by alice@example.org', 'http://host/path@2 by alice@example.org'],
])('%j is printed without credentials', (text, printed) => {
  expect(withoutCredentials(text)).toBe(printed)
})

test('the reason of a fetch that rejects credentials does not contain them', async () => {
  const thrown = await fetch('http://alice:s3cret@127.0.0.1:1/').catch((error: unknown) => error)
  expect((thrown as Error).message).toContain('s3cret')
  expect(fetchFailure(thrown)).toContain('credentials: http://127.0.0.1:1/')
})
