import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refuseUnfinishedImport } from '../../../../host/chain/snapshot/import-progress.ts'
import { type ImportStep, importSnapshot } from '../../../../host/chain/snapshot/import-snapshot.ts'
import type { SnapshotItem } from '../../../../host/chain/snapshot/item-codec.ts'
import type { ListedSnapshot } from '../../../../host/chain/snapshot/snapshot-dir.ts'
import { verifySnapshot } from '../../../../host/chain/snapshot/verify-snapshot.ts'
import { CommitHasher } from '../../../../host/storage/commit/hash/commit-hasher.ts'
import { buildCommitModule } from '../../../support/engine/commit-module.ts'
import { genesis, RandomChain } from './random-chain.ts'
import {
  chunkPath,
  copySnapshot,
  flipByte,
  metadataPath,
  replaceChunk,
  restate,
  rewrite,
} from './rewrite-snapshot.ts'
import {
  importInto,
  importOptions,
  makeDir,
  makeSnapshot,
  removeDir,
  SEPARATE,
  SnapshotHome,
  UNSPLIT,
} from './snapshot-home.ts'

const HEIGHT = 40

const root = makeDir()
afterAll(() => removeDir(root))

let module: WebAssembly.Module
let hasher: CommitHasher
let good: ListedSnapshot
let count = 0

beforeAll(async () => {
  module = new WebAssembly.Module(readFileSync(await buildCommitModule()))
  hasher = new CommitHasher(module)
  good = await makeSnapshot(`${root}/home`, new RandomChain(7, hasher), HEIGHT, module, 16 * 1024)
})

function newDir(name: string): string {
  return `${root}/${name}-${count++}`
}

/** Checks that verification and import refuse it with the same message, and that no partial chain remains. */
async function expectRefused(dir: string, message: string | RegExp): Promise<void> {
  const expected = { code: 'SNAPSHOT_INVALID', message: expect.stringMatching(message) }
  await expect(verifySnapshot({ dir, hasher, genesis })).rejects.toMatchObject(expected)
  const to = newDir('refused')
  await expect(importInto(dir, to, SEPARATE, module)).rejects.toMatchObject(expected)
  if (existsSync(to)) {
    expect(() => refuseUnfinishedImport(to)).toThrow(
      `the import of the snapshot of height ${HEIGHT} into ${to} is not finished`,
    )
  }
}

function damaged(damage: (dir: string) => void): string {
  const dir = copySnapshot(good.dir, newDir('damaged'))
  damage(dir)
  return dir
}

describe('an import names the chunk', () => {
  test('if it is damaged', async () => {
    const dir = damaged((each) => flipByte(chunkPath(each, 2), 100))
    await expectRefused(
      dir,
      /chunk-000002 is damaged: its SHA-256 is [0-9a-f]{64}, but metadata\.json/,
    )
  })

  test('if it is missing', async () => {
    const dir = damaged((each) => rmSync(chunkPath(each, 1)))
    await expectRefused(dir, /chunk-000001 is missing$/)
  })

  test('if it is truncated', async () => {
    const dir = damaged((each) =>
      writeFileSync(chunkPath(each, 1), readFileSync(chunkPath(each, 1)).subarray(0, 500)),
    )
    await expectRefused(dir, /chunk-000001 has 500 bytes, but metadata\.json has \d+$/)
  })

  test('if it was swapped, by its checksum', async () => {
    const dir = damaged((each) => {
      renameSync(chunkPath(each, 1), chunkPath(each, 9))
      renameSync(chunkPath(each, 2), chunkPath(each, 1))
      renameSync(chunkPath(each, 9), chunkPath(each, 2))
    })
    await expectRefused(dir, /chunk-000001 (is damaged|has \d+ bytes)/)
  })

  test('if it was swapped in the metadata as well, by its order', async () => {
    const dir = damaged((each) => {
      renameSync(chunkPath(each, 0), chunkPath(each, 9))
      renameSync(chunkPath(each, 3), chunkPath(each, 0))
      renameSync(chunkPath(each, 9), chunkPath(each, 3))
      restate(each, ({ chunks }) => ({
        chunks: chunks.map((chunk, i) => chunks[i === 0 ? 3 : i === 3 ? 0 : i] ?? chunk),
      }))
    })
    await expectRefused(dir, /^chunk-000000: .* is inside of start$/)
  })

  test('if it decompresses to more than it states, without using more memory', async () => {
    const bomb = zstdCompressSync(Buffer.alloc(256 * 1024 * 1024))
    expect(bomb.length).toBeLessThan(100_000)
    const dir = damaged((each) => replaceChunk(each, 1, bomb))
    const { contentSize } = good.metadata.chunks[1] as { contentSize: number }
    await expectRefused(
      dir,
      `chunk-000001 decompresses to more than the ${contentSize} bytes that metadata.json states`,
    )
  })

  test('if it decompresses to less or not at all', async () => {
    const short = damaged((each) => replaceChunk(each, 1, zstdCompressSync(Buffer.alloc(9))))
    await expectRefused(short, /chunk-000001 decompresses to 9 bytes, but metadata\.json has \d+$/)
    const noise = damaged((each) => replaceChunk(each, 1, Buffer.alloc(50, 1)))
    await expectRefused(noise, /chunk-000001 does not decompress: /)
  })
})

describe('an import refuses metadata', () => {
  test('that is missing, truncated or edited', async () => {
    const missing = damaged((each) => rmSync(metadataPath(each)))
    await expectRefused(missing, /has no metadata\.json: it is not a complete snapshot$/)
    const folder = damaged((each) => {
      rmSync(metadataPath(each))
      mkdirSync(metadataPath(each))
    })
    await expectRefused(folder, /metadata\.json cannot be read: EISDIR: /)
    const text = readFileSync(metadataPath(good.dir), 'utf8')
    const cut = damaged((each) => writeFileSync(metadataPath(each), text.slice(0, 300)))
    await expectRefused(cut, /metadata\.json cannot be read: /)
    const edited = damaged((each) =>
      writeFileSync(metadataPath(each), text.replace(`"height": ${HEIGHT}`, '"height": 41')),
    )
    await expectRefused(edited, /metadata\.json states the hash [0-9a-f]{64}, but hashes to /)
  })

  test('of an unknown format', async () => {
    const dir = damaged((each) => restate(each, () => ({ format: 7 })))
    await expectRefused(dir, /metadata\.json is of format 7; this release reads 1$/)
  })

  test('that demands more memory than a chunk may use', async () => {
    const dir = damaged((each) =>
      restate(each, ({ chunks }) => ({
        chunks: chunks.map((chunk) => ({ ...chunk, contentSize: 2 ** 33 })),
      })),
    )
    await expectRefused(dir, /states no contentSize of chunk 0 up to 8388608$/)
  })

  test('of another chain', async () => {
    const dir = damaged((each) => restate(each, () => ({ chainId: 'other-1' })))
    await expectRefused(dir, 'the snapshot is of chain other-1, genesis.json of 31337')
  })

  test('of a chain with the same id and another genesis', async () => {
    const other = { ...genesis, time: genesis.time + 1n }
    const rule = /the snapshot begins with block 0 of hash 0x[0-9a-f]{64}, the genesis block of gen/
    await expect(verifySnapshot({ dir: good.dir, hasher, genesis: other })).rejects.toThrow(rule)
    const options = importOptions(good.dir, newDir('other'), SEPARATE, module)
    await expect(importSnapshot({ ...options, genesis: other })).rejects.toThrow(rule)
  })

  test('whose app hash is not that of the data', async () => {
    const dir = damaged((each) => restate(each, () => ({ appHash: 'ab'.repeat(32) })))
    await expectRefused(
      dir,
      /the stream ends with app hash [0-9a-f]{64}, but metadata\.json has (ab){32}$/,
    )
  })
})

/** Returns items in which the first one that `wanted` accepts is replaced. */
function replaceItem(
  wanted: (item: SnapshotItem, before: SnapshotItem | undefined) => boolean,
  by: (item: SnapshotItem) => readonly SnapshotItem[],
): (items: readonly SnapshotItem[]) => readonly SnapshotItem[] {
  return (items) => {
    const at = items.findIndex((item, i) => wanted(item, items[i - 1]))
    return [...items.slice(0, at), ...by(items[at] as SnapshotItem), ...items.slice(at + 1)]
  }
}

const isHeader = (name: string) => (item: SnapshotItem) => 'name' in item && item.name === name

describe('an import refuses a stream with valid checksums', () => {
  test('whose rows do not hash to the app hash', async () => {
    const dir = await rewrite(
      good.dir,
      newDir('rows'),
      replaceItem(
        (_, before) => before !== undefined && isHeader('evm')(before),
        (item) => {
          if (item.kind !== 'node' || item.value === undefined) throw new Error('no row')
          const value = item.value.slice()
          value[40] = (value[40] as number) ^ 1
          return [{ ...item, value }]
        },
      ),
    )
    await expectRefused(
      dir,
      /the rows hash to app hash [0-9a-f]{64}, but the snapshot states [0-9a-f]{64}$/,
    )
  })

  test('whose trees do not hash to the app hash, or are invalid', async () => {
    const first = (_: SnapshotItem, before: SnapshotItem | undefined): boolean =>
      before !== undefined && isHeader('bank')(before)
    const other = await rewrite(
      good.dir,
      newDir('tree'),
      replaceItem(first, (item) => [{ ...item, value: Buffer.from('other') } as SnapshotItem]),
    )
    await expectRefused(other, /the rows hash to app hash /)
    const less = await rewrite(
      good.dir,
      newDir('tree'),
      replaceItem(first, () => []),
    )
    await expectRefused(less, /^chunk-0000\d\d: the tree of bank has node 0x/)
  })

  test('with a row that is missing, repeated or of an unknown form', async () => {
    const first = (_: SnapshotItem, before: SnapshotItem | undefined): boolean =>
      before !== undefined && isHeader('evm')(before)
    const less = await rewrite(
      good.dir,
      newDir('less'),
      replaceItem(first, () => []),
    )
    await expectRefused(less, /the rows hash to app hash /)
    const twice = await rewrite(
      good.dir,
      newDir('twice'),
      replaceItem(first, (item) => [item, item]),
    )
    await expectRefused(twice, /: row 0x65766d2f0a[0-9a-f]{40} is out of order$/)
    const form = await rewrite(
      good.dir,
      newDir('form'),
      replaceItem(first, (item) => [{ ...item, value: Buffer.alloc(20) } as SnapshotItem]),
    )
    await expectRefused(form, /: row 0x65766d2f0a[0-9a-f]{40} does not have the form of account$/)
  })

  test('with rows without a module or a key', async () => {
    for (const [key, rule] of [
      ['/a', 'flatkv: empty module name in physical key 0x2f61'],
      ['evm/', 'flatkv: empty inner key in physical key 0x65766d2f'],
      [`evm/${'k'.repeat(2000)}`, "a row's key has 2000 bytes, over 1978"],
      ['bank/a', 'flatkv: module "bank" is not evm 0x62616e6b2f61'],
    ]) {
      const dir = await rewrite(
        good.dir,
        newDir('key'),
        replaceItem(
          (_, before) => before !== undefined && isHeader('evm')(before),
          (item) => [{ ...item, key: Buffer.from(key as string) } as SnapshotItem],
        ),
      )
      await expectRefused(dir, rule as string)
    }
  })

  test('that omits a part or ends early', async () => {
    const dir = await rewrite(good.dir, newDir('part'), (items) =>
      items.slice(0, items.findIndex(isHeader('lockstep_bytecode'))),
    )
    await expectRefused(dir, 'the stream ends inside of rows')
    const none = await rewrite(good.dir, newDir('part'), (items) =>
      items.slice(items.findIndex(isHeader('bank'))),
    )
    await expectRefused(none, 'chunk-000000: store bank is out of order: it is inside of start')
  })

  test('whose latest block is not signed', async () => {
    const dir = await rewrite(
      good.dir,
      newDir('signed'),
      replaceItem(
        (_, before) => before !== undefined && isHeader('lockstep_decided')(before),
        (item) => {
          if (item.kind !== 'payload') throw new Error('no record')
          const payload = item.payload.slice()
          // The signature is at the end of the commit, followed only by empty results.
          payload[payload.length - 10] = (payload[payload.length - 10] as number) ^ 1
          return [{ ...item, payload }]
        },
      ),
    )
    await expectRefused(dir, `block ${HEIGHT} is not signed by two thirds of the validators`)
  })

  test('that does not consist of items', async () => {
    const chunks = good.metadata.chunks.length
    const bytes = zstdCompressSync(Buffer.from([3, 0x0a, 0x7f, 0x0a]))
    const dir = damaged((each) => {
      replaceChunk(each, chunks - 1, bytes)
      restate(each, (metadata) => ({
        chunks: metadata.chunks.map((chunk, i) =>
          i === chunks - 1 ? { ...chunk, contentSize: 4 } : chunk,
        ),
      }))
    })
    await expectRefused(dir, /^chunk-0000\d\d does not decode: /)
  })

  test('without the code of an account, before the state store is complete', async () => {
    const dir = await rewrite(good.dir, newDir('code'), (items) => {
      const start = items.findIndex(isHeader('lockstep_bytecode'))
      const end = items.findIndex(isHeader('lockstep_app_hash'))
      return [...items.slice(0, start + 1), ...items.slice(end)]
    })
    const to = newDir('code')
    await expect(importInto(dir, to, SEPARATE, module)).rejects.toThrow(
      /^account 0x[0-9a-f]{40} has code 0x[0-9a-f]{64}, which is missing$/,
    )
    expect(() => refuseUnfinishedImport(to)).toThrow('is not finished')
  })
})

test.each(['evm', 'evm_flatkv', 'flatkv'])(
  'rows with the label %s are imported as the EVM state',
  async (label) => {
    const dir = await rewrite(
      good.dir,
      newDir('label'),
      replaceItem(isHeader('evm'), () => [{ kind: 'store', name: label }]),
    )
    const to = newDir('label')
    await importInto(dir, to, SEPARATE, module)
    const home = await SnapshotHome.open(to, SEPARATE, module)
    expect(Buffer.from(home.committer.appHash).toString('hex')).toBe(good.metadata.appHash)
    const held = ['account', 'code', 'storage', 'legacy'].map((name) =>
      existsSync(`${to}/evm_ss/${name}`),
    )
    expect(held).toEqual([true, true, true, true])
    const general = readdirSync(`${to}/pebbledb`).filter((name) => name.endsWith('.seg'))
    expect(general).toEqual([expect.stringMatching(/^modules-/)])
    await home.close()
  },
)

describe('the home for an import', () => {
  test('is refused if it has a chain', async () => {
    const to = newDir('chain')
    const home = await SnapshotHome.open(to, UNSPLIT, module)
    await home.close()
    await expect(importInto(good.dir, to, UNSPLIT, module)).rejects.toMatchObject({
      code: 'HOME_NOT_EMPTY',
      message: `${to} holds a chain already (${to}/wal): a snapshot is imported into an empty home`,
      hint: 'run `lockstep consensus unsafe-reset-all`, or use another --home',
    })
  })

  test('is refused with the remedy if the snapshot lies in the folder to be wiped', async () => {
    const to = `${root}/home`
    await expect(importInto(good.dir, to, SEPARATE, module)).rejects.toMatchObject({
      code: 'HOME_NOT_EMPTY',
      hint: `move ${good.dir} out of data, then run \`lockstep consensus unsafe-reset-all\``,
    })
  })

  test('with a part of one snapshot starts over with another', async () => {
    const to = newDir('half')
    const broken = damaged((each) => flipByte(chunkPath(each, 5), 10))
    await expect(importInto(broken, to, UNSPLIT, module)).rejects.toThrow('chunk-000005 is damaged')
    const relabel = replaceItem(isHeader('evm'), () => [{ kind: 'store', name: 'flatkv' }])
    const other = await rewrite(good.dir, newDir('half'), relabel)
    const steps: ImportStep[] = []
    const options = importOptions(other, to, UNSPLIT, module)
    await importSnapshot({ ...options, onStep: (step) => steps.push(step) })
    expect(steps[0]).toEqual({ kind: 'restarted', height: HEIGHT })
    const home = await SnapshotHome.open(to, UNSPLIT, module)
    expect(home.committer.version).toBe(HEIGHT)
    await home.close()
  })

  test('resumes after its imported chunks, once the next chunk is complete', async () => {
    const to = newDir('resume')
    const dir = damaged((each) => flipByte(chunkPath(each, 5), 10))
    await expect(importInto(dir, to, UNSPLIT, module)).rejects.toThrow('chunk-000005 is damaged')
    const steps: ImportStep[] = []
    const options = importOptions(good.dir, to, UNSPLIT, module)
    await importSnapshot({ ...options, onStep: (step) => steps.push(step) })
    expect(steps.slice(0, 2)).toEqual([
      { kind: 'resumed', chunks: 5 },
      { kind: 'chunk', chunks: 6, of: good.metadata.chunks.length },
    ])
    const home = await SnapshotHome.open(to, UNSPLIT, module)
    expect(Buffer.from(home.committer.appHash).toString('hex')).toBe(good.metadata.appHash)
    await home.close()
  })
})
