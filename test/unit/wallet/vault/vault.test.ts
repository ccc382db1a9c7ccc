import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { loadSqlite } from '../../../../host/storage/store/sqlite/sqlite.ts'
import { deriveMasterKey } from '../../../../host/wallet/vault/master-key.ts'
import type { MasterSecret } from '../../../../host/wallet/vault/master-secret.ts'
import { openVault } from '../../../../host/wallet/vault/open-vault.ts'
import { type SealedKey, Vault } from '../../../../host/wallet/vault/vault.ts'

const { DatabaseSync } = loadSqlite()
const OWNER = { walletId: 'w1', address: new Uint8Array(20).fill(7) }
const NOW = Date.UTC(2026, 0, 2)

function newVault(number = 1): Vault {
  return new Vault({ number, wrapping: randomBytes(32) })
}

function secretOf(vault: Vault, key: SealedKey, owner = OWNER): Uint8Array {
  return vault.open(key, owner, (secret) => Uint8Array.from(secret))
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.map((byte, i) => (i === at ? byte ^ 1 : byte))
}

describe('a sealed key', () => {
  const vault = newVault()
  const secret = Uint8Array.from(randomBytes(32))
  const key = vault.seal(secret, OWNER)

  test('decrypts to the secret, which is zeroed after its use', () => {
    expect(secretOf(vault, key)).toEqual(secret)
    let kept = new Uint8Array(0)
    vault.open(key, OWNER, (bytes) => {
      kept = bytes as Uint8Array<ArrayBuffer>
    })
    expect(Uint8Array.from(kept)).toEqual(new Uint8Array(32))
    expect(() =>
      vault.open(key, OWNER, (bytes) => {
        kept = bytes as Uint8Array<ArrayBuffer>
        throw new TypeError('in use')
      }),
    ).toThrow('in use')
    expect(Uint8Array.from(kept)).toEqual(new Uint8Array(32))
  })

  test('is different each time', () => {
    const again = vault.seal(secret, OWNER)
    expect(again.wrapped).not.toEqual(key.wrapped)
    expect(again.sealed).not.toEqual(key.sealed)
  })

  test('cannot be opened with any byte changed, removed or added', () => {
    for (const member of ['wrapped', 'sealed'] as const) {
      const bytes = key[member]
      expect(bytes).toHaveLength(60)
      const changed = [
        ...Array.from(bytes.keys(), (at) => flipped(bytes, at)),
        bytes.subarray(1),
        bytes.subarray(0, -1),
        Buffer.concat([bytes, Buffer.alloc(1)]),
        new Uint8Array(0),
      ]
      for (const altered of changed) {
        expect(() => secretOf(vault, { ...key, [member]: altered })).toThrow(
          expect.objectContaining({ code: 'STORE_CORRUPTED' }),
        )
      }
    }
  })

  const other = { walletId: 'w2', address: new Uint8Array(20).fill(8) }
  const otherKey = vault.seal(randomBytes(32), other)

  test.each([
    ['id', key, { ...OWNER, walletId: 'w2' }],
    ['address', key, { ...OWNER, address: other.address }],
    ['row', otherKey, OWNER],
    ['wrapped', { ...key, wrapped: otherKey.wrapped }, OWNER],
    ['sealed', { ...key, sealed: otherKey.sealed }, OWNER],
    ['version', { ...key, version: 2 as 1 }, OWNER],
    ['number of the master key', { ...key, masterKey: 2 }, OWNER],
    ['layers', { ...key, wrapped: key.sealed, sealed: key.wrapped }, OWNER],
  ])('is refused with the %s of another', (_, altered, owner) => {
    expect(() => secretOf(vault, altered, owner)).toThrow(
      expect.objectContaining({ code: 'STORE_CORRUPTED' }),
    )
  })

  test('is refused under another master key with the same number, and after the vault was closed', () => {
    expect(() => secretOf(newVault(), key)).toThrow('wallet w1: its data key does not authenticate')
    const closed = newVault()
    const own = closed.seal(secret, OWNER)
    closed.close()
    expect(() => secretOf(closed, own)).toThrow('does not authenticate')
  })

  test('can be rewrapped for another master key, and no longer opens with the first', () => {
    const wrapping = randomBytes(32)
    const next = vault.rewrap(key, OWNER, { number: 2, wrapping })
    expect(next.sealed).toEqual(key.sealed)
    expect(secretOf(new Vault({ number: 2, wrapping }), next)).toEqual(secret)
    expect(() => secretOf(vault, next)).toThrow(
      'its key is wrapped by master key 2, but 1 is in use',
    )
    const damaged = { ...key, sealed: flipped(key.sealed, 20) }
    expect(() => vault.rewrap(damaged, OWNER, { number: 2, wrapping })).toThrow(
      'its key does not authenticate',
    )
  })
})

function keyOf(fill: number): MasterSecret {
  return { kind: 'key', bytes: new Uint8Array(32).fill(fill) }
}

function passphrase(text: string): MasterSecret {
  return { kind: 'passphrase', bytes: new TextEncoder().encode(text) }
}

describe('the vault', () => {
  test('opens with the secret that created it, at any position in a list', () => {
    const database = new DatabaseSync(':memory:')
    const first = openVault(database, [keyOf(1)], NOW)
    expect(first.secret).toBe(0)
    const key = first.vault.seal(new Uint8Array(32).fill(9), OWNER)
    const secrets = [keyOf(2), keyOf(1)]
    const again = openVault(database, secrets, NOW)
    expect(again.secret).toBe(1)
    expect(again.vault.open(key, OWNER, (secret) => secret[31])).toBe(9)
    expect(secrets.map(({ bytes }) => bytes.some((byte) => byte !== 0))).toEqual([false, false])
    expect(database.prepare('SELECT count(*) AS n FROM master_keys').get()).toEqual({ n: 1 })
  })

  test('names the required key and reveals nothing of the given ones', () => {
    const database = new DatabaseSync(':memory:')
    openVault(database, [keyOf(1)], NOW)
    const wrong = keyOf(0xab)
    expect(() => openVault(database, [wrong], NOW)).toThrow(
      expect.objectContaining({
        code: 'MASTER_KEY_WRONG',
        message:
          'none of the given secrets is master key number 1, a key, of 2026-01-02T00:00:00.000Z',
      }),
    )
    expect(wrong.bytes).toEqual(new Uint8Array(32))
    expect(() => openVault(database, [passphrase('x')], NOW)).toThrow('master key number 1, a key')
    const short: MasterSecret = { kind: 'key', bytes: new Uint8Array(31) }
    expect(() => openVault(database, [short], NOW)).toThrow('has 31 bytes, not 32')
  })

  test('makes a passphrase a key by argon2id with the cost of RFC 9106', () => {
    const database = new DatabaseSync(':memory:')
    const { vault } = openVault(database, [passphrase('correct horse')], NOW)
    const key = vault.seal(new Uint8Array(32).fill(9), OWNER)
    expect(database.prepare('SELECT kind, memory, passes, lanes FROM master_keys').get()).toEqual({
      kind: 'passphrase',
      memory: 65_536,
      passes: 3,
      lanes: 4,
    })
    const again = openVault(database, [passphrase('correct horse')], NOW)
    expect(again.vault.open(key, OWNER, (secret) => secret[0])).toBe(9)
  })

  test('derives a key from a passphrase by argon2id with its stored salt and cost', () => {
    const database = new DatabaseSync(':memory:')
    // Creates the table. At the default cost each derivation takes a second.
    openVault(database, [keyOf(1)], NOW)
    const cost = { memory: 64, passes: 2, lanes: 2 }
    const derivation = { kind: 'passphrase', salt: new Uint8Array(16).fill(5), ...cost } as const
    const check = deriveMasterKey(passphrase('correct horse'), derivation)?.check as Uint8Array
    database
      .prepare(
        "UPDATE master_keys SET kind = 'passphrase', salt = ?, memory = 64, passes = 2, lanes = 2, key_check = ?",
      )
      .run(derivation.salt, check)
    const { vault } = openVault(database, [passphrase('correct horse')], NOW)
    const key = vault.seal(new Uint8Array(32).fill(9), OWNER)
    const again = openVault(database, [passphrase('correct horse')], NOW)
    expect(again.vault.open(key, OWNER, (secret) => secret[0])).toBe(9)
    expect(() => openVault(database, [passphrase('correct horsf')], NOW)).toThrow(
      'none of the given secrets is master key number 1, a passphrase, of',
    )
    database.exec('UPDATE master_keys SET passes = 3')
    expect(() => openVault(database, [passphrase('correct horse')], NOW)).toThrow(
      'none of the given secrets is master key number 1, a passphrase, of',
    )
    // A changed row must not make the signer exhaust its memory.
    database.exec('UPDATE master_keys SET memory = 1048577')
    expect(() => openVault(database, [passphrase('x')], NOW)).toThrow('argon2id with 1048577 KiB')
  })
})
