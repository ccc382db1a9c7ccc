import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { decryptKeystoreJson } from 'ethers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DEV_ACCOUNTS, DEV_MNEMONIC, type DevAccount } from '../../../../host/base/dev-accounts.ts'
import { makeHome, removeHome, runCommand } from '../../../support/node/daemon.ts'
import { openTerminal, type Terminal } from '../../../support/node/terminal.ts'

const PASSPHRASE = 'correct horse battery staple'
const [FIRST, SECOND] = DEV_ACCOUNTS as readonly [DevAccount, DevAccount]

let home: string
let passwordFile: string
beforeEach(() => {
  home = makeHome()
  passwordFile = join(home, 'password.txt')
  writeFileSync(passwordFile, `${PASSPHRASE}\r\nsecond line`)
})
afterEach(() => removeHome(home))

const keys = (command: string, args: readonly string[], input = '', variables = {}) =>
  runCommand(['keys', command, ...args, '--home', home], variables, input)
const add = (name: string, ...flags: string[]) =>
  keys('add', [name, '--light-kdf', '--password-file', passwordFile, ...flags])
const importSecret = (name: string, secret: string) =>
  keys('import', [name, '-', '--light-kdf', '--password-file', passwordFile], secret)

describe('keys add', () => {
  test('stores a new key that only its owner can read, and prints no secret', async () => {
    const { code, stdout, stderr } = await add('alice')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^alice {2}0x[0-9a-fA-F]{40}\n$/)
    expect(statSync(join(home, 'keystore')).mode & 0o777).toBe(0o700)
    expect(statSync(join(home, 'keystore/alice.json')).mode & 0o777).toBe(0o600)
    const text = readFileSync(join(home, 'keystore/alice.json'), 'utf8')
    const opened = await decryptKeystoreJson(text, PASSPHRASE)
    expect(stdout).toBe(`alice  ${opened.address}\n`)
  })

  test('--mnemonic prints the words once, and --recover accepts them', async () => {
    const made = await add('alice', '--mnemonic', '--json')
    const { name, address, path, mnemonic } = JSON.parse(made.stdout)
    expect({ name, path }).toEqual({ name: 'alice', path: join(home, 'keystore/alice.json') })
    expect(made.stderr).toMatch(/^Write these words down .*\n$/)
    const flags = ['again', '--recover', '--light-kdf', '--password-file', passwordFile]
    const recovered = await keys('add', flags, `${mnemonic}\n`)
    expect(recovered).toEqual({ code: 0, stdout: `again  ${address}\n`, stderr: '' })
  })

  test('--recover --index derives a further account, and a variable gives the passphrase', async () => {
    const flags = ['second', '--recover', '--index', '1', '--light-kdf', '--json']
    const variables = { LOCKSTEP_KEYS_PASSWORD: PASSPHRASE }
    const { code, stdout } = await keys('add', flags, DEV_MNEMONIC, variables)
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, address: SECOND.address })
  })

  test.each([
    [['a b'], '"a b" is not a valid key name'],
    [['../x'], '"../x" is not a valid key name'],
    [['x.json'], '"x.json" is not a valid key name'],
    [
      ['x', '--mnemonic', '--recover'],
      '--mnemonic creates new words, and --recover reads existing ones',
    ],
    [['x', '--index', '1'], '--index needs a mnemonic'],
    [['x'], 'the key has a passphrase, and there is no terminal'],
    [['x', '--password-file', '/nowhere'], '--password-file: ENOENT: no such file or directory'],
    [['x', '--password-file', '/dev/null'], 'the passphrase is empty'],
  ])('refuses %j', async (args, message) => {
    const { code, stdout, stderr } = await keys('add', args)
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toContain(`Error: ${message}`)
    expect(readdirSync(home)).toEqual(['password.txt'])
  })

  test('refuses an invalid --index and a name that exists', async () => {
    const bad = await add('x', '--mnemonic', '--index', '2147483648')
    expect(bad).toMatchObject({ code: 64 })
    expect(bad.stderr).toContain('it must be an integer from 0 to 2147483647.')
    await add('alice')
    const text = readFileSync(join(home, 'keystore/alice.json'), 'utf8')
    const again = await add('alice')
    expect(again.code).toBe(64)
    expect(again.stderr).toContain(
      `${home}/keystore has a key alice already\nHint: choose another name`,
    )
    expect(readFileSync(join(home, 'keystore/alice.json'), 'utf8')).toBe(text)
  })

  test('refuses an invalid mnemonic without quoting it', async () => {
    const flags = ['x', '--recover', '--password-file', passwordFile]
    const { code, stderr } = await keys('add', flags, DEV_MNEMONIC.replace('junk', 'zoo'))
    expect(code).toBe(64)
    expect(stderr).toContain('the 12 words are not a BIP-39 mnemonic')
    expect(stderr).not.toContain('zoo')
  })
})

describe('keys list and show', () => {
  test('print names and addresses, sorted by name', async () => {
    expect(await keys('list', [])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'No keys: `lockstep keys add <name>` creates one\n',
    })
    await importSecret('zoe', FIRST.privateKey)
    await importSecret('bob', SECOND.privateKey)
    const list = await keys('list', [])
    expect(list.stdout).toBe(`bob  ${SECOND.address}\nzoe  ${FIRST.address}\n`)
    const path = join(home, 'keystore/zoe.json')
    const zoe = { name: 'zoe', address: FIRST.address, path }
    expect(JSON.parse((await keys('list', ['--json'])).stdout)[1]).toEqual(zoe)
    expect(JSON.parse((await keys('show', ['zoe', '--json'])).stdout)).toEqual(zoe)
    const byAddress = await keys('show', [FIRST.address.toLowerCase()])
    expect(byAddress.stdout).toBe(`Name     zoe\nAddress  ${FIRST.address}\nFile     ${path}\n`)
    expect((await keys('show', ['zoe', '-a'])).stdout).toBe(`${FIRST.address}\n`)
  })

  test('list files that geth has put there, and report files that are no keystore', async () => {
    await importSecret('alice', FIRST.privateKey)
    const gethName = 'UTC--2026-01-02T03-04-05.678901234Z--f39fd6e51aad88f6f4ce6ab8827279cfffb92266'
    copyFileSync(join(home, 'keystore/alice.json'), join(home, 'keystore', gethName))
    writeFileSync(join(home, 'keystore/notes'), 'none')
    const { stdout, stderr } = await keys('list', [])
    expect(stdout).toContain(`${gethName}  ${FIRST.address}\n`)
    expect(stderr).toBe(`Skipped ${home}/keystore/notes: the keystore is not JSON\n`)
  })

  test('name the key that does not exist', async () => {
    const { code, stderr } = await keys('show', ['carol'])
    expect(code).toBe(69)
    expect(stderr).toContain(`Error: ${home}/keystore has no key carol\nHint: list the keys with`)
  })
})

describe('keys import and export', () => {
  test('move a keystore from one home to another under its passphrase', async () => {
    await importSecret('alice', FIRST.privateKey)
    const out = join(home, 'alice.json')
    expect(await keys('export', ['alice', '--out', out])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
    expect(statSync(out).mode & 0o777).toBe(0o600)
    expect((await keys('export', ['alice'])).stdout).toBe(readFileSync(out, 'utf8'))
    const other = join(home, 'other')
    mkdirSync(other)
    const flags = ['--light-kdf', '--password-file', passwordFile, '--home', other]
    const imported = await runCommand(['keys', 'import', 'ann', out, ...flags])
    expect(imported).toEqual({ code: 0, stdout: `ann  ${FIRST.address}\n`, stderr: '' })
    const again = await keys('export', ['alice', '--out', out])
    expect(again.code).toBe(64)
    expect(again.stderr).toContain(`--out: EEXIST`)
  })

  test('--private-key needs the passphrase, and a wrong one exits with 77', async () => {
    await importSecret('alice', FIRST.privateKey)
    const flags = ['alice', '--private-key', '--password-file', passwordFile]
    expect(await keys('export', flags)).toEqual({
      code: 0,
      stdout: `${FIRST.privateKey}\n`,
      stderr: '',
    })
    const wrong = await keys('export', ['alice', '--private-key'], '', {
      LOCKSTEP_KEYS_PASSWORD: 'no',
    })
    expect(wrong).toEqual({
      code: 77,
      stdout: '',
      stderr:
        'Error: could not decrypt key with given password\n' +
        'Hint: give the passphrase that the key was encrypted with\n',
    })
  })

  test.each([
    ['{"version": 3, "crypto": 7}', 65, 'the keystore has no crypto'],
    ['ac0974bec39a17e3', 64, 'the private key is not 64 hex digits'],
  ])('refuse %j without quoting it', async (text, code, message) => {
    const refused = await importSecret('x', text)
    expect(refused).toMatchObject({ code, stdout: '' })
    expect(refused.stderr).toContain(`Error: ${message}\n`)
    expect(refused.stderr).not.toContain(text)
  })

  test('name the file that cannot be read', async () => {
    const { code, stderr } = await keys('import', ['x', join(home, 'none.json')])
    expect(code).toBe(64)
    expect(stderr).toContain('cannot read the key: ENOENT')
  })
})

describe('keys delete', () => {
  test('removes the key, and needs --yes if there is no terminal', async () => {
    await importSecret('alice', FIRST.privateKey)
    const refused = await keys('delete', ['alice'])
    expect(refused.code).toBe(64)
    expect(refused.stderr).toBe(
      'Error: deleting alice is permanent, and there is no terminal to confirm it\nHint: pass --yes\n',
    )
    expect(await keys('delete', ['alice', '--yes'])).toEqual({
      code: 0,
      stdout: '',
      stderr: `Removed alice ${FIRST.address}\n`,
    })
    expect(readdirSync(join(home, 'keystore'))).toEqual([])
  })
})

describe('at a terminal', () => {
  let terminal: Terminal | undefined
  afterEach(() => terminal?.close())

  test('a passphrase is asked for twice and not shown, and deletion asks for confirmation', async () => {
    terminal = openTerminal(['keys', 'add', 'alice', '--light-kdf', '--home', home])
    await terminal.says('New passphrase of alice: ')
    terminal.type('sesamx\u007fe\r')
    await terminal.says('Repeat the passphrase: ')
    terminal.type('sesame\r')
    expect(await terminal.ended).toBe(0)
    expect(terminal.output()).not.toContain('sesam')
    const flags = ['export', 'alice', '--private-key', '--home', home]
    const shown = await runCommand(['keys', ...flags], { LOCKSTEP_KEYS_PASSWORD: 'sesame' })
    expect(shown.stdout).toMatch(/^0x[0-9a-f]{64}\n$/)

    terminal = openTerminal(['keys', 'delete', 'alice', '--home', home])
    await terminal.says('Without a backup its funds are lost. [y/N] ')
    terminal.type('n\r')
    expect(await terminal.ended).toBe(0)
    expect(readdirSync(join(home, 'keystore'))).toEqual(['alice.json'])
  })

  test('two different passphrases are refused, and Ctrl-C ends the question', async () => {
    terminal = openTerminal(['keys', 'add', 'alice', '--home', home])
    await terminal.says('New passphrase of alice: ')
    terminal.type('one\r')
    await terminal.says('Repeat the passphrase: ')
    terminal.type('two\r')
    expect(await terminal.ended).toBe(64)
    expect(terminal.output()).toContain('Error: the two passphrases differ')

    terminal = openTerminal(['keys', 'add', 'alice', '--home', home])
    await terminal.says('New passphrase of alice: ')
    terminal.type('\u0003')
    expect(await terminal.ended).toBe(130)
    expect(readdirSync(home)).toEqual(['password.txt'])
  })
})
