import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WALLETS_KEYS } from '../../../host/base/config/wallets-keys.ts'
import { cometAddress } from '../../../host/chain/consensus/comet/validator-set.ts'
import { readValidatorKey } from '../../../host/chain/consensus/validator/key-file.ts'
import { signRecordPath } from '../../../host/chain/consensus/validator/sign-record.ts'
import { readSignState, UNSIGNED } from '../../../host/chain/consensus/validator/sign-state.ts'
import { type Home, homeAt } from '../../../host/node/home/home.ts'
import { lockHome } from '../../../host/node/home/home-lock.ts'
import { runCommandHere } from '../../support/node/command-here.ts'
import { makeHome, removeHome } from '../../support/node/daemon.ts'

let home: Home
beforeEach(async () => {
  home = homeAt(makeHome())
  await runCommandHere(['init', '--chain-id', '1329', '--home', home.root])
  mkdirSync(home.data.stateCommit)
  mkdirSync(join(home.root, 'wasm'))
  writeFileSync(join(home.data.stateCommit, 'data.mdb'), 'x')
  writeFileSync(home.data.addressBook, '{}')
  writeFileSync(home.data.validatorState, '{"height":"9","round":0,"step":3}')
})
afterEach(() => removeHome(home.root))

const reset = (...flags: string[]) =>
  runCommandHere(['tendermint', 'unsafe-reset-all', '--home', home.root, ...flags])

describe('unsafe-reset-all', () => {
  test('wipes data/ and wasm/, keeps the key and resets the signing state', async () => {
    const key = readFileSync(home.config.validatorKey, 'utf8')
    expect((await reset()).code).toBe(0)
    expect(readdirSync(home.data.directory)).toEqual(['priv_validator_state.json'])
    expect(existsSync(join(home.root, 'wasm'))).toBe(false)
    expect(readFileSync(home.config.validatorKey, 'utf8')).toBe(key)
    expect(await readSignState(home.data.validatorState)).toEqual(UNSIGNED)
  })

  test('reports that the record beside the key was removed if the key has signed', async () => {
    const { publicKey } = await readValidatorKey(home.config.validatorKey)
    const record = signRecordPath(home.config.validatorKey, cometAddress(publicKey))
    writeFileSync(record, '{"height":"9","round":0,"step":3}')
    const said = 'The record of signed blocks is deleted: if another node has blocks of the chain'
    expect((await reset()).stderr).toContain(said)
    expect(existsSync(record)).toBe(false)
    expect((await reset()).stderr).not.toContain(said)
  })

  test('keeps the address book if a flag says so', async () => {
    expect((await reset('--keep-addr-book')).code).toBe(0)
    expect(readdirSync(home.data.directory).sort()).toEqual([
      'addrbook.json',
      'priv_validator_state.json',
    ])
  })

  test('keeps the HTTP 402 payments and reports that', async () => {
    mkdirSync(home.data.payments)
    const { code, stderr } = await reset()
    expect(code).toBe(0)
    expect(stderr).toContain(`Kept ${home.data.payments}: payments cannot be synced again`)
    expect(readdirSync(home.data.directory).sort()).toEqual([
      'payments',
      'priv_validator_state.json',
    ])
  })

  test('keeps the wallets, which are the only copies of their keys', async () => {
    const folder = resolve(home.root, String(WALLETS_KEYS.folder.fallback))
    mkdirSync(join(folder, 'signer'), { recursive: true })
    writeFileSync(join(folder, 'signer', 'signer.db'), 'keys')
    expect((await reset()).code).toBe(0)
    expect(readFileSync(join(folder, 'signer', 'signer.db'), 'utf8')).toBe('keys')
  })

  test('refuses while a node runs', async () => {
    const lock = lockHome(home)
    try {
      const { code, stderr } = await reset()
      expect(code).toBe(75)
      expect(stderr).toContain('resource temporarily unavailable')
      expect(existsSync(home.data.stateCommit)).toBe(true)
    } finally {
      lock.release()
    }
  })

  test('refuses a folder that is not a home', async () => {
    const { code, stderr } = await runCommandHere([
      'consensus',
      'unsafe-reset-all',
      '--home',
      home.data.directory,
    ])
    expect(code).toBe(78)
    expect(stderr).toContain(`Error: ${home.data.directory} is not the home of a node\n`)
    expect(existsSync(home.data.stateCommit)).toBe(true)
  })
})
