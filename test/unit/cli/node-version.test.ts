import { expect, test } from 'vitest'
import { checkNodeVersion } from '../../../host/cli/node-version.ts'
import { NODE_RANGE } from '../../../host/node/version.ts'

test.each([
  ['22.15.0', '>=22.15'],
  ['22.16.1', '>=22.15'],
  ['23.0.0', '>=22.15'],
  ['100.2.0', '>=22.15'],
])('Node %s is within the range %s', (release, range) => {
  expect(() => checkNodeVersion(release, range)).not.toThrow()
})

test.each([
  ['22.14.9', '>=22.15'],
  ['20.20.2', '>=22.15'],
  ['9.99.9', '>=22.15'],
])('Node %s is outside the range %s', (release, range) => {
  expect(() => checkNodeVersion(release, range)).toThrow(
    expect.objectContaining({
      code: 'UNSUPPORTED',
      message: `Node ${release} is too old: lockstep needs 22.15 or later`,
      hint: 'install a newer Node.js: https://nodejs.org/en/download',
    }),
  )
})

test('the Node range of package.json can be parsed', () => {
  expect(NODE_RANGE).toMatch(/^>=\d+\.\d+$/)
  expect(() => checkNodeVersion('1.0.0', NODE_RANGE)).toThrow()
  expect(() => checkNodeVersion(process.versions.node, NODE_RANGE)).not.toThrow()
})
