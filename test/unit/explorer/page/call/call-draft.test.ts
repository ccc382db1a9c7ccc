import fc from 'fast-check'
import { encodeFunctionData, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import type { Hex } from '../../../../../host/base/hex.ts'
import {
  type CallTexts,
  draftChanges,
  linkedCall,
  readDraft,
} from '../../../../../host/explorer/page/call/call-draft.ts'
import { AbiRegistry } from '../../../../../host/explorer/page/decode/abi/abi-registry.ts'
import {
  formatChanges,
  parseChange,
} from '../../../../../host/explorer/page/state/debug/change-text.ts'
import { runSeed } from '../../../../support/random.ts'

const seed = runSeed()
const ADDRESS: Hex = `0x${'b2'.repeat(20)}`
const EMPTY: CallTexts = { to: '', from: '', data: '', value: '', gas: '', at: '', arguments: [] }

test('an empty form is a creation without code by nobody at the latest block', () => {
  expect(readDraft(EMPTY, undefined, [])).toEqual({
    to: 'new',
    from: `0x${'0'.repeat(40)}`,
    data: '0x',
    value: 0n,
    gas: undefined,
    at: undefined,
    overrides: [],
  })
})

test('the arguments of a function become calldata', () => {
  const inputs = [{ name: 'to', type: 'address' }]
  const [item] = AbiRegistry.fromJson([{ type: 'function', name: 'paid', inputs }], 'given', 'a')
  const texts = { ...EMPTY, to: ADDRESS.toUpperCase().replace('0X', '0x'), arguments: [ADDRESS] }
  const abi = parseAbi(['function paid(address to)'])
  const { to, data } = readDraft(texts, item, [])
  expect(to).toBe(ADDRESS)
  expect(data).toBe(encodeFunctionData({ abi, args: [ADDRESS] }))
  expect(() => readDraft({ ...texts, arguments: ['7'] }, item, [])).toThrow(/^to: /)
})

test.each([
  [{ to: '0x12' }, /^to: want an address.* got "0x12"$/],
  [{ from: 'me' }, /^sender: want an address: 0x and 40 hex digits, got "me"$/],
  [{ data: '0x123' }, /^call data: want 0x and an even number of hex digits, got "0x123"$/],
  [{ value: '-1' }, /^value: want a number of at most 256 bits/],
  [{ gas: '1e6' }, /^gas: want a number of at most 64 bits/],
  [{ at: '1.5' }, /^block: want the number of a block.* got "1\.5"$/],
  [{ at: '99999999999999999' }, /^block: want the number of a block/],
])('a field that is invalid is named: %j', (texts, message) => {
  expect(() => readDraft({ ...EMPTY, ...texts }, undefined, [])).toThrow(message)
})

test(`a call comes back from its link as it was written (seed ${seed})`, () => {
  const bytes = fc.uint8Array({ maxLength: 70 }).map((each) => Buffer.from(each).toString('hex'))
  const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String)
  const gas = fc.option(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String), { nil: '' })
  const overrides = [parseChange(`balance:${ADDRESS}:7`), parseChange('block:number:9')]
  fc.assert(
    fc.property(bytes, amount, gas, fc.boolean(), (data, value, gas, isOverridden) => {
      const texts = { ...EMPTY, to: ADDRESS, from: ADDRESS, data: `0x${data}`, value, gas }
      const draft = readDraft(texts, undefined, isOverridden ? overrides : [])
      const linked = linkedCall(formatChanges(draftChanges(draft)))
      const again = readDraft({ ...texts, ...linked }, undefined, linked.overrides)
      expect(again).toEqual(draft)
    }),
    { seed, numRuns: 200 },
  )
})

test(`a link with anything in place of the call has a form without it (seed ${seed})`, () => {
  expect(linkedCall('data:0x12,oops').data).toBe('0x')
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
      expect(Object.keys(linkedCall(text))).toEqual(['data', 'from', 'value', 'gas', 'overrides'])
    }),
    { seed, numRuns: 200 },
  )
})
