import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadSqlite } from '../../host/storage/store/sqlite/sqlite.ts'
import { readMasterSecrets } from '../../host/wallet/launch/master-source.ts'
import { openVault } from '../../host/wallet/vault/open-vault.ts'
import type { SealedKey } from '../../host/wallet/vault/vault.ts'
import { type Daemon, runCommand, startDaemon } from '../support/node/daemon.ts'
import { until } from '../support/until.ts'

const SIGNER_UID = 64_031
const SERVICE_UID = 64_032
const STRANGER_UID = 64_033

const isRoot = process.platform === 'linux' && process.getuid?.() === 0
if (!isRoot) console.log('Users of their own are not tested: this is no Linux, or not root.')

// Other users must be able to enter it, unlike the temporary folder of other tests.
const folder = mkdtempSync(join(isRoot ? '/tmp' : tmpdir(), 'lockstep-isolation-'))
const home = join(folder, 'home')
const crashes = join(folder, 'crashes')
let daemon: Daemon
let secrets: readonly { readonly name: string; readonly bytes: Uint8Array }[] = []

interface App {
  readonly appId: string
  readonly appSecret: string
}

async function ask(app: App, path: string, body: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${daemon.ready.wallets}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${btoa(`${app.appId}:${app.appSecret}`)}`,
      'wallet-app-id': app.appId,
    },
    body: JSON.stringify(body),
  })
  return (await response.json()) as Record<string, unknown>
}

/** Returns the ids that a process of this name had, the latest last. */
function pidsOf(name: string): readonly number[] {
  const found = daemon.output().matchAll(new RegExp(`${name} answers pid=(\\d+)`, 'g'))
  return Array.from(found, ([, pid]) => Number(pid))
}

function pidOf(name: string): number {
  const pid = pidsOf(name).at(-1)
  if (pid === undefined) throw new Error(`${name} has no process:\n${daemon.output()}`)
  return pid
}

/** Runs a command as a user outside Node's permission model, like a compromised process. */
function runAs(uid: number, command: string) {
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', command], {
    uid,
    gid: uid,
    cwd: '/',
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

const wallets = join(home, 'wallets')
const keyFile = join(home, 'config', 'wallets_master_key')
let app: App
let walletId = ''

async function start(...args: string[]): Promise<Daemon> {
  // Enables core dumps in a known folder, unless a process disables them itself.
  const before = ['/bin/sh', '-c', `cd '${crashes}' && ulimit -c unlimited && exec "$0" "$@"`]
  const flags = ['--wallets.enable', 'true', '--wallets.address', '127.0.0.1:0', ...args]
  return startDaemon({ home, before, arguments: flags })
}

beforeAll(async () => {
  chmodSync(folder, 0o755)
  mkdirSync(home)
  mkdirSync(crashes)
  chmodSync(crashes, 0o777)
  daemon = await start()
  const made = await runCommand(['wallet', 'app', 'create', '--json', '--home', home])
  app = JSON.parse(made.stdout) as App
  walletId = (await ask(app, '/v1/wallets', { chain_type: 'ethereum' })).id as string
})

afterAll(async () => {
  await daemon?.stop('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

async function sign(): Promise<void> {
  const params = { message: 'hello', encoding: 'utf-8' }
  const answer = await ask(app, `/v1/wallets/${walletId}/rpc`, { method: 'personal_sign', params })
  expect(answer).toMatchObject({ method: 'personal_sign', data: { encoding: 'hex' } })
}

describe('an attacker with the user of the API process', () => {
  const signer = join(wallets, 'signer')
  const socket = join(wallets, 'socket', 'signer.sock')

  test.runIf(isRoot)('is another user than that of the signer and has no capability', () => {
    const users: [string, number][] = [
      ['the signer', SIGNER_UID],
      ['the wallet API', SERVICE_UID],
    ]
    for (const [name, uid] of users) {
      const status = readFileSync(`/proc/${pidOf(name)}/status`, 'utf8')
      expect(status).toMatch(new RegExp(`^Uid:\\s+${uid}\\s+${uid}\\s+${uid}\\s+${uid}$`, 'm'))
      expect(status).toMatch(/^CapEff:\s+0+$/m)
      expect(status).toMatch(/^CapPrm:\s+0+$/m)
    }
    expect(daemon.output()).toContain('isolated=true')
    // Owned by root, since the process dropped root and is not dumpable.
    expect(lstatSync(`/proc/${pidOf('the signer')}/mem`).uid).toBe(0)
  })

  test
    .runIf(isRoot)
    .each(['mem', 'environ', 'maps', 'stack', 'auxv', 'fd/', 'map_files/', 'cwd/', 'root/'])(
    "cannot read /proc/<signer>/%s, and neither can the signer's own user",
    (name) => {
      for (const uid of [SERVICE_UID, SIGNER_UID, STRANGER_UID]) {
        const path = `/proc/${pidOf('the signer')}/${name}`
        const { status, stderr } = runAs(uid, path.endsWith('/') ? `ls ${path}` : `cat ${path}`)
        expect(status).not.toBe(0)
        expect(stderr).toMatch(/Permission denied|Operation not permitted/)
      }
      // Checks that the command itself works if it is permitted.
      expect(runAs(SERVICE_UID, 'cat /proc/self/environ && ls /proc/self/fd').status).toBe(0)
    },
  )

  test.runIf(isRoot)('cannot open a file of the signer or the master key', () => {
    const files = ['signer.db', 'signer.db-wal', 'signer.db-shm', 'LOCK'].map((name) =>
      join(signer, name),
    )
    for (const path of [...files, keyFile, join(home, 'config', 'app.toml')]) {
      expect(existsSync(path)).toBe(true)
      expect(runAs(SERVICE_UID, `cat ${path}`).stderr).toContain('Permission denied')
      expect(runAs(SERVICE_UID, `: >> ${path}`).stderr).toContain('ermission denied')
    }
    for (const path of [signer, join(wallets, 'socket'), wallets]) {
      expect(runAs(SERVICE_UID, `ls ${path}`).stderr).toContain('Permission denied')
    }
    expect(runAs(SERVICE_UID, `cat ${join(wallets, 'service', 'service.db')}`).status).toBe(0)
  })

  test.runIf(isRoot)(
    'cannot replace the socket of the signer, and other users cannot connect to it',
    () => {
      for (const command of [
        `rm -f ${socket}`,
        `mv ${socket} /tmp/x`,
        `touch ${socket}.x`,
        `chmod 777 ${socket}`,
      ]) {
        expect(runAs(SERVICE_UID, command).status).not.toBe(0)
      }
      expect(lstatSync(socket).isSocket()).toBe(true)
      expect((lstatSync(socket).mode & 0o777).toString(8)).toBe('660')
      expect(runAs(SERVICE_UID, `test -w ${socket}`).status).toBe(0)
      expect(runAs(STRANGER_UID, `test -w ${socket}`).status).not.toBe(0)
    },
  )

  test.runIf(isRoot)('cannot stop, trace or signal the signer', () => {
    const pid = pidOf('the signer')
    for (const signal of ['KILL', 'STOP', 'USR1', 'USR2', 'ABRT', '0']) {
      expect(runAs(SERVICE_UID, `kill -${signal} ${pid}`).status).not.toBe(0)
    }
    const source = join(folder, 'trace.c')
    writeFileSync(
      source,
      `#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
int main(int count, char **words) {
  long traced = ptrace(PTRACE_SEIZE, atoi(words[1]), 0, 0);
  printf("%ld %d\\n", traced, traced == 0 ? 0 : errno);
}
`,
    )
    const built = spawnSync('cc', ['-o', join(folder, 'trace'), source])
    if (built.status !== 0) {
      console.log(
        'ptrace itself is not tried: there is no C compiler. /proc/<pid>/mem asks the same right.',
      )
      return
    }
    const EPERM = 1
    expect(runAs(SERVICE_UID, `${folder}/trace ${pid}`).stdout).toBe(`-1 ${EPERM}\n`)
    expect(runAs(SIGNER_UID, `${folder}/trace ${pid}`).stdout).toBe(`-1 ${EPERM}\n`)
    const own = runAs(SERVICE_UID, `sleep 60 & ${folder}/trace $!; kill $!`)
    expect(own.stdout).toBe('0 0\n')
  })
})

/** Returns the files below a folder. */
function filesOf(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Returns the names of secrets that occur in bytes: raw, in hex of either case, or in base64. */
function secretsIn(bytes: Buffer): string[] {
  return secrets.flatMap(({ name, bytes: secret }) => {
    const raw = Buffer.from(secret)
    const hex = raw.toString('hex')
    // The part of the base64 form that does not depend on the offset.
    const base64 = [0, 1, 2].map((skip) => raw.subarray(skip, skip + 27).toString('base64'))
    const forms = [raw, hex, hex.toUpperCase(), ...base64, raw.toString('base64url').slice(0, 42)]
    return forms.some((form) => bytes.includes(form)) ? [name] : []
  })
}

test('the signer leaves no core dump after a crash, and its replacement signs as before', async () => {
  const crashed = spawnSync('/bin/sh', ['-c', 'ulimit -c unlimited && kill -ABRT $$'], {
    cwd: crashes,
  })
  expect(crashed.signal).toBe('SIGABRT')
  const cores = readdirSync(crashes)
  if (cores.length === 0)
    console.log('This system writes cores elsewhere: the limit alone is looked at.')
  for (const name of cores) rmSync(join(crashes, name))
  for (const signal of ['SIGABRT', 'SIGSEGV', 'SIGKILL'] as const) {
    for (const name of ['the signer', 'the wallet API']) {
      const before = pidsOf(name).length
      if (process.platform === 'linux') {
        expect(readFileSync(`/proc/${pidOf(name)}/limits`, 'utf8')).toMatch(
          /^Max core file size +0 +0 /m,
        )
      }
      process.kill(pidOf(name), signal)
      await until(() => pidsOf(name).length > before)
    }
    // The API connects to the signer only at the next request.
    await until(async () => {
      const path = `/v1/wallets/${walletId}/rpc`
      const params = { message: 'again', encoding: 'utf-8' }
      return (await ask(app, path, { method: 'personal_sign', params })).data !== undefined
    })
  }
  expect(readdirSync(crashes)).toEqual([])
})

test('no secret is in a log, a response, a leftover file or a process argument', async () => {
  await sign()
  const environments = ['the signer', 'the wallet API'].flatMap((name) =>
    process.platform === 'linux'
      ? [readFileSync(`/proc/${pidOf(name)}/environ`), readFileSync(`/proc/${pidOf(name)}/cmdline`)]
      : [],
  )
  const { masterSecret, keys } = openKeys()
  secrets = [{ name: 'the master key', bytes: masterSecret }, ...keys]
  expect(keys).toHaveLength(1)
  expect(await daemon.stop()).toBe(0)
  // Checks that the search finds secrets that are there.
  expect(secretsIn(readFileSync(keyFile))).toEqual(['the master key'])
  expect(secretsIn(Buffer.from(masterSecret))).toEqual(['the master key'])
  const found = filesOf(folder)
    .filter((path) => path !== keyFile)
    .flatMap((path) => secretsIn(readFileSync(path)).map((name) => `${name} in ${path}`))
  expect(found).toEqual([])
  for (const bytes of [...environments, Buffer.from(daemon.output())]) {
    expect(secretsIn(bytes)).toEqual([])
  }
  expect(daemon.output()).not.toContain(app.appSecret)
})

/** Opens the keys in the database with its master key. */
function openKeys() {
  const source = { kind: 'file', path: keyFile } as const
  const [master] = readMasterSecrets(source, false)
  const masterSecret = Uint8Array.from(master?.bytes ?? [])
  const path = join(wallets, 'signer', 'signer.db')
  const database = new (loadSqlite().DatabaseSync)(path, { readOnly: true })
  try {
    const { vault } = openVault(database, readMasterSecrets(source, false), 0)
    const keys = database
      .prepare('SELECT * FROM wallets')
      .all()
      .map(({ id, address, key_version: version, wrapped, sealed, master_key: masterKey }) => {
        const key = { version, wrapped, sealed, masterKey } as SealedKey
        const owner = { walletId: id as string, address: address as Uint8Array }
        return {
          name: `wallet ${id}`,
          bytes: vault.open(key, owner, (secret) => Uint8Array.from(secret)),
        }
      })
    return { masterSecret, keys }
  } finally {
    database.close()
  }
}

test('a start with a wrong or missing master key is refused with the remedy, and creates no new key', async () => {
  const kept = readFileSync(keyFile)
  const other = 'ab'.repeat(32)
  writeFileSync(keyFile, `${other}\n`)
  const wrong = await failure()
  expect(wrong).toContain(
    'the signer: none of the given secrets is master key number 1, a key, of ',
  )
  expect(wrong).not.toContain(other)
  rmSync(keyFile)
  expect(await failure()).toContain('cannot be opened (ENOENT)')
  expect(existsSync(keyFile)).toBe(false)
  writeFileSync(keyFile, kept, { mode: 0o644 })
  chmodSync(keyFile, 0o644)
  expect(await failure()).toContain('is open to others (mode 0644)')
  chmodSync(keyFile, 0o600)
  daemon = await start()
  await sign()
})

async function failure(): Promise<string> {
  return start().then(
    async (started) => {
      await started.stop()
      return 'it started'
    },
    (thrown: Error) => thrown.message,
  )
}
