import { OUT_OF_GAS, WRITE_PROTECTION } from '../../generated/fault'
import { LOG_BYTE, LOG_TOPIC } from '../../generated/gas'
import * as op from '../../generated/opcode'
import { emitLog, isDrainDue, isLogging } from '../../trace/trace-buffer'
import { copyAddress, copyBytes } from '../../u256/bytes'
import { saturate, writeBytes } from '../../u256/word'
import { IS_STATIC, SELF, top } from '../frame/frame'
import { failWith } from '../machine/ending'
import { growMemory, rangeAt } from '../machine/memory'
import { gas, setExhausted, setGas, setSp, sp } from '../machine/registers'
import { DRAIN, NEXT } from '../signal'
import { journalMark } from '../state/journal'
import { addLogRecord, LOG_HEADER, logsStart } from '../state/log-records'

/** LOG0 to LOG4. */
export function log(topics: u32): i32 {
  const offset = saturate(sp)
  const size = saturate(sp - 32)
  let left = growMemory(gas, offset, size)
  if (left < 0) return failWith(OUT_OF_GAS)
  left -= i64(u64(op.LOG0_GAS) + LOG_TOPIC * u64(topics) + LOG_BYTE * size)
  if (left < 0) return failWith(OUT_OF_GAS)
  if (load<u32>(top, IS_STATIC) != 0) return failWith(WRITE_PROTECTION)

  const recordSize = (LOG_HEADER + (usize(topics) << 5) + usize(size) + 7) & ~7
  if (journalMark() + recordSize > logsStart) {
    setExhausted(true)
    return NEXT
  }
  const record = addLogRecord(recordSize)
  const data = record + LOG_HEADER + (usize(topics) << 5)
  copyAddress(record, load<u32>(top, SELF))
  store<u32>(record, topics, 20)
  store<u32>(record, u32(size), 24)
  for (let i: usize = 0; i < topics; i++)
    writeBytes(record + LOG_HEADER + (i << 5), sp - 64 - (i << 5))
  copyBytes(data, rangeAt(offset, size), usize(size))
  if (isLogging) emitLog(record, u32(recordSize))
  setGas(left)
  setSp(sp - 64 - (usize(topics) << 5))
  return isDrainDue() ? DRAIN : NEXT
}
