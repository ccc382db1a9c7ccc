import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  keyOfFile,
  makeKeyFile,
  readMasterSecrets,
} from '../../../../host/wallet/launch/master-source.ts'

const DIGITS = '00112233445566778899aabbccddeeffFEDCBA98765432100123456789abcdef'
const KEY = Uint8Array.from(Buffer.from(DIGITS, 'hex'))

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-master-'))
  path = join(folder, 'master.key')
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

function write(text: string, mode = 0o600): void {
  writeFileSync(path, text)
  chmodSync(path, mode)
}

describe('the master key of a file', () => {
  test.each([
    ['alone', DIGITS],
    ['before a newline', `${DIGITS}\n`],
    ['between white space of all kinds', ` \t\r\n${DIGITS} \r\n\n`],
  ])('is read if its digits stand %s', (_place, text) => {
    write(text)
    expect(keyOfFile(path)).toEqual({ kind: 'key', bytes: KEY })
  })

  test.each([
    ['nothing', ''],
    ['white space alone', ' \n'],
    ['63 digits', DIGITS.slice(1)],
    ['65 digits', `${DIGITS}0`],
    ['a prefix', `0x${DIGITS.slice(2)}`],
    ['a space inside', `${DIGITS.slice(0, 31)} ${DIGITS.slice(32)}`],
    ['a letter beyond f', `${DIGITS.slice(0, 63)}g`],
  ])('is refused if the file holds %s, and no digit of it is told', (_what, text) => {
    write(text)
    expect(() => keyOfFile(path)).toThrow(
      `[wallets] master-key-file = "${path}" does not hold 64 hex digits`,
    )
  })

  test.each([0o640, 0o604, 0o610])('is refused in a file of mode %o', (mode) => {
    write(DIGITS, mode)
    expect(() => keyOfFile(path)).toThrow(`is open to others (mode 0${mode.toString(8)})`)
  })

  test('is created once, for its owner only, and an existing one is kept', () => {
    path = join(folder, 'new', 'master.key')
    makeKeyFile(path)
    const text = readFileSync(path, 'utf8')
    expect(text).toMatch(/^[0-9a-f]{64}\n$/)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o700)
    makeKeyFile(path)
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  test('is not created for a vault that exists', () => {
    expect(() => readMasterSecrets({ kind: 'file', path }, false)).toThrow(
      'cannot be opened (ENOENT)',
    )
    expect(existsSync(path)).toBe(false)
  })
})

describe('the passphrase of a file', () => {
  test.each([
    ['passphrase\n', 'passphrase'],
    ['pass phrase \r\nsecond line\n', 'pass phrase '],
    ['no newline', 'no newline'],
  ])('is its first line: %j', (text, passphrase) => {
    write(text)
    expect(readMasterSecrets({ kind: 'passphrase', path }, false)).toEqual([
      { kind: 'passphrase', bytes: Uint8Array.from(Buffer.from(passphrase)) },
    ])
  })

  test.each(['', '\n', '\r\n', '\nsecond'])('is refused if the first line is empty: %j', (text) => {
    write(text)
    expect(() => readMasterSecrets({ kind: 'passphrase', path }, false)).toThrow(
      `passphrase-file = "${path}" has an empty first line`,
    )
  })
})
