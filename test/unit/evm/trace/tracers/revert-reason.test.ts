import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseData } from '../../../../../host/base/hex.ts'
import { gethRevertReason } from '../../../../../host/evm/trace/tracers/revert-reason.ts'
import { plainText } from '../../../../../host/toolkit/plain-text.ts'
import { revertReasonText as toolkitReason } from '../../../../../host/toolkit/revert.ts'

const word = (value: number | bigint) => value.toString(16).padStart(64, '0')
const reason = (hex: string) => gethRevertReason(parseData(`0x${hex}`))

function errorString(text: string | Buffer): string {
  const bytes = Buffer.from(text as string)
  const padded = bytes.toString('hex').padEnd(Math.ceil(bytes.length / 32) * 64, '0')
  return `08c379a0${word(32)}${word(bytes.length)}${padded}`
}

describe('the revert reason of Error(string)', () => {
  test.each(['', 'nope', 'a text of more than thirty-two bytes, in two words', 'Grüße 🚀'])(
    'reads %j',
    (text) => expect(reason(errorString(text))).toBe(text),
  )

  test.each([
    ['efbbbf6869', '\ufeffhi'],
    ['41e282', 'A\ufffd\ufffd'],
    ['41f09f98', 'A\ufffd\ufffd\ufffd'],
    ['efbbbf', '\ufeff'],
  ])('reads the bytes %s as geth does', (hex, text) => {
    const data = errorString(Buffer.from(hex, 'hex'))
    expect(reason(data)).toBe(text)
    expect(toolkitReason(`0x${data}`)).toBe(`"${plainText(text, 200)}"`)
  })

  test('is read without padding, as some contracts write it', () => {
    const text = Buffer.from('user error').toString('hex')
    expect(reason(`08c379a0${word(32)}${word(10)}${text}`)).toBe('user error')
  })

  test('is undefined if offset or length lie outside the data', () => {
    expect(reason('08c379a0')).toBeUndefined()
    expect(reason(`08c379a0${word(32)}`)).toBeUndefined()
    expect(reason(`08c379a0${word(32)}${word(33)}${'61'.repeat(32)}`)).toBeUndefined()
    expect(reason(`08c379a0${word(1n << 255n)}${word(1)}`)).toBeUndefined()
    expect(reason(`08c379a0${word(32)}${'f'.repeat(64)}`)).toBeUndefined()
  })
})

describe('the revert reason of Panic(uint256)', () => {
  test.each([
    [0x00, 'generic panic'],
    [0x01, 'assert(false)'],
    [0x11, 'arithmetic underflow or overflow'],
    [0x12, 'division or modulo by zero'],
    [0x21, 'enum overflow'],
    [0x22, 'invalid encoded storage byte array accessed'],
    [0x31, 'out-of-bounds array access; popping on an empty array'],
    [0x32, 'out-of-bounds access of an array or bytesN'],
    [0x41, 'out of memory'],
    [0x51, 'uninitialized function'],
    [0x99, 'unknown panic code: 0x99'],
  ])('describes the code %i', (code, text) => expect(reason(`4e487b71${word(code)}`)).toBe(text))

  test('is undefined if the data is truncated', () => {
    expect(reason(`4e487b71${word(1).slice(2)}`)).toBeUndefined()
  })
})

test('other revert data has no reason and causes no exception', () => {
  expect(reason('')).toBeUndefined()
  expect(reason('08c379')).toBeUndefined()
  expect(reason('cafe0001')).toBeUndefined()
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, tagged) => {
      const data = tagged ? Uint8Array.of(0x08, 0xc3, 0x79, 0xa0, ...bytes) : bytes
      const found = gethRevertReason(data)
      expect(found === undefined || typeof found === 'string').toBe(true)
    }),
  )
})
