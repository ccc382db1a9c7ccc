import type { Log } from '../chain-types/log.ts'
import type { EngineMemory } from './memory.ts'

// Log records in the engine's format (assembly/evm/state/log-records.ts), latest first. A header holds the address
// (20), topic count (4) and data size (4), little-endian, and padding. Then the topics, 32 each, and the data, padded
// to 8.

const HEADER = 32
const TOPIC = 32
const TOPICS = 20
const DATA_BYTES = 24
const NO_LOGS: readonly Log[] = []

function recordBytes(topicCount: number, dataSize: number): number {
  return HEADER + TOPIC * topicCount + ((dataSize + 7) & ~7)
}

/** Returns the bytes of the record at `at`. */
function sizeInMemory(memory: EngineMemory, at: number): number {
  return recordBytes(memory.u32(at + TOPICS), memory.u32(at + DATA_BYTES))
}

function u32(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8)
  return (low | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24)) >>> 0
}

/** Returns the log of the record at `at`, as views of the records. */
function viewLog(records: Uint8Array, at: number): Log {
  const dataAt = at + HEADER + TOPIC * u32(records, at + TOPICS)
  const topics: Uint8Array[] = []
  for (let topic = at + HEADER; topic < dataAt; topic += TOPIC) {
    topics.push(records.subarray(topic, topic + TOPIC))
  }
  return {
    address: records.subarray(at, at + 20),
    topics,
    data: records.subarray(dataAt, dataAt + u32(records, at + DATA_BYTES)),
  }
}

/** Returns the log of the record at `at` in an engine's memory. */
export function readLogRecord(memory: EngineMemory, at: number): Log {
  return viewLog(memory.copy(at, sizeInMemory(memory, at)), 0)
}

/** Returns the end address of `count` records that start at `at` in an engine's memory. */
export function recordsEnd(memory: EngineMemory, at: number, count: number): number {
  let end = at
  for (let i = 0; i < count; i++) end += sizeInMemory(memory, end)
  return end
}

/** Returns the offset of each record, in the order of emission. */
export function recordOffsets(records: Uint8Array): number[] {
  const offsets: number[] = []
  for (let at = 0; at < records.length; ) {
    offsets.push(at)
    at += recordBytes(u32(records, at + TOPICS), u32(records, at + DATA_BYTES))
  }
  return offsets.reverse()
}

/** Returns the logs in the order of emission, as views of their records. */
export function viewLogs(records: Uint8Array): readonly Log[] {
  if (records.length === 0) return NO_LOGS
  return recordOffsets(records).map((at) => viewLog(records, at))
}

/** Receives the encoded parts of a log. */
export interface LogWriter {
  /** An address, topic or data: `bytes` from `start` to `end`. */
  part(bytes: Uint8Array, start: number, end: number): void
  /** The number of topics. */
  uint(count: number): void
}

/** Writes the parts of the record at `at`: address, topic count, topics, data. */
export function writeRecord(records: Uint8Array, at: number, writer: LogWriter): void {
  const topicCount = u32(records, at + TOPICS)
  const dataAt = at + HEADER + TOPIC * topicCount
  writer.part(records, at, at + 20)
  writer.uint(topicCount)
  for (let topic = at + HEADER; topic < dataAt; topic += TOPIC) {
    writer.part(records, topic, topic + TOPIC)
  }
  writer.part(records, dataAt, dataAt + u32(records, at + DATA_BYTES))
}
