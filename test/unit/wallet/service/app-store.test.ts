import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { AppStore } from '../../../../host/wallet/service/app-store.ts'
import { openServiceDatabase } from '../../../../host/wallet/service/service-database.ts'

const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-apps-'))
  folders.push(folder)
  return folder
}

test('the app store sees the writes of another process at the next request', () => {
  const path = join(makeFolder(), 'service.db')
  const service = new AppStore(openServiceDatabase(path))
  const command = new AppStore(openServiceDatabase(path))
  expect(service.accepts('nobody', 'nothing')).toBe(false)
  const { appId, appSecret } = command.create('shop')
  expect(service.accepts(appId, appSecret)).toBe(true)
  const rotated = command.rotate(appId)
  expect(service.accepts(appId, appSecret)).toBe(false)
  expect(service.accepts(appId, rotated.appSecret)).toBe(true)
  command.delete(appId)
  expect(service.accepts(appId, rotated.appSecret)).toBe(false)
  expect(() => command.delete(appId)).toThrow(`there is no app ${appId}`)
  expect(() => command.rotate(appId)).toThrow(`there is no app ${appId}`)
})

test('the secret of an app has 256 bits and is in no file', () => {
  const folder = makeFolder()
  const store = new AppStore(openServiceDatabase(join(folder, 'service.db')))
  const secrets = [store.create('one'), store.create(null)].map(({ appSecret }) => appSecret)
  expect(secrets.map((secret) => Buffer.from(secret, 'base64url').length)).toEqual([32, 32])
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'latin1')
    for (const secret of secrets) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(Buffer.from(secret, 'base64url').toString('latin1'))
    }
  }
  expect(
    store
      .list()
      .map(({ name }) => name)
      .sort(),
  ).toEqual([null, 'one'])
})

test('the secret of an app is refused if any character differs', () => {
  const store = new AppStore(openServiceDatabase(':memory:'))
  const { appId, appSecret } = store.create(null)
  for (let i = 0; i < appSecret.length; i++) {
    const other = appSecret[i] === 'A' ? 'B' : 'A'
    expect(store.accepts(appId, appSecret.slice(0, i) + other + appSecret.slice(i + 1))).toBe(false)
  }
  expect(store.accepts(appId, appSecret.slice(1))).toBe(false)
  expect(store.accepts(appId, '')).toBe(false)
  expect(store.accepts(appId, randomBytes(1 << 16).toString('hex'))).toBe(false)
  expect(store.accepts('', '')).toBe(false)
})
