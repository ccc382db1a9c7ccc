import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WorkerClient } from '../../../../../host/base/worker/worker-client.ts'
import { LmdbEnv } from '../../../../../host/storage/store/lmdb/lmdb-env.ts'
import type { WaitingWriterData } from './waiting-writer.ts'

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

test('a worker that is given up inside a transaction is stopped after it', async () => {
  const go = new Int32Array(new SharedArrayBuffer(4))
  const worker = new WorkerClient<null>({
    script: new URL('./waiting-writer.ts', import.meta.url),
    name: 'the writer',
    workerData: { dir: folder, go } satisfies WaitingWriterData,
  })
  await expect(worker.run(null)).rejects.toMatchObject({
    message: 'the writer died: it answered request 1000, which was not made',
  })
  Atomics.store(go, 0, 1)
  Atomics.notify(go, 0)
  await worker.close()
  const env = new LmdbEnv(folder)
  const rows = Array.from(env.table('rows').range({}), ({ key, value }) => [
    Buffer.from(key).toString(),
    Buffer.from(value).toString(),
  ])
  await env.close()
  expect(rows).toEqual([
    ['first', '1'],
    ['second', '2'],
  ])
})
