import { CREATION } from '../../generated/message-flag'
import * as message from '../context/message-layout'
import {
  CREATED_ADDRESS,
  ERROR,
  GAS_USED,
  HAS_ADDRESS,
  LOG_COUNT,
  LOGS_AT,
} from '../context/outcome-layout'
import { LOG_HEADER } from '../state/log-records'

/**
 * Receipts and results in the bytes that the host stores: those of host/storage/store/codec/receipt-codec.ts, and
 * `ExecTxResult` as a field of CometBFT's `ResponseFinalizeBlock`. Both are those of the message that has ended.
 */
const SUCCEEDED: u32 = 0x08
const HAS_TO: u32 = 0x10
const HAS_CONTRACT: u32 = 0x20

const ADDRESS: usize = 20
const WORD: usize = 32
const BLOOM_SIZE: usize = 256

/** Integers as bytes, little-endian. */
const INTEGER: usize = memory.data(8)

/** Writes LEB128 and returns its end. */
function putUint(at: usize, value: u64): usize {
  while (value >= 0x80) {
    store<u8>(at++, u8(value) | 0x80)
    value >>= 7
  }
  store<u8>(at, u8(value))
  return at + 1
}

function uintSize(value: u64): usize {
  let size: usize = 1
  for (; value >= 0x80; value >>= 7) size++
  return size
}

/** Writes `size` bytes after their length. */
function putBytes(at: usize, bytes: usize, size: usize): usize {
  at = putUint(at, size)
  memory.copy(at, bytes, size)
  return at + size
}

/** Writes an integer of `width` bytes as its length in bytes, and the bytes, least significant first. */
function putBig(at: usize, integer: usize, width: usize): usize {
  let size = width
  while (size > 0 && load<u8>(integer + size - 1) == 0) size--
  return putBytes(at, integer, size)
}

function putInteger(at: usize, value: u64): usize {
  store<u64>(INTEGER, value)
  return putBig(at, INTEGER, 8)
}

/** Writes the logs in the order of emission. The latest lies first in memory, so they are written from the last. */
function putLogs(at: usize): usize {
  const count = load<u32>(LOG_COUNT)
  const first: usize = load<u32>(LOGS_AT)
  at = putUint(at, count)
  let size: usize = 0
  let log = first
  for (let i: u32 = 0; i < count; i++) {
    const topics: usize = load<u32>(log, 20)
    const length: usize = load<u32>(log, 24)
    size += 1 + ADDRESS + 1 + topics * (1 + WORD) + uintSize(length) + length
    log += LOG_HEADER + WORD * topics + ((length + 7) & ~7)
  }
  const end = at + size
  let to = end
  log = first
  for (let i: u32 = 0; i < count; i++) {
    const topics: usize = load<u32>(log, 20)
    const length: usize = load<u32>(log, 24)
    const data = log + LOG_HEADER + WORD * topics
    to -= 1 + ADDRESS + 1 + topics * (1 + WORD) + uintSize(length) + length
    let next = putBytes(to, log, ADDRESS)
    next = putUint(next, topics)
    for (let topic = log + LOG_HEADER; topic < data; topic += WORD) {
      next = putBytes(next, topic, WORD)
    }
    putBytes(next, data, length)
    log = data + ((length + 7) & ~7)
  }
  return end
}

/**
 * Writes the receipt and returns its end. `header` is the message's, whose own place the consensus encoding may have
 * overwritten; `price` is the word that the sender paid per unit of gas.
 */
export function putReceipt(
  at: usize,
  header: usize,
  hash: usize,
  price: usize,
  cumulativeGas: u64,
  bloom: usize,
): usize {
  const isCreation = (load<u32>(header, message.FLAGS - message.TYPE) & CREATION) != 0
  let flags = load<u32>(header)
  if (load<u32>(ERROR) == 0) flags |= SUCCEEDED
  if (!isCreation) flags |= HAS_TO
  else if (load<u32>(HAS_ADDRESS) != 0) flags |= HAS_CONTRACT
  store<u8>(at, u8(flags))
  at = putBytes(at + 1, hash, WORD)
  at = putBytes(at, header + (message.FROM - message.TYPE), ADDRESS)
  if (!isCreation) at = putBytes(at, header + (message.TO - message.TYPE), ADDRESS)
  else if ((flags & HAS_CONTRACT) != 0) at = putBytes(at, CREATED_ADDRESS, ADDRESS)
  at = putInteger(at, load<u64>(GAS_USED))
  at = putInteger(at, cumulativeGas)
  at = putBig(at, price, WORD)
  at = putLogs(at)
  return putBytes(at, bloom, load<u32>(LOG_COUNT) == 0 ? 0 : BLOOM_SIZE)
}

/** Writes the result with the hash of the receipt as its data, and returns its end. */
export function putResult(at: usize, receiptHash: usize, gasLimit: u64): usize {
  store<u8>(at, (2 << 3) | 2)
  const start = at + 2
  let end = start
  if (load<u32>(ERROR) != 0) {
    store<u8>(end, 1 << 3)
    store<u8>(end, 1, 1)
    end += 2
  }
  store<u8>(end, (2 << 3) | 2)
  end = putBytes(end + 1, receiptHash, WORD)
  end = putField(end, 5, gasLimit)
  end = putField(end, 6, load<u64>(GAS_USED))
  // 58 bytes at most
  store<u8>(at, u8(end - start), 1)
  return end
}

/** Proto3 omits an integer of zero. */
function putField(at: usize, field: u32, value: u64): usize {
  if (value == 0) return at
  store<u8>(at, u8(field << 3))
  return putUint(at + 1, value)
}
