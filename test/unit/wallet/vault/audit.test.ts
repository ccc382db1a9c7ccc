import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { loadSqlite } from '../../../../host/storage/store/sqlite/sqlite.ts'
import { openAuditKey } from '../../../../host/wallet/vault/audit-key.ts'
import { AuditLog, entryHash, headMac } from '../../../../host/wallet/vault/audit-log.ts'
import { Vault } from '../../../../host/wallet/vault/vault.ts'
import { verifyAudit } from '../../../../host/wallet/vault/verify-audit.ts'

const ENTRIES = 6

function memory(): DatabaseSync {
  return new (loadSqlite().DatabaseSync)(':memory:')
}

function newLog() {
  const database = memory()
  const vault = new Vault({ number: 1, wrapping: randomBytes(32) })
  const log = new AuditLog(database, vault)
  for (let i = 1; i <= ENTRIES; i++) {
    log.append({ kind: 'wallet.created', appId: 'a', subject: `w${i}`, details: { i } }, 1_000 * i)
  }
  const key = openAuditKey(database, vault)
  const faults = () => verifyAudit(database, { key }).faults
  return { database, vault, log, key, faults }
}

interface Row {
  readonly hash: Uint8Array
  readonly event: string
}

function rowOf(database: DatabaseSync, number: number): Row {
  return database.prepare('SELECT * FROM audit WHERE number = ?').get(number) as unknown as Row
}

describe('an audit log', () => {
  test('without changes has no faults, is reopened, and is canonical JSON', () => {
    const { database, vault, key } = newLog()
    const again = new AuditLog(database, vault)
    again.append({ subject: 's', kind: 'x', details: { b: 1, a: 'é' }, appId: '' }, 7)
    expect(rowOf(database, 7).event).toBe(
      '{"appId":"","details":{"a":"é","b":1},"kind":"x","subject":"s"}',
    )
    expect(verifyAudit(database, { key })).toEqual({
      entries: 7,
      head: { number: 7, hash: rowOf(database, 7).hash },
      faults: [],
    })
  })

  test('that is empty has no faults', () => {
    const database = memory()
    const log = new AuditLog(database, new Vault({ number: 1, wrapping: randomBytes(32) }))
    expect(log.head.number).toBe(0)
    expect(verifyAudit(database, { key: undefined }).faults).toEqual([])
  })

  test('continues from the last committed entry', () => {
    const { database, log, faults } = newLog()
    database.exec('BEGIN')
    log.append({ kind: 'x', appId: '', subject: '', details: {} }, 1)
    database.exec('ROLLBACK')
    log.forget()
    expect(log.head.number).toBe(ENTRIES)
    log.append({ kind: 'y', appId: '', subject: '', details: {} }, 1)
    expect(faults()).toEqual([])
  })

  test('recognizes an entry by a hash that was stored elsewhere', () => {
    const { database, key } = newLog()
    const { hash } = rowOf(database, 3)
    expect(verifyAudit(database, { key, contains: hash }).contains).toBe(true)
    expect(verifyAudit(database, { key, contains: randomBytes(32) }).contains).toBe(false)
  })
})

const CHANGED = (number: number) =>
  `entry ${number}${number === 1 ? '' : `, or entry ${number - 1} before it,`} was changed or moved: ` +
  'its hash does not match'

describe('the audit names each changed entry:', () => {
  test.each([
    [
      'the text of an entry',
      `UPDATE audit SET event = replace(event, 'w4', 'w9') WHERE number = 4`,
      [CHANGED(4)],
    ],
    ['the first entry', `UPDATE audit SET event = '{}' WHERE number = 1`, [CHANGED(1)]],
    ['its time', 'UPDATE audit SET at = at + 1 WHERE number = 2', [CHANGED(2)]],
    ['its hash', 'UPDATE audit SET hash = zeroblob(32) WHERE number = 2', [CHANGED(2), CHANGED(3)]],
    ['an entry that is gone', 'DELETE FROM audit WHERE number = 3', ['entry 3 is missing']],
    ['the first ones', 'DELETE FROM audit WHERE number < 3', ['entries 1 to 2 are missing']],
    [
      'the last ones',
      'DELETE FROM audit WHERE number > 4',
      ['entries 5 to 6 are missing at the end'],
    ],
    ['all of them', 'DELETE FROM audit', ['entries 1 to 6 are missing at the end']],
    [
      'two that are exchanged',
      `UPDATE audit SET number = 99 WHERE number = 2; UPDATE audit SET number = 2 WHERE number = 5;
       UPDATE audit SET number = 5 WHERE number = 99`,
      [CHANGED(2), CHANGED(3), CHANGED(5), CHANGED(6)],
    ],
    [
      'one that is moved to the end',
      'UPDATE audit SET number = 7 WHERE number = 2',
      [
        'entry 2 is missing',
        CHANGED(7),
        'entry 7 is after the head: the signer did not write them',
      ],
    ],
    [
      'the head',
      'UPDATE audit_head SET mac = zeroblob(32)',
      ['the head was changed: it does not authenticate'],
    ],
    [
      'the head that is gone',
      'DELETE FROM audit_head',
      ['the head is missing: entries at the end may be missing, too'],
    ],
  ])('it detects a change of %s', (_, sql, expected) => {
    const { database, faults } = newLog()
    expect(faults()).toEqual([])
    database.exec(sql)
    expect(faults()).toEqual(expected)
  })

  test('it detects a truncated end with a matching head that is not authentic', () => {
    const { database, faults, key } = newLog()
    const { hash } = rowOf(database, 4)
    const wrong = key.map((byte) => byte ^ 1)
    database.exec('DELETE FROM audit WHERE number > 4')
    database
      .prepare('UPDATE audit_head SET number = 4, hash = ?, mac = ?')
      .run(hash, headMac(wrong, { number: 4, hash }))
    expect(faults()).toEqual(['the head was changed: it does not authenticate'])
    expect(verifyAudit(database, { key: undefined }).faults).toEqual([])
  })

  test('it detects an entry that was rewritten with all later hashes', () => {
    const { database, faults } = newLog()
    database.prepare('UPDATE audit SET event = ? WHERE number = 3').run('{}')
    for (let number = 3; number <= ENTRIES; number++) {
      const { event } = rowOf(database, number)
      const hash = entryHash(rowOf(database, number - 1).hash, number, 1_000 * number, event)
      database.prepare('UPDATE audit SET hash = ? WHERE number = ?').run(hash, number)
    }
    expect(faults()).toEqual(['the hash of entry 6 does not match the head'])
  })
})
