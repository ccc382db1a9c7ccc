import { BURN, LOG, MOVE, READ_ACCOUNT, READ_ROW, WRITE_ROW } from '../../generated/host-call'
import { HOST_WORDS } from '../../layout'
import { emitLog, isDrainDue, isLogging } from '../../trace/trace-buffer'
import { copyBytes } from '../../u256/bytes'
import { equalWords, isLess, readBytes, writeBytes } from '../../u256/word'
import { setExhausted } from '../machine/registers'
import {
  addBalance,
  BALANCE,
  CODE_HASH,
  NONCE,
  requireAccount,
  subtractBalance,
} from '../state/account'
import { journalMark } from '../state/journal'
import { addLogRecord, LOG_HEADER, logsStart } from '../state/log-records'
import { canLookUp, lookUp, lookUpSlot } from '../state/lookup'
import { requireSlot, setValue, VALUE } from '../state/slot'
import { IS_STATIC, top } from './frame'

/**
 * State operations by the host while it answers a precompile call, in the frame of the call. The journal records
 * them, so a revert undoes them. An operation is its kind (u32) and:
 *
 * read row: padding 4, address 20, padding 4, key 32; the result is the row, 32 bytes, zeros if absent. read account:
 * padding 4, address 20; the result is nonce 8, balance 32, code hash 32. write row: padding 4, address 20, padding
 * 4, key 32, value 32. log: topics u32, address 20, data size u32; the topics, 32 bytes each; the data. move: padding
 * 4, from 20, padding 4, to 20, padding 12, amount 32. burn: padding 4, from 20, padding 36, amount 32.
 *
 * Rows are slots; keys, values and amounts are big-endian.
 */
const ADDRESS: usize = 8
const DATA_SIZE: usize = 28
const KEY: usize = 32
const TO: usize = 32
const ROW_VALUE: usize = 64
const AMOUNT: usize = 64
const FIXED: i32 = 32

export const REFUSED: i32 = -1
/** A value must be read, or the trace drained, first. */
export const NOT_YET: i32 = 0
export const PERFORMED: i32 = 1

/** Returns the looked-up account of an operation, or 0 if the host must answer first. */
function accountAt(address: usize): usize {
  const account = requireAccount(address)
  if (account == 0 || !canLookUp(account)) return 0
  lookUp(account)
  return account
}

function slotAt(operation: usize): usize {
  const account = accountAt(operation + ADDRESS)
  if (account == 0) return 0
  readBytes(HOST_WORDS, operation + KEY)
  const slot = requireSlot(account, HOST_WORDS)
  if (slot != 0) lookUpSlot(slot)
  return slot
}

function writeRow(operation: usize): i32 {
  const slot = slotAt(operation)
  if (slot == 0) return NOT_YET
  readBytes(HOST_WORDS, operation + ROW_VALUE)
  if (!equalWords(slot + VALUE, HOST_WORDS)) setValue(slot, HOST_WORDS)
  return PERFORMED
}

function emit(operation: usize, length: i32): i32 {
  const topics: usize = load<u32>(operation, 4)
  const size: usize = load<u32>(operation, DATA_SIZE)
  if (topics > 4 || u64(FIXED) + 32 * u64(topics) + u64(size) != u64(length)) return REFUSED
  const recordSize = (LOG_HEADER + (topics << 5) + size + 7) & ~7
  if (journalMark() + recordSize > logsStart) {
    setExhausted(true)
    return PERFORMED
  }
  const record = addLogRecord(recordSize)
  copyBytes(record, operation + ADDRESS, 20)
  store<u32>(record, u32(topics), 20)
  store<u32>(record, u32(size), 24)
  copyBytes(record + LOG_HEADER, operation + FIXED, (topics << 5) + size)
  if (isLogging) emitLog(record, u32(recordSize))
  return PERFORMED
}

function moveOrBurn(operation: usize, isMove: bool): i32 {
  const from = accountAt(operation + ADDRESS)
  if (from == 0) return NOT_YET
  const to = isMove ? accountAt(operation + TO) : from
  if (to == 0) return NOT_YET
  readBytes(HOST_WORDS, operation + AMOUNT)
  if (isLess(from + BALANCE, HOST_WORDS)) return REFUSED
  subtractBalance(from, HOST_WORDS)
  if (isMove) addBalance(to, HOST_WORDS)
  return PERFORMED
}

/** Performs the operation of `length` bytes for the top frame. A read writes its result to `out`. */
export function performOperation(operation: usize, length: i32, out: usize): i32 {
  if (length < FIXED) return REFUSED
  if (isDrainDue()) return NOT_YET
  const kind = load<u32>(operation)
  if (kind >= WRITE_ROW && load<u32>(top, IS_STATIC) != 0) return REFUSED
  switch (kind) {
    case READ_ROW: {
      const slot = slotAt(operation)
      if (slot == 0) return NOT_YET
      writeBytes(out, slot + VALUE)
      return PERFORMED
    }
    case READ_ACCOUNT: {
      const account = accountAt(operation + ADDRESS)
      if (account == 0) return NOT_YET
      store<u64>(out, bswap(load<u64>(account, NONCE)))
      writeBytes(out + 8, account + BALANCE)
      copyBytes(out + 40, account + CODE_HASH, 32)
      return PERFORMED
    }
    case WRITE_ROW:
      return writeRow(operation)
    case LOG:
      return emit(operation, length)
    case MOVE:
    case BURN:
      return moveOrBurn(operation, kind == MOVE)
    default:
      return REFUSED
  }
}
