import { expect, test } from 'vitest'
import { revertText } from '../../../../../host/api/rpc/dev/mined-details.ts'
import { parseData } from '../../../../../host/base/hex.ts'

const word = (value: number) => value.toString(16).padStart(64, '0')
const panic = (code: number) => `0x4e487b71${word(code)}`

// What anvil 1.7.1 answers to evm_mine_detailed for contracts that revert with these data.
test.each([
  ['0x', undefined],
  ['0x1234', '\u00124'],
  ['0x68656c6c6f20776f726c64', 'hello world'],
  [`0x08c379a0${word(32)}${word(9)}6e6f7420746f646179${'00'.repeat(23)}`, 'not today'],
  [`0x08c379a0${word(32)}${word(0)}`, ''],
  ['0x08c379a0', 'custom error 0x08c379a0'],
  ['0x1234567890', 'custom error 0x12345678: 90'],
  ['0x4e487b71', 'NH{q'],
  [panic(0x00), 'panic: generic/unspecified error (0x00)'],
  [panic(0x01), 'panic: assertion failed (0x01)'],
  [panic(0x11), 'panic: arithmetic underflow or overflow (0x11)'],
  [panic(0x12), 'panic: division or modulo by zero (0x12)'],
  [panic(0x21), 'panic: failed to convert value into enum type (0x21)'],
  [panic(0x22), 'panic: storage byte array incorrectly encoded (0x22)'],
  [panic(0x31), 'panic: called `.pop()` on an empty array (0x31)'],
  [panic(0x32), 'panic: array out-of-bounds access (0x32)'],
  [panic(0x41), 'panic: memory allocation error (0x41)'],
  [panic(0x51), 'panic: called an invalid internal function (0x51)'],
  [panic(0x99), 'panic: unknown code (0x99)'],
])('the revert data %s is read as %j', (data, text) => {
  expect(revertText(parseData(data))).toBe(text)
})
