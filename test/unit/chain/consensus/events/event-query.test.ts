import { describe, expect, test } from 'vitest'
import { EventQuery } from '../../../../../host/chain/consensus/events/event-query.ts'

const TAGS = new Map([
  ['tm.event', ['Tx']],
  ['tx.height', ['12']],
  ['tx.hash', ['ABCDEF']],
  ['transfer.sender', ['0xaa']],
  ['transfer.amount', ['123456789012345678901234567890', '5']],
  ['rewards.total', ['8.50atom']],
  ['rewards.since', ['2026-05-03T14:45:00+02:00']],
  ['rewards.day', ['2026-05-03']],
])

describe('an event query', () => {
  test.each([
    "tm.event='Tx'",
    "tm.event = 'Tx' AND tx.height=12",
    'tx.height > 11 AND tx.height < 13 AND tx.height <= 12 AND tx.height >= 12',
    "tx.hash = 'abcdef'",
    "transfer.sender='0xAA'",
    "transfer.sender CONTAINS 'xa'",
    'transfer.amount > 123456789012345678901234567889',
    'transfer.amount = 5',
    'transfer.amount < 5.01',
    'rewards.total = 8.5',
    'rewards.total > 8.49',
    'rewards.since = TIME 2026-05-03T12:45:00Z',
    'rewards.since >= TIME 2026-05-03T12:44:59Z',
    'rewards.day = DATE 2026-05-03',
    'rewards.day < DATE 2026-05-04',
    'transfer.sender EXISTS',
    'transfer EXISTS',
    "tm.event='Tx' AND transfer EXISTS",
  ])('matches with %s', (text) => {
    expect(new EventQuery(text).matches(TAGS)).toBe(true)
  })

  test.each([
    "tm.event='NewBlock'",
    "tm.event='tx'",
    'tx.height = 13',
    'transfer.amount > 123456789012345678901234567890',
    "transfer.sender='0xab'",
    'rewards.total < 8.5',
    'rewards.total > 8.51',
    'rewards.day = TIME 2026-05-03T00:00:00Z',
    'rewards.since > TIME 2026-05-03T12:45:00Z',
    'nothing EXISTS',
    'tran EXISTS',
    'transfer.sen EXISTS',
    "transfer = 'x'",
    "tm.event='Tx' AND nothing EXISTS",
    '__proto__.constructor EXISTS',
  ])('does not match with %s', (text) => {
    expect(new EventQuery(text).matches(TAGS)).toBe(false)
  })

  const operators =
    '<= operator, >= operator, < operator, > operator, = operator, CONTAINS operator or EXISTS operator'
  test.each([
    ['', 'offset 0: EOF, wanted tag'],
    ['x', `offset 1: EOF, wanted ${operators}`],
    ['a=', 'offset 2: EOF, wanted number, timestamp, datestamp or string'],
    ["a='b", 'offset 2: EOF before the closing quote'],
    ["a>'b'", 'offset 2: got string, wanted number, timestamp or datestamp'],
    ['a CONTAINS 5', 'offset 11: got number, wanted string'],
    ['a EXISTS AND', 'offset 12: EOF, wanted tag'],
    ['a EXISTS OR b EXISTS', 'offset 9: got tag, wanted AND operator'],
    ['AND', 'offset 0: got AND operator, wanted tag'],
    ['constructor', `offset 11: EOF, wanted ${operators}`],
    ["'a'", 'offset 0: got string, wanted tag'],
    ['a!=1', 'offset 1: invalid input !'],
    ['a=5.5.5', 'offset 5: invalid input .'],
    [
      'a = TIME 2020-01',
      'offset 4: invalid TIME value "2020-01": write it as 2026-01-31T12:00:00Z',
    ],
    ['a = DATE 2020-02-30', 'offset 4: invalid DATE value "2020-02-30": write it as 2026-01-31'],
    ['a = DATE 1899-12-31', 'offset 4: year 1899 out of range'],
    ['a = 1'.padEnd(513), 'maximum query length exceeded: 513 bytes of at most 512'],
  ])('%s is refused with the offset of the error', (text, message) => {
    expect(() => new EventQuery(text)).toThrow(
      expect.objectContaining({ code: 'QUERY_INVALID', message }),
    )
  })

  test('has one key for all of its spellings and another key for another query', () => {
    const key = (text: string) => new EventQuery(text).key
    expect(key("a  =  'b'  AND c EXISTS")).toBe(key("a='b' AND c EXISTS"))
    expect(key('a=5')).not.toBe(key("a='5'"))
    expect(key("a='b AND c EXISTS '")).not.toBe(key("a='b' AND c EXISTS"))
  })

  // A parser that takes cubic time would need half an hour here, so the test would time out.
  test('is parsed in time linear in its length, whatever it contains', () => {
    const pieces = ['a', '.', '-', '_', '9', '5.', "'", ' ', '<', 'TIME ', 'é', '(', '\u{1F600}']
    for (const piece of pieces) {
      for (const before of ['', 'a = ', "a = '", 'a = TIME ', 'a EXISTS AND ']) {
        const room = 512 - Buffer.byteLength(before)
        const text = before + piece.repeat(Math.floor(room / Buffer.byteLength(piece)))
        for (let i = 0; i < 100; i++) {
          try {
            new EventQuery(text).matches(TAGS)
          } catch (thrown) {
            expect(thrown).toMatchObject({ code: 'QUERY_INVALID' })
          }
        }
      }
    }
  })
})
