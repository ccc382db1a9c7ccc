import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import {
  makeKeyFile,
  readMasterSecrets,
  settleKeyFile,
} from '../../host/wallet/launch/master-source.ts'
import { openSignerDatabase } from '../../host/wallet/signer/signer-database.ts'
import { openAuditKey } from '../../host/wallet/vault/audit-key.ts'
import { AuditLog } from '../../host/wallet/vault/audit-log.ts'
import { openVault } from '../../host/wallet/vault/open-vault.ts'
import type { SealedKey } from '../../host/wallet/vault/vault.ts'
import { verifyAudit } from '../../host/wallet/vault/verify-audit.ts'
import { runCommand } from '../support/node/daemon.ts'

const ROTATE = fileURLToPath(new URL('service/rotate-child.ts', import.meta.url))
const root = mkdtempSync(join(tmpdir(), 'lockstep-rotation-'))

afterAll(() => rmSync(root, { recursive: true, force: true }))

const WALLETS = 3
const SECRETS = Array.from({ length: WALLETS }, () => Uint8Array.from(randomBytes(32)))

function ownerOf(index: number) {
  return { walletId: `w${index}`, address: new Uint8Array(20).fill(index) }
}

function placesOf(home: string) {
  const keyFile = join(home, 'config', 'wallets_master_key')
  const database = join(home, 'wallets', 'signer', 'signer.db')
  return { keyFile, database, source: { kind: 'file', path: keyFile } as const }
}

/** Creates a home with wallets, as a signer leaves it. */
function makeWallets(name: string): string {
  const home = join(root, name)
  const { keyFile, database: path, source } = placesOf(home)
  mkdirSync(join(home, 'wallets', 'signer'), { recursive: true })
  makeKeyFile(keyFile)
  const database = openSignerDatabase(path)
  const { vault } = openVault(database, readMasterSecrets(source, false), 1)
  const log = new AuditLog(database, vault)
  for (const [index, secret] of SECRETS.entries()) {
    const { walletId, address } = ownerOf(index)
    const key = vault.seal(secret, ownerOf(index))
    database
      .prepare(
        'INSERT INTO wallets (id, app_id, shown, address, public_key, archived, key_version, wrapped, sealed, master_key) ' +
          `VALUES (?, 'a', '{}', ?, zeroblob(33), 0, ?, ?, ?, ?)`,
      )
      .run(walletId, address, key.version, key.wrapped, key.sealed, key.masterKey)
    log.append({ kind: 'wallet.created', appId: 'a', subject: walletId, details: {} }, 1)
  }
  database.close()
  return home
}

interface Found {
  /** Number of the current master key, and kinds of entries in the audit log. */
  readonly masterKey: number
  readonly events: readonly string[]
}

/** Opens the wallets of a home as a start does, and compares each secret with the sealed one. */
function openWallets(
  home: string,
  secrets = readMasterSecrets(placesOf(home).source, false),
): Found {
  const { database: path, source } = placesOf(home)
  const database = openSignerDatabase(path)
  try {
    const { vault, secret } = openVault(database, secrets, 2)
    settleKeyFile(source, secret)
    const rows = database.prepare('SELECT * FROM wallets ORDER BY number').all()
    for (const [index, row] of rows.entries()) {
      const key = {
        version: row.key_version,
        wrapped: row.wrapped,
        sealed: row.sealed,
        masterKey: row.master_key,
      } as SealedKey
      vault.open(key, ownerOf(index), (bytes) =>
        expect(Uint8Array.from(bytes)).toEqual(SECRETS[index]),
      )
    }
    expect(rows).toHaveLength(WALLETS)
    expect(verifyAudit(database, { key: openAuditKey(database, vault) }).faults).toEqual([])
    const { n } = database.prepare('SELECT max(number) AS n FROM master_keys').get() as {
      n: number
    }
    const events = database.prepare('SELECT event FROM audit ORDER BY number').all()
    return {
      masterKey: n,
      events: events.map(({ event }) => (JSON.parse(event as string) as { kind: string }).kind),
    }
  } finally {
    database.close()
  }
}

function rotate(home: string, killAt: number) {
  return spawnSync(process.execPath, [ROTATE, home, `${killAt}`], { encoding: 'utf8' })
}

const CREATED = Array.from({ length: WALLETS }, () => 'wallet.created')

test('a key rotation that is killed before any of its steps leaves one usable key, and the next rotation succeeds', () => {
  const made = makeWallets('kill')
  const whole = join(root, 'whole')
  cpSync(made, whole, { recursive: true })
  const { stdout, stderr } = rotate(whole, 0)
  expect(stderr).toBe('')
  const [number, steps] = stdout.trim().split(' ').map(Number)
  expect(number).toBe(2)
  expect(steps).toBeGreaterThan(20)
  const keys = new Set<number>()
  for (let step = 1; step <= (steps as number); step++) {
    const home = join(root, `step-${step}`)
    cpSync(made, home, { recursive: true })
    expect(rotate(home, step).signal).toBe('SIGKILL')
    const { masterKey, events } = openWallets(home)
    keys.add(masterKey)
    expect(events).toEqual(masterKey === 1 ? CREATED : [...CREATED, 'master_key.rotated'])
    const { keyFile } = placesOf(home)
    expect(existsSync(`${keyFile}.next`)).toBe(false)
    expect(readFileSync(keyFile, 'utf8') === readFileSync(placesOf(made).keyFile, 'utf8')).toBe(
      masterKey === 1,
    )
    if (step % 8 === 0) {
      expect(rotate(home, 0).stdout).toMatch(new RegExp(`^${masterKey + 1} `))
      expect(openWallets(home).masterKey).toBe(masterKey + 1)
    }
    rmSync(home, { recursive: true })
  }
  expect([...keys]).toEqual([1, 2])
})

test('the rotate command replaces the key in place, or by a passphrase, a command or another file', async () => {
  const home = makeWallets('command')
  const { keyFile } = placesOf(home)
  const first = readFileSync(keyFile, 'utf8')
  const run = (...args: string[]) =>
    runCommand(['wallet', 'rotate-master-key', '--home', home, ...args])
  const same = await run()
  expect(same).toEqual({
    code: 0,
    stdout: 'Master key 2 wraps the keys of 3 wallets.\n',
    stderr: '',
  })
  const second = readFileSync(keyFile, 'utf8')
  expect(second).not.toBe(first)
  expect(statSync(keyFile).mode & 0o777).toBe(0o600)

  const phrase = join(home, 'phrase')
  writeFileSync(phrase, 'correct horse\r\nnot this\n', { mode: 0o600 })
  const passphrase = await run('--new-passphrase-file', phrase)
  expect(passphrase.stdout).toContain(
    `master-key = "passphrase"\npassphrase-file = ${JSON.stringify(phrase)}\n`,
  )
  const bytes = new TextEncoder().encode('correct horse')
  expect(openWallets(home, [{ kind: 'passphrase', bytes }]).masterKey).toBe(3)
  const forgotten = await run()
  expect(forgotten.code).toBe(77)
  expect(forgotten.stderr).toContain(
    'the master key is number 2, which was replaced by number 3 on ',
  )
  expect(forgotten.stderr).not.toContain(second.trim())

  const app = join(home, 'config', 'app.toml')
  writeFileSync(app, `[wallets]\nmaster-key = "passphrase"\npassphrase-file = "phrase"\n`)
  const command = `printf '%064d' 7`
  expect((await run('--new-command', command)).stdout).toContain('Master key 4 wraps')
  writeFileSync(
    app,
    `[wallets]\nmaster-key = "command"\nmaster-key-command = ${JSON.stringify(command)}\n`,
  )
  expect((await run()).stderr).toContain('the master key comes from a command, not a file')
  const other = join(home, 'other.key')
  expect((await run('--new-key-file', other)).stdout).toContain('Master key 5 wraps')
  expect(openWallets(home, readMasterSecrets({ kind: 'file', path: other }, false)).masterKey).toBe(
    5,
  )
  expect((await run('--new-key-file', 'a', '--new-command', 'b')).code).toBe(64)
})

test('the audit command lists the changed entries, even of a log in use', async () => {
  const home = makeWallets('audit')
  const { database: path, source, keyFile } = placesOf(home)
  const run = (...args: string[]) =>
    runCommand(['wallet', 'audit', 'verify', '--home', home, ...args])
  const database = openSignerDatabase(path)
  const { vault } = openVault(database, readMasterSecrets(source, false), 2)
  const log = new AuditLog(database, vault)
  database.exec('BEGIN IMMEDIATE')
  log.append({ kind: 'wallet.archived', appId: 'a', subject: 'w1', details: {} }, 3)
  const during = await run('--json')
  expect(JSON.parse(during.stdout)).toMatchObject({ entries: 3, authenticated: true, faults: [] })
  database.exec('COMMIT')
  const { stdout } = await run()
  const hash = Buffer.from(log.head.hash).toString('hex')
  expect(stdout).toBe(`4 entries, the last one is 4: ${hash}\n`)
  expect((await run('--contains', hash)).code).toBe(0)
  database.exec('DELETE FROM audit WHERE number = 2')
  const cut = await run('--contains', '00'.repeat(32))
  expect(cut.code).toBe(1)
  expect(cut.stdout).toContain('entry 2 is missing\nno entry has the hash of --contains\n')
  expect((await run('--contains', 'xy')).code).toBe(64)
  chmodSync(keyFile, 0o644)
  const open = await run('--json')
  expect(JSON.parse(open.stdout)).toMatchObject({ authenticated: false })
  database.close()
})
