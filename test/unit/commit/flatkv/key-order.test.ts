import { expect, test } from 'vitest'
import { inOrder } from '../../../../host/commit/flatkv/key-order.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'

const seed = runSeed()
const random = makeRandom(seed)
const upTo = (end: number): number => Math.floor(random() * end)

/** Distinct keys of at most `length` of the first `values` characters, in no order. */
function randomKeys(count: number, length: number, values: number, prefix = ''): string[] {
  const keys = new Set<string>()
  for (let i = 0; i < count; i++) {
    const codes = Array.from({ length: upTo(length + 1) }, () => upTo(values))
    keys.add(prefix + String.fromCharCode(...codes))
  }
  return [...keys]
}

test(`keys come in the order of their bytes, however alike they are (seed ${seed})`, () => {
  const contracts = ['', 'a'.repeat(20), `${'a'.repeat(19)}b`, '\xff'.repeat(20)]
  const lists = [
    [],
    [''],
    randomKeys(15, 3, 2),
    randomKeys(2000, 12, 2),
    randomKeys(2000, 40, 256),
    // Of the same beginning, and some that end where others go on with zeros
    Array.from({ length: 100 }, (_, i) => `key${'\0'.repeat((i * 37) % 100)}`),
    contracts.flatMap((prefix) => randomKeys(500, 32, 256, prefix)),
  ]
  for (const keys of lists) {
    const rows = [...new Set(keys)].map((key) => ({ key }))
    expect(inOrder(rows).map(({ key }) => key)).toEqual(rows.map(({ key }) => key).sort())
  }
})
