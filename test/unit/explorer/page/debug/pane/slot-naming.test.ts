import { expect, it } from 'vitest'
import { concatBytes } from '../../../../../../host/base/bytes.ts'
import { type Hex, parseData } from '../../../../../../host/base/hex.ts'
import { SlotNaming } from '../../../../../../host/explorer/page/debug/pane/slot-naming.ts'
import { readStorageLayout } from '../../../../../../host/explorer/page/decode/storage/layout.ts'
import { Preimages } from '../../../../../../host/explorer/page/decode/storage/preimages.ts'
import { fullWord } from '../../../../../../host/explorer/page/state/debug/word.ts'

const A: Hex = `0x${'a1'.repeat(20)}`

/** The layout of solc for `uint128 paid; uint64 count; mapping(address => uint256) balances`. */
const LAYOUT = readStorageLayout({
  storage: [
    { label: 'paid', slot: '0', offset: 0, type: 't_uint128' },
    { label: 'count', slot: '0', offset: 16, type: 't_uint64' },
    { label: 'balances', slot: '1', offset: 0, type: 't_mapping(t_address,t_uint256)' },
  ],
  types: {
    t_uint128: { encoding: 'inplace', label: 'uint128', numberOfBytes: '16' },
    t_uint64: { encoding: 'inplace', label: 'uint64', numberOfBytes: '8' },
    t_uint256: { encoding: 'inplace', label: 'uint256', numberOfBytes: '32' },
    t_address: { encoding: 'inplace', label: 'address', numberOfBytes: '20' },
    't_mapping(t_address,t_uint256)': {
      encoding: 'mapping',
      label: 'mapping(address => uint256)',
      numberOfBytes: '32',
      key: 't_address',
      value: 't_uint256',
    },
  },
})

it('storage slots show their variables and values, including unchanged ones', () => {
  const hashed = concatBytes([parseData(fullWord(BigInt(A))), parseData(fullWord(1n))])
  const balance = fullWord(new Preimages().add(hashed))
  const layouts = LAYOUT === undefined ? [] : [LAYOUT]
  const packed = fullWord((3n << 128n) | 500n)
  const slots = [
    { slot: fullWord(0n), value: packed, original: packed },
    { slot: balance, value: fullWord(7n), original: fullWord(0n) },
    { slot: fullWord(99n), value: fullWord(1n), original: fullWord(1n) },
  ]
  const meanings = new SlotNaming(layouts, [hashed], []).meanings(slots)
  expect([...meanings]).toEqual([
    [fullWord(0n), { name: 'paid, count', value: '500, 3' }],
    [balance, { name: expect.stringMatching(/^balances\[0xa1a1/i), value: '7' }],
  ])
  const naming = new SlotNaming(layouts, [hashed], [])
  expect(naming.slotOf('count', slots)).toBe(fullWord(0n))
  expect(naming.slotOf('0x0', slots)).toBeUndefined()
  expect(new SlotNaming([], [hashed], []).meanings(slots).size).toBe(0)
})
