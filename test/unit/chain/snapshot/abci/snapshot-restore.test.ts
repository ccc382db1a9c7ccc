import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { LockstepError } from '../../../../../host/base/error.ts'
import type {
  AbciSnapshot,
  ApplyResult,
} from '../../../../../host/chain/consensus/abci/snapshot-port.ts'
import { SnapshotCatalog } from '../../../../../host/chain/snapshot/abci/snapshot-catalog.ts'
import {
  type SnapshotHome as RestoredHome,
  SnapshotRestore,
} from '../../../../../host/chain/snapshot/abci/snapshot-restore.ts'
import { importSnapshot } from '../../../../../host/chain/snapshot/import-snapshot.ts'
import { sealMetadata } from '../../../../../host/chain/snapshot/metadata.ts'
import type { ListedSnapshot } from '../../../../../host/chain/snapshot/snapshot-dir.ts'
import { CommitHasher } from '../../../../../host/storage/commit/hash/commit-hasher.ts'
import { buildCommitModule } from '../../../../support/engine/commit-module.ts'
import { genesis, RandomChain } from '../random-chain.ts'
import { chunkPath, copySnapshot, rewrite } from '../rewrite-snapshot.ts'
import { importOptions, makeDir, removeDir, SEPARATE, SnapshotHome } from '../snapshot-home.ts'

const HEIGHT = 40

const root = makeDir()
afterAll(() => removeDir(root))

let module: WebAssembly.Module
/** A folder with two snapshots of one chain; the later one has `HEIGHT`. */
let folder: string
let good: ListedSnapshot
let older: ListedSnapshot
beforeAll(async () => {
  module = new WebAssembly.Module(readFileSync(await buildCommitModule()))
  const hasher = new CommitHasher(module)
  const chain = new RandomChain(21, hasher)
  const home = await SnapshotHome.open(`${root}/home`, SEPARATE, module)
  await home.grow(chain, HEIGHT - 8)
  older = await home.exportUndecided(16 * 1024)
  await home.grow(chain, HEIGHT)
  await home.committer.close()
  good = await home.exportUndecided(16 * 1024)
  await home.storage.close()
  await home.decided.close()
  folder = `${root}/home/snapshots`
  expect(good.metadata.height).toBe(HEIGHT)
  expect(older.metadata.height).toBeLessThan(HEIGHT)
  expect(good.metadata.chunks.length).toBeGreaterThan(5)
})

/** Records the calls on a home. */
class RecordingHome implements RestoredHome {
  restored: string | undefined
  readonly did: string[] = []
  /** Error to throw in place of an import. */
  failure: unknown
  readonly #to: string

  constructor(to: string) {
    this.#to = to
  }

  async forget(): Promise<void> {
    this.did.push('forget')
    this.restored = undefined
  }

  async importFrom(dir: string, { hash, height }: ListedSnapshot['metadata']): Promise<void> {
    this.did.push(`import ${height}`)
    if (this.failure !== undefined) throw this.failure
    await importSnapshot({ ...importOptions(dir, this.#to, SEPARATE, module), underCometBft: true })
    this.restored = hash
  }

  async open(): Promise<void> {
    this.did.push('open')
  }
}

let count = 0
let home: RecordingHome
let arriving: string
let said: string[]
let port: SnapshotRestore

function newPort(): SnapshotRestore {
  return new SnapshotRestore({
    catalog: new SnapshotCatalog(`${root}/none`),
    chainId: genesis.consensusChainId,
    folder: arriving,
    home,
    report: {
      chosen: ({ height }) => said.push(`chosen ${height}`),
      arrived: (chunks, of) => said.push(`arrived ${chunks} of ${of}`),
      punished: (sender, reason) => said.push(`punished ${sender}: ${reason}`),
      refused: (height, reason) => said.push(`refused ${height}: ${reason}`),
    },
  })
}

beforeEach(() => {
  const dir = `${root}/to-${count++}`
  home = new RecordingHome(`${dir}/data`)
  arriving = `${dir}/arriving`
  mkdirSync(dir)
  said = []
  port = newPort()
})

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'))
}

/** Returns a snapshot as a peer with its folder offers it. */
function offered({ metadata }: ListedSnapshot): AbciSnapshot {
  return {
    height: metadata.height,
    format: metadata.format,
    chunks: metadata.chunks.length,
    hash: bytesOf(metadata.hash),
    metadata: new TextEncoder().encode(`${JSON.stringify(metadata, null, 2)}\n`),
  }
}

function offer(of: ListedSnapshot, change: Partial<AbciSnapshot> = {}): Promise<string> {
  const snapshot = { ...offered(of), ...change }
  return port.offer({ snapshot, appHash: bytesOf(of.metadata.appHash) })
}

function chunk(index: number, of = good): Uint8Array {
  return new Uint8Array(readFileSync(chunkPath(of.dir, index)))
}

function give(index: number, bytes = chunk(index), sender = 'alice'): Promise<ApplyResult> {
  return port.apply({ index, chunk: bytes, sender })
}

const ACCEPT = { result: 'accept', refetchChunks: [], rejectSenders: [] }

async function giveAll(of = good, from = 0): Promise<ApplyResult> {
  let last: ApplyResult = { result: 'abort', refetchChunks: [], rejectSenders: [] }
  for (let index = from; index < of.metadata.chunks.length; index++) {
    last = await give(index, chunk(index, of))
    if (last.result !== 'accept') return last
  }
  return last
}

describe('the snapshot folder', () => {
  test('is listed latest first, and its chunks are returned unchanged', async () => {
    const catalog = new SnapshotCatalog(folder)
    expect(catalog.list()).toEqual([offered(good), offered(older)])
    for (const index of good.metadata.chunks.keys()) {
      expect(new Uint8Array(await catalog.load(HEIGHT, 1, index))).toEqual(chunk(index))
    }
  })

  test('returns no chunk of another format, height or index', async () => {
    const catalog = new SnapshotCatalog(folder)
    const { length } = good.metadata.chunks
    for (const [height, format, index] of [
      [HEIGHT, 2, 0],
      [HEIGHT, 0, 0],
      [HEIGHT + 1, 1, 0],
      [HEIGHT, 1, length],
      [HEIGHT, 1, 4_294_967_295],
      [0, 1, 0],
    ] as const) {
      expect(await catalog.load(height, format, index)).toHaveLength(0)
    }
    expect(new SnapshotCatalog(`${root}/none`).list()).toEqual([])
  })

  test('is listed without unreadable and deleted snapshots', async () => {
    const copy = `${root}/copied`
    mkdirSync(copy)
    copySnapshot(good.dir, join(copy, String(HEIGHT)))
    copySnapshot(older.dir, join(copy, String(older.metadata.height)))
    const catalog = new SnapshotCatalog(copy)
    expect(catalog.list()).toHaveLength(2)
    rmSync(join(copy, String(HEIGHT), 'metadata.json'))
    expect(catalog.list()).toEqual([offered(older)])
    rmSync(chunkPath(join(copy, String(older.metadata.height)), 1))
    expect(await catalog.load(older.metadata.height, 1, 1)).toHaveLength(0)
    const still = await catalog.load(older.metadata.height, 1, 0)
    expect(new Uint8Array(still)).toEqual(chunk(0, older))
  })
})

describe('a snapshot offer', () => {
  test('of a snapshot with the proven app hash is accepted', async () => {
    expect(await offer(good)).toBe('accept')
    expect(said).toEqual([`chosen ${HEIGHT}`])
  })

  test('of another format rejects the format', async () => {
    expect(await offer(good, { format: 2 })).toBe('reject-format')
    expect(said).toEqual([`refused ${HEIGHT}: format 2 is unknown, only 1 is supported`])
  })

  test('of another chain rejects the snapshot', async () => {
    const metadata = sealMetadata({ ...good.metadata, chainId: 'other-1' })
    expect(await offer({ ...good, metadata })).toBe('reject')
    expect(said).toEqual([`refused ${HEIGHT}: it is of chain other-1, not of 31337`])
  })

  test('with an app hash other than the proven one rejects the sender', async () => {
    const appHash = bytesOf('ab'.repeat(32))
    expect(await port.offer({ snapshot: offered(good), appHash })).toBe('reject-sender')
    expect(said[0]).toMatch(/its app hash is [0-9a-f]{64}, but that of the chain is (ab){32}$/)
  })

  test('whose metadata does not match its hash rejects the sender', async () => {
    const { metadata } = offered(good)
    for (const change of [
      { hash: bytesOf('00'.repeat(32)) },
      { hash: new Uint8Array(0) },
      { height: HEIGHT + 1 },
      { chunks: 1 },
      { metadata: new Uint8Array(0) },
      { metadata: metadata.slice(0, -20) },
      { metadata: new TextEncoder().encode('null') },
      { metadata: metadata.map((byte) => byte ^ 0x80) },
    ]) {
      expect(await offer(good, change)).toBe('reject-sender')
    }
    expect(home.did).toEqual([])
    expect(existsSync(arriving)).toBe(false)
  })
})

describe('snapshot chunks', () => {
  test('are imported into a home, which is opened before the last is answered', async () => {
    await offer(good)
    expect(await giveAll()).toEqual(ACCEPT)
    expect(home.did).toEqual([`import ${HEIGHT}`, 'open'])
    expect(existsSync(arriving)).toBe(false)
  })

  test('that are invalid are fetched again from other peers', async () => {
    await offer(good)
    const bad = chunk(1)
    bad[7] = (bad[7] as number) ^ 1
    expect(await give(0)).toEqual(ACCEPT)
    for (const bytes of [bad, chunk(1).slice(0, 50), new Uint8Array(0), chunk(2)]) {
      expect(await give(1, bytes, 'mallory')).toEqual({
        result: 'retry',
        refetchChunks: [1],
        rejectSenders: ['mallory'],
      })
    }
    expect(said.at(-1)).toBe(
      `punished mallory: chunk 1 of height ${HEIGHT} differs from the one offered`,
    )
    expect(await giveAll(good, 1)).toEqual(ACCEPT)
    expect(home.did).toEqual([`import ${HEIGHT}`, 'open'])
  })

  test('that are repeated or were never offered change nothing', async () => {
    await offer(good)
    expect(await give(0)).toEqual(ACCEPT)
    expect(await give(0)).toEqual(ACCEPT)
    const beyond = good.metadata.chunks.length
    expect((await give(beyond, chunk(0))).result).toBe('retry')
    expect(home.did).toEqual([])
    expect(await giveAll(good, 1)).toEqual(ACCEPT)
  })

  test('that arrive before any offer are refused', async () => {
    expect((await give(0)).result).toBe('reject-snapshot')
  })

  test('that arrived before a kill are kept, and those of other snapshots are deleted', async () => {
    await offer(older)
    await give(0, chunk(0, older))
    await offer(good)
    expect(readdirSync(arriving)).toEqual([])
    for (const index of [0, 1, 2]) await give(index)
    port = newPort()
    await offer(good)
    const [dir = ''] = readdirSync(arriving)
    expect(readdirSync(join(arriving, dir)).sort()).toEqual([
      'chunk-000000',
      'chunk-000001',
      'chunk-000002',
      'metadata.json',
    ])
    expect(await giveAll()).toEqual(ACCEPT)
    expect(home.did).toEqual([`import ${HEIGHT}`, 'open'])
  })
})

describe('a snapshot import', () => {
  test('of an invalid snapshot rejects it, now and when it is offered again', async () => {
    const dir = await rewrite(good.dir, `${root}/false-${count}`, (items) =>
      items.filter((item, i) => items[i - 1]?.kind !== 'store' || item.kind !== 'node'),
    )
    const text = readFileSync(join(dir, 'metadata.json'), 'utf8')
    const lie: ListedSnapshot = { dir, metadata: JSON.parse(text) }
    expect(await offer(lie)).toBe('accept')
    expect((await giveAll(lie)).result).toBe('reject-snapshot')
    expect(home.did).toEqual([`import ${HEIGHT}`])
    expect(readdirSync(arriving)).toEqual([])
    expect(await offer(lie)).toBe('reject')
    expect(await offer(good)).toBe('accept')
    expect(await giveAll()).toEqual(ACCEPT)
    expect(home.did).toEqual([`import ${HEIGHT}`, `import ${HEIGHT}`, 'open'])
  })

  test('without enough disk space fails and keeps its chunks', async () => {
    home.failure = new LockstepError('STORE_FULL', 'disk full')
    await offer(good)
    await expect(giveAll()).rejects.toMatchObject({ code: 'STORE_FULL' })
    const [dir = ''] = readdirSync(arriving)
    expect(readdirSync(join(arriving, dir))).toHaveLength(good.metadata.chunks.length + 1)
    home.failure = undefined
    port = newPort()
    await offer(good)
    expect(await giveAll()).toEqual(ACCEPT)
  })

  test('that is complete is not repeated if CometBFT did not receive the answer', async () => {
    home.restored = good.metadata.hash
    expect(await offer(good)).toBe('accept')
    expect((await give(0, chunk(1))).result).toBe('retry')
    expect(await giveAll()).toEqual(ACCEPT)
    expect(home.did).toEqual(['open'])
    expect(existsSync(arriving)).toBe(false)
  })

  test('that CometBFT abandoned makes room for the next', async () => {
    home.restored = older.metadata.hash
    expect(await offer(good)).toBe('accept')
    expect(await giveAll()).toEqual(ACCEPT)
    expect(home.did).toEqual(['forget', `import ${HEIGHT}`, 'open'])
  })

  test('continues while CometBFT restarts, and the next offer waits for it', async () => {
    await offer(good)
    const { length } = good.metadata.chunks
    for (let index = 0; index < length - 1; index++) await give(index)
    const last = give(length - 1)
    const again = offer(good)
    expect(await last).toEqual(ACCEPT)
    expect(await again).toBe('accept')
    expect(await giveAll()).toEqual(ACCEPT)
    expect(home.did).toEqual([`import ${HEIGHT}`, 'open'])
  })

  test('is not replaced once its chain is served', async () => {
    await offer(older)
    await giveAll(older)
    await expect(offer(good)).rejects.toMatchObject({
      code: 'CONSENSUS_FAILURE',
      message: `CometBFT offers a snapshot of height ${HEIGHT}, but this node already has a chain`,
    })
    expect(home.did).toEqual([`import ${older.metadata.height}`, 'open'])
  })
})
