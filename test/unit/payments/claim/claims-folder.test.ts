import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openClaims } from '../../../../host/payments/claim/open-claims.ts'
import { loadSqlite } from '../../../../host/storage/store/sqlite/sqlite.ts'

test('the lock of an ended process that another process removes meanwhile blocks no other process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-claims-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const owners = join(folder, 'owners')
  mkdirSync(owners)
  const ended = '5'.repeat(16)
  const left = join(owners, `${ended}.lock`)
  writeFileSync(left, '')

  const { prototype } = loadSqlite().DatabaseSync
  const { exec } = prototype
  let removals = 0
  const spy = vi.spyOn(prototype, 'exec').mockImplementation(function (
    this: typeof prototype,
    sql: string,
  ) {
    if (this.location() === left) {
      rmSync(left)
      removals++
    }
    return exec.call(this, sql)
  })
  onTestFinished(() => spy.mockRestore())

  const claims = await openClaims(folder)
  expect(removals).toBe(1)
  expect(readdirSync(owners).filter((name) => name.startsWith(ended))).toEqual([])
  await claims.close()
})
