import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chunkName, writeChunk } from '../../../../host/chain/snapshot/chunk-file.ts'
import { encodeMetadata, sealMetadata } from '../../../../host/chain/snapshot/metadata.ts'
import { dumpSnapshot, loadSnapshot } from '../../../../host/node/offline/snapshot-file.ts'
import { tarArchive, tarHeader } from '../../../../host/node/tar-archive.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'

const HEIGHT = 1200
const quiet = (): void => {}

let folder: string
let dir: string
let file: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-dump-'))
  file = join(folder, 'snapshot.tar')
  dir = await makeSnapshot(join(folder, 'source'), [4000, 1, 513])
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Writes a snapshot with chunks of these sizes, whose content no import would accept. */
async function makeSnapshot(snapshots: string, sizes: readonly number[]): Promise<string> {
  const path = join(snapshots, String(HEIGHT))
  mkdirSync(path, { recursive: true })
  const chunks = []
  for (const [i, size] of sizes.entries()) {
    chunks.push(await writeChunk(path, i, new Uint8Array(size).fill(i)))
  }
  const sealed = sealMetadata({
    format: 1,
    height: HEIGHT,
    chainId: 'lockstep-1',
    appHash: 'ab'.repeat(32),
    chunks,
  })
  writeFileSync(join(path, 'metadata.json'), encodeMetadata(sealed))
  return path
}

function contents(path: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(path).map((name) => [name, readFileSync(join(path, name)).toString('hex')]),
  )
}

/** Loads the file into a new folder, and expects a refusal that leaves nothing. */
async function expectRefusal(message: RegExp | string, path = file): Promise<void> {
  const into = join(folder, 'refused')
  await expect(loadSnapshot(path, into, quiet)).rejects.toMatchObject({
    code: 'SNAPSHOT_INVALID',
    message: expect.stringMatching(message),
  })
  if (existsSync(into)) expect(readdirSync(into)).toEqual([])
}

test('a dumped snapshot is loaded as the same files', async () => {
  const counts: number[] = []
  await dumpSnapshot(dir, file, (copied) => void counts.push(copied))
  expect(counts).toEqual([1, 2, 3])
  const loaded = await loadSnapshot(file, join(folder, 'target'), quiet)
  expect(loaded.dir).toBe(join(folder, 'target', String(HEIGHT)))
  expect(contents(loaded.dir)).toEqual(contents(dir))
  // A second load finds it.
  expect(await loadSnapshot(file, join(folder, 'target'), quiet)).toEqual(loaded)
})

test('tar lists and extracts a dumped snapshot', async () => {
  await dumpSnapshot(dir, file, quiet)
  const listed = execFileSync('tar', ['-tf', file], { encoding: 'utf8' })
  expect(listed).toBe(`metadata.json\n${[0, 1, 2].map((i) => `${chunkName(i)}\n`).join('')}`)
  const into = join(folder, 'extracted')
  mkdirSync(into)
  execFileSync('tar', ['-xf', file, '-C', into])
  expect(contents(into)).toEqual(contents(dir))
})

test('two dumps of a snapshot are equal to the byte', async () => {
  await dumpSnapshot(dir, file, quiet)
  const copy = join(folder, 'elsewhere', String(HEIGHT))
  cpSync(dir, copy, { recursive: true })
  await dumpSnapshot(copy, join(folder, 'again.tar'), quiet)
  expect(readFileSync(join(folder, 'again.tar')).equals(readFileSync(file))).toBe(true)
})

describe('a dump', () => {
  test('does not replace a file', async () => {
    writeFileSync(file, 'mine')
    await expect(dumpSnapshot(dir, file, quiet)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: `${file} exists`,
    })
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })

  test.each(['shorter', 'longer', 'changed', 'missing'])(
    'of a snapshot whose chunk is %s leaves no file',
    async (fault) => {
      const path = join(dir, chunkName(1))
      const bytes = readFileSync(path)
      if (fault === 'shorter') truncateSync(path, bytes.length - 1)
      if (fault === 'longer') writeFileSync(path, Buffer.concat([bytes, Buffer.of(0)]))
      if (fault === 'changed') writeFileSync(path, bytes.fill(7, 3, 4))
      if (fault === 'missing') rmSync(path)
      await expect(dumpSnapshot(dir, file, quiet)).rejects.toMatchObject({
        code: 'SNAPSHOT_INVALID',
        message: expect.stringContaining(`${path} `),
      })
      expect(readdirSync(folder)).toEqual(['source'])
    },
  )

  test('that is interrupted leaves no file', async () => {
    const stop = (): never => {
      throw new Error('stopped')
    }
    await expect(dumpSnapshot(dir, file, stop)).rejects.toThrow('stopped')
    expect(readdirSync(folder)).toEqual(['source'])
  })
})

describe('a load', () => {
  beforeEach(() => dumpSnapshot(dir, file, quiet))

  const seed = runSeed()
  const random = makeRandom(seed)
  const below = (end: number): number => Math.floor(random() * end)

  test(`refuses a file that is cut anywhere (seed ${seed})`, async () => {
    const { length } = readFileSync(file)
    // The end of the archive and the padding before it carry nothing.
    const needed = length - 1024 - 512
    for (let i = 0; i < 40; i++) {
      const cut = join(folder, 'cut.tar')
      writeFileSync(cut, readFileSync(file).subarray(0, below(needed)))
      await expectRefusal(/is not a dumped snapshot, at byte \d+: /, cut)
    }
  })

  test(`refuses a file with any changed bit that counts (seed ${seed})`, async () => {
    const whole = readFileSync(file)
    let refused = 0
    for (let i = 0; i < 60; i++) {
      const bytes = Buffer.from(whole)
      const at = below(bytes.length)
      bytes[at] = (bytes[at] as number) ^ (1 << below(8))
      const path = join(folder, 'changed.tar')
      writeFileSync(path, bytes)
      const into = join(folder, `changed-${i}`)
      try {
        // Padding and the end are not read: then the content is that of the source.
        expect(contents((await loadSnapshot(path, into, quiet)).dir)).toEqual(contents(dir))
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: 'SNAPSHOT_INVALID' })
        refused++
      }
    }
    expect(refused).toBeGreaterThan(0)
  })

  test('refuses names that would leave the folder', async () => {
    writeFileSync(
      file,
      tarArchive([{ name: '../../metadata.json', content: Buffer.from('{}') }], new Date(0)),
    )
    await expectRefusal(/at byte 0: "\.\.\/\.\.\/metadata\.json" is there, not metadata\.json$/)
  })

  test('refuses sizes beyond the limits before it reads them', async () => {
    writeFileSync(file, tarHeader('metadata.json', 8 ** 11 - 1, 0))
    await expectRefusal(/at byte 0: metadata\.json has 8589934591 bytes, more than 67108864$/)
  })

  test.each(['', 'x', 'not an archive at all', '\x1f\x8b\x08'])('refuses %j', async (text) => {
    writeFileSync(file, text)
    await expectRefusal(/is not a dumped snapshot, at byte \d+: it ends there$/)
  })

  test('refuses another snapshot of a height that the folder has', async () => {
    const other = await makeSnapshot(join(folder, 'other'), [99])
    const before = contents(other)
    await expect(loadSnapshot(file, join(folder, 'other'), quiet)).rejects.toMatchObject({
      code: 'REFUSED_ARGUMENT',
      message: `${other} holds another snapshot of height ${HEIGHT}`,
    })
    expect(contents(other)).toEqual(before)
  })

  test('that is interrupted leaves nothing, and can be repeated', async () => {
    const into = join(folder, 'target')
    const stop = (): never => {
      throw new Error('stopped')
    }
    await expect(loadSnapshot(file, into, stop)).rejects.toThrow('stopped')
    expect(readdirSync(into)).toEqual([])
    expect(contents((await loadSnapshot(file, into, quiet)).dir)).toEqual(contents(dir))
  })
})
