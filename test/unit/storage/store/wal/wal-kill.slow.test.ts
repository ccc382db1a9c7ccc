import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { WriteAheadLog } from '../../../../../host/storage/store/wal/write-ahead-log.ts'
import { makeRandom } from '../../../../support/random.ts'
import { temporaryDir } from '../temporary-storage.ts'
import { WRITER_FILE_BYTES, walRecord } from './wal-records.ts'

const KILLS = 30

/** Runs the writer and kills it some time after it has acknowledged `records` heights. */
async function writeUntilKilled(dir: string, seed: number, records: number): Promise<number> {
  const script = fileURLToPath(new URL('wal-writer.ts', import.meta.url))
  const writer = spawn(process.execPath, [script, dir, String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  let lines = 0
  writer.stdout.on('data', (data: Buffer) => {
    output += data
    lines += data.toString().split('\n').length - 1
    if (lines >= records) writer.kill('SIGKILL')
  })
  const signal = await new Promise((resolve) => writer.on('close', (_, by) => resolve(by)))
  expect(signal).toBe('SIGKILL')
  return Number(output.slice(0, output.lastIndexOf('\n')).split('\n').at(-1))
}

test('no acknowledged record is lost when the process is killed', async () => {
  const seed = 20_251
  const random = makeRandom(seed)
  const dir = temporaryDir()
  let earliest = 1
  for (let kill = 0; kill < KILLS; kill++) {
    const acknowledged = await writeUntilKilled(dir, seed + kill, 1 + Math.floor(random() * 60))
    const wal = WriteAheadLog.open(dir, { fileBytes: WRITER_FILE_BYTES })
    expect(wal.latest, `seed ${seed}, kill ${kill}`).toBeGreaterThanOrEqual(acknowledged)
    expect(wal.earliest).toBeGreaterThanOrEqual(earliest)
    expect(wal.earliest).toBeLessThanOrEqual(Math.max(1, wal.latest - 30))
    for (let height = wal.earliest; height <= wal.latest; height++) {
      expect(Buffer.compare(wal.read(height), walRecord(height)), `height ${height}`).toBe(0)
    }
    expect(wal.pruneHeight).toBeLessThanOrEqual(Math.max(-1, wal.latest - 20))
    earliest = wal.earliest
    await wal.close()
  }
})
