import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeNew } from '../../../../host/wallet/keys/keyring.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-keyring-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('a new key file is for its owner only, and an existing one is kept', async () => {
  const path = join(folder, 'alice.json')
  await writeNew(path, '{"first":1}\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  await expect(writeNew(path, '{"second":2}\n')).rejects.toMatchObject({ code: 'EEXIST' })
  expect(readFileSync(path, 'utf8')).toBe('{"first":1}\n')
})
