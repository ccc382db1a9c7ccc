import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  decodeRlp,
  encodeRlp,
  encodeRlpList,
  type RlpItem,
  RlpList,
  readRlpInteger,
} from '../../../host/base/rlp.ts'
import { runSeed } from '../../support/random.ts'

const { list } = fc.letrec<{ item: RlpItem; list: RlpItem[] }>((tie) => ({
  item: fc.oneof({ maxDepth: 4 }, fc.uint8Array({ maxLength: 70 }), tie('list')),
  list: fc.array(tie('item'), { maxLength: 8 }),
}))

/** Returns the result of a read, or the message of its error. */
function outcome(read: () => unknown): unknown {
  try {
    return read()
  } catch (thrown) {
    return (thrown as Error).message
  }
}

describe('a list that is read item by item', () => {
  const seed = runSeed()

  test(`has the items and errors of a list that is decoded whole, after any change to its bytes; seed ${seed}`, () => {
    const change = fc.option(fc.record({ at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) }))
    const cut = fc.nat({ max: 3 })
    fc.assert(
      fc.property(fc.oneof(list, fc.uint8Array()), change, cut, (item, changed, short) => {
        const whole = encodeRlp(item)
        const bytes = whole.slice(0, changed === null ? whole.length : whole.length - short)
        if (changed !== null && bytes.length > 0) {
          const at = changed.at % bytes.length
          bytes[at] = (bytes[at] as number) ^ changed.by
        }
        const expected = outcome(() => decodeRlp(bytes))
        const read = outcome(() => RlpList.decode(bytes))
        if (!(read instanceof RlpList)) {
          expect(read).toBe(typeof expected === 'string' ? expected : undefined)
          return
        }
        const items = expected as readonly RlpItem[]
        expect(read.length).toBe(items.length)
        expect(items.map(() => read.item())).toEqual(items)
        expect(read.offset).toBe(bytes.length)
      }),
      { seed, numRuns: 2000 },
    )
  })

  test(`yields the same integers as its decoded items; seed ${seed}`, () => {
    const digits = fc.oneof(
      fc.uint8Array({ maxLength: 34 }),
      fc.uint8Array({ maxLength: 9 }),
      fc.constant(Uint8Array.of(0)),
    )
    fc.assert(
      fc.property(fc.oneof(digits, list), fc.constantFrom(8, 64, 256), (item, bits) => {
        const items = RlpList.decode(encodeRlp([item])) as RlpList
        expect(outcome(() => items.integer(bits))).toEqual(
          outcome(() => readRlpInteger(item, bits)),
        )
      }),
      { seed, numRuns: 1000 },
    )
  })

  test(`is encoded again from a range of its bytes; seed ${seed}`, () => {
    fc.assert(
      fc.property(list, fc.nat(), (items, some) => {
        const bytes = encodeRlp(items)
        const read = RlpList.decode(bytes) as RlpList
        const start = read.offset
        const kept = some % (items.length + 1)
        read.skip(kept)
        const part = bytes.subarray(start, read.offset)
        expect(encodeRlpList(part, 1)).toEqual(encodeRlp(items.slice(0, kept), 1))
      }),
      { seed },
    )
  })
})
