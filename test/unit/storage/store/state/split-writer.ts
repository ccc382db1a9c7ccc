/**
 * Appends the blocks of a seed until it is killed. Runs as a child process: `split-writer.ts <json>` with a
 * `SplitWriterTask`. It waits for a byte on stdin, opens the storage and prints what it finds. Then it prints each
 * acknowledged height, and the begin (`>`) and end (`<`) of every call that writes to disk. Lines are written
 * synchronously, so that every printed step has happened.
 */
import { readFileSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { LmdbCommitter, openCommitter } from '../../../../../host/storage/commit/lmdb-committer.ts'
import type { NodeStorage } from '../../../../../host/storage/store/node-storage.ts'
import { openStorage } from '../../../../../host/storage/store/open-storage.ts'
import { SegmentDatabase } from '../../../../../host/storage/store/segment/segment-database.ts'
import type { StorageOptions } from '../../../../../host/storage/store/storage-options.ts'
import { StoreThread } from '../../../../../host/storage/store/thread/store-thread.ts'
import { WriteAheadLog } from '../../../../../host/storage/store/wal/write-ahead-log.ts'
import { codeHashes, splitBlock } from './split-blocks.ts'
import { digestAt, readsOf } from './state-answers.ts'

export interface SplitWriterTask {
  readonly seed: number
  readonly options: StorageOptions
  /** Path of commit.wasm. */
  readonly wasm: string
  /** Number of blocks after which it waits to be killed; unlimited if absent. */
  readonly blocks?: number
}

const {
  seed,
  options,
  wasm,
  blocks = Number.POSITIVE_INFINITY,
} = JSON.parse(process.argv[2] ?? '') as SplitWriterTask

/** Start byte that asks for a flush and compaction of the replayed blocks before the first append. */
const SETTLE = 0x73

const sleeping = new Int32Array(new SharedArrayBuffer(4))

/** Writes a line and returns after all of it is written, even if the reader of the pipe lags behind. */
function say(line: string): void {
  let rest = Buffer.from(`${line}\n`)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EAGAIN') throw thrown
      Atomics.wait(sleeping, 0, 0, 1)
    }
  }
}

type Method = (...args: unknown[]) => unknown

/** Prints the begin and end of every call of a method, with the phase that `phaseOf` derives from its first argument. */
function watch<Class extends object>(
  prototype: Class,
  name: keyof Class,
  phaseOf: (argument: unknown) => string,
): void {
  const method = prototype[name] as Method
  const watched = function (this: unknown, ...args: unknown[]): unknown {
    const phase = phaseOf(args[0])
    say(`> ${phase}`)
    const result = method.apply(this, args)
    if (result instanceof Promise) return result.finally(() => say(`< ${phase}`))
    say(`< ${phase}`)
    return result
  }
  prototype[name] = watched as Class[keyof Class]
}

watch(WriteAheadLog.prototype, 'append', () => 'wal')
watch(WriteAheadLog.prototype, 'raisePruneHeight', () => 'prune')
let isThreadUp = false
watch(StoreThread.prototype, 'run', (work) => {
  const { kind } = work as { kind: string }
  // The first call includes the start of the thread
  const phase = isThreadUp ? kind : 'thread'
  isThreadUp = true
  return phase
})
watch(SegmentDatabase.prototype, 'install', () => 'install')
watch(SegmentDatabase.prototype, 'replace', () => 'replace')
watch(SegmentDatabase.prototype, 'raise', () => 'prune')
watch(LmdbCommitter.prototype, 'commit', () => 'commit')

/** Returns the heights whose block, receipts or index differ from what was appended. */
function wrongBlocks({ chain, state }: NodeStorage): number[] {
  const wrong: number[] = []
  for (let height = Math.max(0, state.earliest - 1); height <= chain.latest; height++) {
    const { block, receipts, transactionHashes } = splitBlock(seed, height).executed
    const hash = transactionHashes[0]
    const isRight =
      isDeepStrictEqual(chain.block(height), block) &&
      isDeepStrictEqual(chain.receipts(height), receipts) &&
      chain.heightOf(block.header.hash) === height &&
      (hash === undefined || isDeepStrictEqual(chain.locate(hash), { height, index: 0 }))
    if (!isRight) wrong.push(height)
  }
  return wrong
}

/** Returns all heights in some processes, and in others the latest, the prune height and one in between. */
function heightsToRead(earliest: number, latest: number): number[] {
  const all = Array.from({ length: latest - earliest + 1 }, (_, i) => earliest + i)
  const between = earliest + (latest % (all.length + 1))
  return latest % 6 === 0 ? all : all.filter((each) => [earliest, between, latest].includes(each))
}

say('ready')
const start = new Uint8Array(1)
readSync(0, start)
say('> open')
const storage = await openStorage(options)
say('< open')
const { state, chain } = storage
const digests = heightsToRead(Math.max(0, state.earliest), state.latest).map(
  (height) => [height, digestAt(readsOf(state), height, codeHashes(seed, height))] as const,
)
const committer = await openCommitter({
  dir: join(options.dir, 'committer.db'),
  module: new WebAssembly.Module(readFileSync(wasm)),
})
for (const missing of storage.changesets(committer.version + 1)) {
  await committer.stage(missing)
  await committer.commit()
}
const found: SplitWriterReport = {
  latest: [chain.latest, state.latest, committer.version],
  earliest: state.earliest,
  digests,
  wrongBlocks: wrongBlocks(storage),
  appHash: Buffer.from(committer.appHash).toString('hex'),
  cutBytes: storage.startup.cutBytes,
}
say(`found ${JSON.stringify(found)}`)
if (start[0] === SETTLE) await storage.settle()
for (let height = chain.latest + 1; height < blocks; height++) {
  const record = splitBlock(seed, height)
  const appHash = await committer.stage(record.changeset)
  await storage.append(record)
  say(`acknowledged ${height} ${Buffer.from(appHash).toString('hex')}`)
  await committer.commit()
  await new Promise((resolve) => setImmediate(resolve))
}
setInterval(() => {}, 1000)

/** What a process finds when it opens the storage. */
export interface SplitWriterReport {
  /** Latest heights of the chain, of both members of the state, and of the state commit. */
  readonly latest: readonly number[]
  readonly earliest: number
  /** Heights, each with the digest of its answers. */
  readonly digests: readonly (readonly [number, string])[]
  readonly wrongBlocks: readonly number[]
  readonly appHash: string
  readonly cutBytes: number
}
