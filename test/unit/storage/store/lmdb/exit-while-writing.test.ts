import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-exit-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('a process that exits while a worker is inside a transaction ends with its code', async () => {
  const script = fileURLToPath(new URL('exiting-main.ts', import.meta.url))
  for (let round = 0; round < 3; round++) {
    const child = spawn(process.execPath, [script, folder], { stdio: 'inherit' })
    const [code, signal] = await once(child, 'exit')
    expect({ code, signal }).toEqual({ code: 3, signal: null })
  }
})
