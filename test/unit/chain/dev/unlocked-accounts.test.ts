import { expect, test } from 'vitest'
import { DEV_ACCOUNTS } from '../../../../host/base/dev-accounts.ts'
import { formatData } from '../../../../host/base/hex.ts'
import { UnlockedAccounts } from '../../../../host/chain/dev/unlocked-accounts.ts'
import { checksumText, parseSecret } from '../../../../host/evm/chain-types/account-key.ts'

const keys = DEV_ACCOUNTS.map(({ privateKey }) => parseSecret(privateKey))
const stranger = new Uint8Array(20).fill(7)

test('unlocked accounts are listed in key order without duplicates, and their keys can be found', () => {
  const accounts = new UnlockedAccounts([...keys, ...keys.slice(0, 2)])
  expect(accounts.addresses.map(checksumText)).toEqual(DEV_ACCOUNTS.map(({ address }) => address))
  for (const key of keys) expect(accounts.keyOf(key.address)).toBe(key)
  expect(accounts.keyOf(stranger)).toBeUndefined()
})

test('an address may act without a key while it is impersonated or impersonation of all is on', () => {
  const accounts = new UnlockedAccounts(keys)
  expect(accounts.mayAct(stranger)).toBe(false)
  accounts.impersonate(stranger)
  accounts.impersonate(stranger)
  expect(accounts.impersonated.map(formatData)).toEqual([formatData(stranger)])
  expect(accounts.mayAct(stranger)).toBe(true)
  expect(accounts.keyOf(stranger)).toBeUndefined()
  expect(accounts.stopImpersonating(stranger)).toBe(true)
  expect(accounts.stopImpersonating(stranger)).toBe(false)
  expect(accounts.mayAct(stranger)).toBe(false)
  accounts.autoImpersonate = true
  expect(accounts.mayAct(stranger)).toBe(true)
})

test('the requests of one account run in the order of the calls, and other accounts do not wait for them', async () => {
  const accounts = new UnlockedAccounts(keys)
  const [one, other] = accounts.addresses as [Uint8Array, Uint8Array]
  const done: string[] = []
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const work = (name: string, before?: Promise<void>) => async () => {
    await before
    done.push(name)
    if (name === 'fails') throw new Error(name)
    return name
  }
  const slow = accounts.inOrder(one, work('slow', released))
  const fails = accounts.inOrder(one, work('fails'))
  const after = accounts.inOrder(one.slice(), work('after'))
  expect(await accounts.inOrder(other, work('other'))).toBe('other')
  release()
  await expect(fails).rejects.toThrow('fails')
  expect(await Promise.all([slow, after])).toEqual(['slow', 'after'])
  expect(done).toEqual(['other', 'slow', 'fails', 'after'])
  expect(await accounts.inOrder(one, work('later'))).toBe('later')
})
