import { OUT_OF_GAS, WRITE_PROTECTION } from '../../generated/fault'
import { LOG_BYTE, LOG_TOPIC } from '../../generated/gas'
import * as op from '../../generated/opcode'
import { AMSTERDAM } from '../../generated/revision'
import { emitLog, isDrainDue, isLogging } from '../../trace/trace-buffer'
import { copyAddress, copyBytes } from '../../u256/bytes'
import { isZero, saturate, writeBytes } from '../../u256/word'
import { IS_STATIC, SELF, top } from '../frame/frame'
import { failWith } from '../machine/ending'
import { growMemory, rangeAt } from '../machine/memory'
import { gas, setExhausted, setGas, setSp, sp } from '../machine/registers'
import { revision } from '../revision'
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

/** Address 0xff...fe, which emits the logs of transfers (EIP-7708). */
const TRANSFER_EMITTER: usize = memory.data<u8>([
  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
  0xff, 0xff, 0xff, 0xfe,
])
/** Keccak-256 of Transfer(address,address,uint256). */
const TRANSFER_EVENT: usize = memory.data<u8>([
  0xdd, 0xf2, 0x52, 0xad, 0x1b, 0xe2, 0xc8, 0x9b, 0x69, 0xc2, 0xb0, 0x68, 0xfc, 0x37, 0x8d, 0xaa,
  0x95, 0x2b, 0xa7, 0xf1, 0x63, 0xc4, 0xa1, 0x16, 0x28, 0xf5, 0x5a, 0x4d, 0xf5, 0x23, 0xb3, 0xef,
])
const TRANSFER_SIZE: usize = LOG_HEADER + 4 * 32

/** Logs a transfer of ether between two accounts (EIP-7708), in the frame that the transfer belongs to. */
export function logTransfer(from: usize, to: usize, amount: usize): void {
  if (revision < AMSTERDAM || from == to || isZero(amount)) return
  if (journalMark() + TRANSFER_SIZE > logsStart) return setExhausted(true)
  const record = addLogRecord(TRANSFER_SIZE)
  const topics = record + LOG_HEADER
  copyAddress(record, TRANSFER_EMITTER)
  store<u32>(record, 3, 20)
  store<u32>(record, 32, 24)
  memory.copy(topics, TRANSFER_EVENT, 32)
  memory.fill(topics + 32, 0, 64)
  copyAddress(topics + 32 + 12, from)
  copyAddress(topics + 64 + 12, to)
  writeBytes(topics + 96, amount)
  if (isLogging) emitLog(record, u32(TRANSFER_SIZE))
}
