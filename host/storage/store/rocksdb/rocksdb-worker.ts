import { toPlainError } from '../../../base/plain-error.ts'
import { startTimer } from '../../../base/timer.ts'
import { sendNote, serveWork } from '../../../base/worker/serve-work.ts'
import { yieldToEventLoop } from '../../../base/yield-to-event-loop.ts'
import { decodeChangeset } from '../codec/changeset-codec.ts'
import { decodeRecord } from '../codec/record-codec.ts'
import { readWalRecord } from '../wal/write-ahead-log.ts'
import type { WriterReport, WriterTask } from './rocksdb-messages.ts'
import { loadRocks } from './rocksdb-module.ts'
import { RocksPruner } from './rocksdb-pruner.ts'
import { RocksWriter } from './rocksdb-writer.ts'

// The thread that writes to the databases that the main thread has opened and reads.

type OpenTask = Extract<WriterTask, { kind: 'open' }>
type WriteTask = Extract<WriterTask, { kind: 'write' }>

/** After a slice, pruning pauses for this many times the slice's duration. */
const REST = 4

/** A database as this thread knows it. */
interface Target {
  readonly writer: RocksWriter
  readonly pruner: RocksPruner
  /** True if pruning it failed and was reported. */
  isGivenUp: boolean
}

const { RocksLevel } = loadRocks()
const targets = new Map<number, Target>()
let isPruning = false

function targetOf(database: number): Target {
  const target = targets.get(database)
  if (target === undefined) throw new Error(`database ${database} is not open in this thread`)
  return target
}

const report = sendNote<WriterReport>

async function open({ database, dir, handle, tables }: OpenTask): Promise<void> {
  const level = new RocksLevel(handle, {})
  await level.open()
  const writer = new RocksWriter(dir, level, tables)
  const pruner = new RocksPruner(dir, level, writer, tables)
  targets.set(database, { writer, pruner, isGivenUp: false })
}

async function write(task: WriteTask): Promise<void> {
  for (const location of task.records) {
    const { height } = location
    const record = decodeRecord(height, readWalRecord(location))
    const changeset = decodeChangeset(record.changeset)
    for (const { database, above } of task.targets) {
      if (height > above) targetOf(database).writer.write(changeset)
    }
    await yieldToEventLoop()
  }
}

/** @returns milliseconds that the slice took; undefined if nothing is left in any database. */
function pruneSlice(): number | undefined {
  for (const [database, target] of targets) {
    const start = performance.now()
    try {
      if (target.isGivenUp || !target.pruner.step()) continue
      report({ database, counts: target.writer.counts })
    } catch (thrown) {
      target.isGivenUp = true
      report({ database, error: toPlainError(thrown) })
    }
    return performance.now() - start
  }
  return undefined
}

function pruneBeside(): void {
  const spent = pruneSlice()
  isPruning = spent !== undefined
  if (spent !== undefined) startTimer(pruneBeside, REST * spent)
}

async function run(task: WriterTask): Promise<void> {
  switch (task.kind) {
    case 'open':
      return open(task)
    case 'write':
      return write(task)
    case 'mark': {
      const { writer } = targetOf(task.database)
      writer.mark(task.heights)
      return report({ database: task.database, counts: writer.counts })
    }
    case 'prune':
      targetOf(task.database).pruner.raise(task.pruneHeight)
      if (!isPruning) pruneBeside()
      return
    case 'settle':
      while (pruneSlice() !== undefined);
      return
    case 'release':
      targetOf(task.database).writer.close()
      targets.delete(task.database)
      return
  }
}

serveWork(run)
