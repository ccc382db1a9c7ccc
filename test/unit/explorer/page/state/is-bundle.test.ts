import { expect, test } from 'vitest'
import { isBundle } from '../../../../../host/explorer/page/state/is-bundle.ts'

const bundle = { app: {}, bundle: { format: 'lockstep-bundle', version: 1 } }

test.each([
  ['a bundle', bundle, true],
  ['an answer of JSON-RPC around one', { jsonrpc: '2.0', id: 1, result: bundle }, true],
  ['an ABI', [{ type: 'function', name: 'bundle' }], false],
  ['an artifact of a contract named so', { contractName: 'lockstep-bundle', abi: [] }, false],
  ['a text', '"lockstep-bundle"', false],
  ['null', null, false],
])('isBundle recognizes whether a file is a bundle: %s', (_, json, expected) => {
  expect(isBundle(JSON.stringify(json))).toBe(expected)
})

test('a truncated bundle is not a bundle', () => {
  expect(isBundle(JSON.stringify(bundle).slice(0, -1))).toBe(false)
})
