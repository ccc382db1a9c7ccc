import { keccak256 } from '../../hash/keccak'
import { MESSAGE, MESSAGE_SIZE } from '../../layout'
import { ERROR, LOG_COUNT, LOGS_AT } from '../context/outcome-layout'
import { LOG_HEADER } from '../state/log-records'

const BLOOM_SIZE: usize = 256
const ADDRESS: usize = 20
const TOPIC: usize = 32
/** The longest header of an item, its first byte included. */
const ITEM_HEADER: usize = 5
/** Most bytes of a receipt without its logs: type, header, status, gas, the bloom after its header. */
const FIXED: usize = 1 + ITEM_HEADER + 1 + 9 + 3 + BLOOM_SIZE

const STRING: u32 = 0x80
const LIST: u32 = 0xc0

/** Hash of an address or a topic. */
const ITEM_HASH: usize = memory.data(32)

/**
 * Cache of the last hashes of addresses and topics, at an index computed from the bytes: a token, its events and its
 * holders recur. An entry is 32 bytes of the item, the first 6 of its hash, its length (u16).
 */
const KNOWN_SIZE: usize = 40
const KNOWN: usize = memory.data(256 * 40, 16)

/**
 * Writes the consensus encoding of the receipt of the message that has ended, including its logs, and its hash to
 * `out`. The encoding is written from its end, so that the length of a list is known before its header. The latest
 * log lies first in memory and thus comes last. The encoding overwrites the message.
 * @returns the address of the bloom, 256 bytes; 0 if the logs do not fit
 */
export function writeReceipt(type: u32, cumulativeGas: u64, out: usize): usize {
  const end = MESSAGE + MESSAGE_SIZE
  let at = end
  let log: usize = load<u32>(LOGS_AT)
  const firstLog = log
  const logs = load<u32>(LOG_COUNT)
  for (let i: u32 = 0; i < logs; i++) {
    const topics: usize = load<u32>(log, 20)
    const length: usize = load<u32>(log, 24)
    const size = ADDRESS + topics * (1 + TOPIC) + length + 4 * ITEM_HEADER
    if (at < MESSAGE + FIXED + ITEM_HEADER + size) return 0
    at = putLog(at, log, topics, length)
    log += logSize(topics, length)
  }
  at = putHeader(at, LIST, end - at)

  at -= BLOOM_SIZE
  const bloom = at
  memory.fill(bloom, 0, BLOOM_SIZE)
  log = firstLog
  for (let i: u32 = 0; i < logs; i++) {
    const topics: usize = load<u32>(log, 20)
    addToBloom(bloom, log, ADDRESS)
    for (let topic: usize = 0; topic < topics; topic++) {
      addToBloom(bloom, log + LOG_HEADER + TOPIC * topic, TOPIC)
    }
    log += logSize(topics, load<u32>(log, 24))
  }
  at = putHeader(at, STRING, BLOOM_SIZE)

  at = putInteger(at, cumulativeGas)
  at = putInteger(at, load<u32>(ERROR) == 0 ? 1 : 0)
  at = putHeader(at, LIST, end - at)
  if (type != 0) store<u8>(--at, type)
  keccak256(at, (end - at) as u32, out)
  return bloom
}

function logSize(topics: usize, length: usize): usize {
  return LOG_HEADER + TOPIC * topics + ((length + 7) & ~7)
}

/** Each writer puts its item before `end` and returns the item's address. */
function putLog(end: usize, log: usize, topics: usize, length: usize): usize {
  const firstTopic = log + LOG_HEADER
  const data = firstTopic + TOPIC * topics
  let at = end - length
  memory.copy(at, data, length)
  if (length != 1 || load<u8>(data) >= 0x80) at = putHeader(at, STRING, length)
  const topicsEnd = at
  for (let topic = data; topic > firstTopic; ) {
    topic -= TOPIC
    at -= TOPIC
    memory.copy(at, topic, TOPIC)
    store<u8>(--at, STRING + TOPIC)
  }
  at = putHeader(at, LIST, topicsEnd - at)
  at -= ADDRESS
  memory.copy(at, log, ADDRESS)
  store<u8>(--at, STRING + ADDRESS)
  return putHeader(at, LIST, end - at)
}

/** Writes `value` in as few bytes as possible. */
function putInteger(end: usize, value: u64): usize {
  let at = end
  for (let rest = value; rest > 0; rest >>= 8) store<u8>(--at, rest)
  if (value != 0 && value < 0x80) return at
  return putHeader(at, STRING, end - at)
}

/** Writes the header of an item of `length` bytes. */
function putHeader(end: usize, kind: u32, length: usize): usize {
  let at = end
  if (length < 56) {
    store<u8>(--at, kind + (length as u32))
    return at
  }
  for (let rest = length; rest > 0; rest >>= 8) store<u8>(--at, rest)
  const size = (end - at) as u32
  store<u8>(--at, kind + 55 + size)
  return at
}

/** Sets the three bits of an address or a topic (yellow paper, section 4.3.1). */
function addToBloom(bloom: usize, item: usize, length: usize): void {
  let bits = hashStart(item, length)
  for (let i = 0; i < 3; i++) {
    const bit: usize = ((bits as usize & 0xff) << 8) | ((bits >> 8) as usize & 0xff)
    const at = bloom + BLOOM_SIZE - 1 - ((bit & 2047) >> 3)
    store<u8>(at, load<u8>(at) | ((1 as u8) << ((bit & 7) as u8)))
    bits >>= 16
  }
}

/** Returns the first six bytes of an item's hash, with its length in the last two. */
function hashStart(item: usize, length: usize): u64 {
  const isAddress = length == ADDRESS
  const word0 = load<u64>(item)
  const word1 = load<u64>(item, 8)
  const word2: u64 = isAddress ? (load<u32>(item, 16) as u64) : load<u64>(item, 16)
  const word3: u64 = isAddress ? 0 : load<u64>(item, 24)
  const mixed = (word0 ^ word1 ^ word2 ^ word3) * 0x9e3779b97f4a7c15
  const known = KNOWN + KNOWN_SIZE * ((mixed >> 56) as usize)
  const found = load<u64>(known, 32)
  if (
    found >> 48 == (length as u64) &&
    load<u64>(known) == word0 &&
    load<u64>(known, 8) == word1 &&
    load<u64>(known, 16) == word2 &&
    load<u64>(known, 24) == word3
  ) {
    return found
  }
  keccak256(item, length as u32, ITEM_HASH)
  const start = (load<u64>(ITEM_HASH) & 0xffffffffffff) | ((length as u64) << 48)
  store<u64>(known, word0)
  store<u64>(known, word1, 8)
  store<u64>(known, word2, 16)
  store<u64>(known, word3, 24)
  store<u64>(known, start, 32)
  return start
}
