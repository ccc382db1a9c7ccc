import type { Log } from '../chain-types/log.ts'
import type { EngineMemory } from './memory.ts'

// Logs as the engine leaves them (assembly/evm/state/log-records.ts), the newest first: address 20, number of topics 4
// and bytes of data 4, little endian, padding; the topics, 32 each; the data, padded to 8.

const HEADER = 32
const TOPIC = 32
const TOPICS = 20
const DATA_BYTES = 24
const NO_LOGS: readonly Log[] = []

function recordBytes(topicCount: number, dataSize: number): number {
  return HEADER + TOPIC * topicCount + ((dataSize + 7) & ~7)
}

/** Bytes of the record at `at`. */
function sizeInMemory(memory: EngineMemory, at: number): number {
  return recordBytes(memory.u32(at + TOPICS), memory.u32(at + DATA_BYTES))
}

function u32(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8)
  return (low | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24)) >>> 0
}

/** The log whose record is at `at`; its bytes are views of the records. */
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

/** The log in the record at `at` of an engine's memory. */
export function readLog(memory: EngineMemory, at: number): Log {
  return viewLog(memory.copy(at, sizeInMemory(memory, at)), 0)
}

/** Where so many records end, the first of which is at `at` of an engine's memory. */
export function recordsEnd(memory: EngineMemory, at: number, count: number): number {
  let end = at
  for (let i = 0; i < count; i++) end += sizeInMemory(memory, end)
  return end
}

/** Where each record begins, in the order of emission. */
export function recordOffsets(records: Uint8Array): number[] {
  const offsets: number[] = []
  for (let at = 0; at < records.length; ) {
    offsets.push(at)
    at += recordBytes(u32(records, at + TOPICS), u32(records, at + DATA_BYTES))
  }
  return offsets.reverse()
}

/** Logs in the order of emission: views of their records. */
export function viewLogs(records: Uint8Array): readonly Log[] {
  if (records.length === 0) return NO_LOGS
  return recordOffsets(records).map((at) => viewLog(records, at))
}

/** Takes the parts of a log as they lie. */
export interface LogWriter {
  /** Address, topic or data: the bytes from `start` up to `end`. */
  part(bytes: Uint8Array, start: number, end: number): void
  /** The number of topics. */
  uint(count: number): void
}

/** Writes the parts of the record at `at`: address, number of topics, topics, data. */
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
