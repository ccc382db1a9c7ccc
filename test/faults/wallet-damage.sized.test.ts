import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LockstepError } from '../../host/base/error.ts'
import { verifyDatabase } from '../../host/storage/store/sqlite/guard-database.ts'
import { openDatabase } from '../../host/storage/store/sqlite/sqlite.ts'
import { AUDIT_TABLES } from '../../host/wallet/vault/audit-log.ts'
import { verifyAudit } from '../../host/wallet/vault/verify-audit.ts'
import { makeRandom, runSeed } from '../support/random.ts'
import { bySet } from '../support/run/by-set.ts'
import { BYTE_DAMAGE, filesBelow } from './damage/file-damage.ts'
import { fillService, fillSigner } from './damage/wallet-stores.ts'

const seed = runSeed()
const DAMAGES = Number(process.env.LOCKSTEP_DAMAGES ?? bySet(120, 300))

const root = mkdtempSync(join(tmpdir(), 'wallet-damage-'))
/** Files of a killed process, and of one that has ended. */
const signers = [join(root, 'signer-killed'), join(root, 'signer-ended')] as const
const services = [join(root, 'service-killed'), join(root, 'service-ended')] as const

beforeAll(async () => {
  for (const folder of [...signers, ...services]) mkdirSync(folder)
  await fillSigner(...signers)
  await fillService(...services)
})
afterAll(() => rmSync(root, { recursive: true }))

interface Read {
  /** All rows except those of the audit log. */
  readonly rows: string
  readonly audit: string
  readonly auditFaults: readonly string[]
}

/** Reads a database as its process does at its start. @throws if the process would refuse it */
function read(path: string): Read {
  verifyDatabase(path)
  const database = openDatabase(path)
  try {
    const tables = database.prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`,
    )
    const names = tables.all().map(({ name }) => name as string)
    const dump = (wanted: readonly string[]) =>
      JSON.stringify(wanted.map((name) => [name, database.prepare(`SELECT * FROM ${name}`).all()]))
    const isAudit = (name: string) => (AUDIT_TABLES as readonly string[]).includes(name)
    return {
      rows: dump(names.filter((name) => !isAudit(name))),
      audit: dump(names.filter(isAudit)),
      auditFaults: names.includes('audit') ? verifyAudit(database, { key: undefined }).faults : [],
    }
  } finally {
    database.close()
  }
}

/** Returns what is wrong with a start, or undefined if it is refused properly or nothing is lost. */
function judge(path: string, truth: Read): string | undefined {
  let found: Read
  try {
    found = read(path)
  } catch (thrown) {
    if (!(thrown instanceof LockstepError)) return `an error without words: ${thrown}`
    const isTold = thrown.code === 'STORE_CORRUPTED' && thrown.message.includes(path)
    return isTold && thrown.hint.includes('backup') ? undefined : `${thrown.code} ${thrown.message}`
  }
  if (found.rows !== truth.rows) return `other rows: ${found.rows}`
  const isToldByAudit = found.auditFaults.length > 0
  return found.audit === truth.audit || isToldByAudit ? undefined : `another log: ${found.audit}`
}

test.each([
  ['signer.db', signers],
  ['service.db', services],
] as const)(
  `%s is intact or refused with its file and remedy after each of ${DAMAGES} damages (LOCKSTEP_SEED=${seed})`,
  (name, folders) => {
    const random = makeRandom(seed)
    const below = (limit: number): number => Math.floor(random() * limit)
    const kinds = Object.keys(BYTE_DAMAGE)
    const faults: string[] = []
    const copy = join(root, 'copy')
    const truths = folders.map((folder) => {
      cpSync(folder, copy, { recursive: true })
      const truth = read(join(copy, name))
      rmSync(copy, { recursive: true })
      return truth
    })
    expect(truths[0]).toEqual(truths[1])
    for (let i = 0; i < DAMAGES; i++) {
      const folder = folders[i % 2] as string
      const files = filesBelow(folder).filter((file) => basename(file).startsWith(name))
      const file = files[(i >>> 1) % files.length] as string
      const kind = kinds[below(kinds.length)] as string
      cpSync(folder, copy, { recursive: true })
      BYTE_DAMAGE[kind]?.(join(copy, file), undefined, below)
      const problem = judge(join(copy, name), truths[0] as Read)
      if (problem !== undefined) faults.push(`${i}: ${folder}/${file}, ${kind}: ${problem}`)
      rmSync(copy, { recursive: true })
    }
    expect(faults).toEqual([])
  },
  300_000,
)
