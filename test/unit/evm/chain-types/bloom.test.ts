import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseData } from '../../../../host/base/hex.ts'
import {
  bloomBits,
  hasBits,
  logsBloom,
  uniteBlooms,
} from '../../../../host/evm/chain-types/bloom.ts'
import { nobleRecovery } from '../../../../host/evm/chain-types/noble-recovery.ts'

const { keccak256 } = nobleRecovery
const item = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const log = fc.record({
  address: item(20),
  topics: fc.array(item(32), { maxLength: 4 }),
  data: fc.uint8Array({ maxLength: 8 }),
})

function bitsOf(bloom: Uint8Array): number[] {
  const bits: number[] = []
  for (let bit = 0; bit < 2048; bit++) {
    if ((((bloom[255 - (bit >> 3)] as number) >> (bit & 7)) & 1) === 1) bits.push(bit)
  }
  return bits
}

describe('a logs bloom', () => {
  test('sets the three bits that the yellow paper defines for an address', () => {
    const address = parseData('0x095e7baea6a6c7c4c2dfeb977efac326af552d87')
    const hash = keccak256(address)
    const expected = [0, 2, 4].map(
      (i) => ((hash[i] as number) * 256 + (hash[i + 1] as number)) % 2048,
    )
    const bloom = logsBloom([{ address, topics: [], data: new Uint8Array() }], keccak256)
    expect(bitsOf(bloom)).toEqual([...new Set(expected)].sort((a, b) => a - b))
  })

  test('matches every item that was added; empty data sets no bit', () => {
    fc.assert(
      fc.property(fc.array(log, { maxLength: 5 }), (logs) => {
        const bloom = logsBloom(logs, keccak256)
        for (const { address, topics } of logs) {
          for (const part of [address, ...topics]) {
            expect(hasBits(bloom, bloomBits(part, keccak256))).toBe(true)
          }
        }
        const bare = logs.map((entry) => ({ ...entry, data: new Uint8Array() }))
        expect(logsBloom(bare, keccak256)).toEqual(bloom)
        expect(uniteBlooms(logs.map((entry) => logsBloom([entry], keccak256)))).toEqual(bloom)
      }),
    )
  })

  test('matches nothing if there are no logs', () => {
    expect(hasBits(logsBloom([], keccak256), bloomBits(new Uint8Array(20), keccak256))).toBe(false)
  })
})
