import { LOGS_END } from '../../layout'

/**
 * The transaction's logs, the latest at the lowest address: address 20, topics (u32), data length (u32), padding 4;
 * the topics, 32 big-endian bytes each; the data, padded to 8. All padding is zeros.
 */
export const LOG_HEADER: usize = 32

export let logsStart: usize = LOGS_END
export let logCount: u32 = 0

export function resetLogs(start: usize, count: u32): void {
  logsStart = start
  logCount = count
}

/** Returns the address of a new record of `size` bytes, with its padding set. The caller has checked that it fits. */
export function addLogRecord(size: usize): usize {
  logsStart -= size
  logCount++
  // The host copies whole records, so the padding must not leak what the engine did before.
  store<u64>(logsStart, 0, 24)
  store<u64>(logsStart + size - 8, 0)
  return logsStart
}
