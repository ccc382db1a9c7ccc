import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { RocksThread } from '../../../../host/store/rocksdb/rocksdb-thread.ts'
import { StoreThread } from '../../../../host/store/thread/store-thread.ts'
import { temporaryDir } from '../temporary-storage.ts'

/** A thread that answers each request by what `answer` makes of its id. */
function scriptOf(answer: string): URL {
  const path = join(temporaryDir(), 'worker.mjs')
  writeFileSync(
    path,
    `import { parentPort } from 'node:worker_threads'
    parentPort.on('message', ({ id }) => { ${answer} })`,
  )
  return pathToFileURL(path)
}

const WORK = { kind: 'flush', records: [], outputs: [] } as const

/** Two threads that are asked the same way. */
const THREADS = {
  storage: (script: URL) => {
    const thread = new StoreThread(script)
    return { ask: () => thread.run(WORK), close: () => thread.close() }
  },
  RocksDB: (script: URL) => {
    const thread = new RocksThread(script)
    return { ask: () => thread.run({ kind: 'settle' }), close: () => thread.close() }
  },
}

describe.each(Object.entries(THREADS))('the %s thread', (name, start) => {
  test('fails all requests if it answers an unknown one, and accepts no more', async () => {
    const { ask, close } = start(scriptOf('parentPort.postMessage({ id: id + 1000 })'))
    const ended = {
      code: 'ENGINE_FAULT',
      message: expect.stringMatching(
        `^the ${name} thread answered request 100[01], which was not asked$`,
      ),
    }
    for (const asked of [ask(), ask()]) await expect(asked).rejects.toMatchObject(ended)
    await expect(ask()).rejects.toMatchObject(ended)
    await close()
  })

  test('fails its pending requests after it answered one twice', async () => {
    const { ask, close } = start(
      scriptOf('parentPort.postMessage({ id }); parentPort.postMessage({ id })'),
    )
    await ask()
    await expect(ask()).rejects.toMatchObject({
      code: 'ENGINE_FAULT',
      message: expect.stringContaining('which was not asked'),
    })
    await close()
  })
})
