import { describe, expect, test } from 'vitest'
import { readSearch } from '../../../../../host/explorer/page/state/search.ts'

const HASH = `0x${'a1'.repeat(32)}`
const ADDRESS = `0x${'b2'.repeat(20)}`
const page = (found: object) => ({ kind: 'page', page: found })
const block = (number: string) => page({ kind: 'block', block: number })

describe('the search field', () => {
  test.each([
    [HASH, { kind: 'hash', hash: HASH }],
    [`  ${HASH.slice(2).toUpperCase()} `, { kind: 'hash', hash: HASH }],
    [ADDRESS, page({ kind: 'address', address: ADDRESS })],
    ['17', block('17')],
    ['#17', block('17')],
    ['1,234,567', block('1234567')],
    ['1_000', block('1000')],
    ['0x11', block('17')],
    ['Latest', block('latest')],
    [`https://explorer.example/tx/${HASH}#internal`, { kind: 'hash', hash: HASH }],
    [`https://explorer.example/address/${ADDRESS}`, page({ kind: 'address', address: ADDRESS })],
    ['https://explorer.example/block/19000000', block('19000000')],
  ])('accepts %s', (typed, expected) => {
    expect(readSearch(typed)).toEqual(expected)
  })

  test.each([
    ['', /^Type a hash/],
    ['vitalik.eth', /“vitalik.eth” is not hex/],
    ['0x1234567890abcdef', /64 digits after 0x and an address 40; this has 16/],
    [`${HASH}00`, /this has 66/],
    ['99999999999999999999', /is too large for a block number/],
    ['0xzz', /is not hex/],
  ])('explains what is wrong with %j', (typed, problem) => {
    const found = readSearch(typed)
    expect(found.kind).toBe('nothing')
    expect(found.kind === 'nothing' && found.problem).toMatch(problem)
  })
})
