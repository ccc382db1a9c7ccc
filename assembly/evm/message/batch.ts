import { SKIP_SENDER_CHECKS } from '../../generated/message-flag'
import { SENDER_HAS_CODE } from '../../generated/rejection'
import { DONE } from '../../generated/status'
import { BATCH, BATCH_RESULTS } from '../../layout'
import { copyWord } from '../../u256/word'
import { GAS_LIMIT } from '../context/block'
import * as message from '../context/message-layout'
import { GAS_USED, LOG_COUNT, REJECTION } from '../context/outcome-layout'
import { exhausted, setExhausted } from '../machine/registers'
import { computeGasPrice } from './fee'
import { beginMessage, holdEffects, runMessage } from './message'
import { writeReceipt } from './receipt'
import { putReceipt, putResult } from './stored-receipt'

/**
 * Runs transactions of a block one after another, and writes what the block keeps of each as the bytes that the host
 * stores. The host writes them to BATCH, as records: bytes of the record (u32), flags (u32), hash of the transaction
 * (32), padding 24, and the message (context/message-layout.ts) with its variable parts, whose addresses count from
 * the start of the record.
 */
const RECORD_HASH: usize = 8
const RECORD_MESSAGE: usize = 64
/** The sender may have code: an impersonated account of a development chain. */
const MAY_HAVE_CODE: u32 = 1

/** Most transactions of a batch. */
const MOST: usize = 256

/**
 * Results. The counts: transactions done, included ones, bytes of results and of receipts (u32 each), and the gas that
 * the block has used (u64). Then the bloom of the block, a row for each transaction, and three parts for the included
 * ones: hashes, results, receipts.
 */
const DONE_COUNT: usize = BATCH_RESULTS
const INCLUDED_COUNT: usize = BATCH_RESULTS + 4
const RESULT_BYTES: usize = BATCH_RESULTS + 8
const RECEIPT_BYTES: usize = BATCH_RESULTS + 12
const BLOCK_GAS: usize = BATCH_RESULTS + 16
const BLOCK_BLOOM: usize = BATCH_RESULTS + 64
/** The rejection of each transaction, BLOCK_FULL, or 0 if it is included. */
const EXCLUSIONS: usize = BLOCK_BLOOM + 256
const HASHES: usize = EXCLUSIONS + 4 * MOST
const RESULTS: usize = HASHES + 32 * MOST
const RECEIPTS: usize = RESULTS + 64 * MOST

/** The gas limit exceeds what the block has left. */
const BLOCK_FULL: u32 = 255

const RECEIPT_HASH: usize = memory.data(32)
const PRICE: usize = memory.data(32)

/** The record that runs, and the number of those after it. */
let record: usize = BATCH
let left: u32 = 0
let isRunning: bool = false
/** Ends of the parts. */
let resultsEnd: usize = RESULTS
let receiptsEnd: usize = RECEIPTS

/** A batch has begun and has not ended. */
export let isBatch: bool = false

/** Forgets the gas and the bloom of the block before. */
export function beginBatches(): void {
  endBatch()
  store<u64>(BLOCK_GAS, 0)
  memory.fill(BLOCK_BLOOM, 0, 256)
}

/** Begins the batch of `count` records at BATCH. */
export function beginBatch(count: u32): void {
  store<u64>(DONE_COUNT, 0)
  store<u64>(RESULT_BYTES, 0)
  resultsEnd = RESULTS
  receiptsEnd = RECEIPTS
  record = BATCH
  left = count
  isRunning = false
  isBatch = true
  setExhausted(false)
}

/** Ends the batch. What its transactions have done remains, except for the running one. */
export function endBatch(): void {
  isBatch = false
  isRunning = false
  holdEffects(false)
}

/** Continues the batch until it is done or the host is needed, and returns a status. */
export function runBatch(fuel: i32): i32 {
  while (true) {
    if (!isRunning && !beginRecord()) {
      endBatch()
      return DONE
    }
    const status = runMessage(fuel)
    if (status != DONE) return status
    if (exhausted || !endRecord()) return DONE
  }
}

/** Begins the next transaction that the block has gas for. Returns false if there is none. */
function beginRecord(): bool {
  for (; left > 0; exclude(BLOCK_FULL)) {
    if (gasLimit() > load<u64>(GAS_LIMIT) - load<u64>(BLOCK_GAS)) continue
    openRecord()
    beginMessage()
    holdEffects(true)
    isRunning = true
    return true
  }
  return false
}

function gasLimit(): u64 {
  return load<u64>(record + RECORD_MESSAGE + (message.GAS - message.TYPE))
}

function openRecord(): void {
  memory.copy(message.TYPE, record + RECORD_MESSAGE, message.HEADER_SIZE)
  relocate(message.ACCESS_AT)
  relocate(message.AUTHORIZATIONS_AT)
  relocate(message.BLOBS_AT)
  relocate(message.DATA_AT)
}

function relocate(field: usize): void {
  store<u32>(field, load<u32>(field) + u32(record))
}

/** Ends the transaction whose run has ended. Returns false if its logs do not fit, and then it has no effect. */
function endRecord(): bool {
  const rejection = load<u32>(REJECTION)
  if (rejection != 0) {
    const mayHaveCode = (load<u32>(record, 4) & MAY_HAVE_CODE) != 0
    if (rejection == SENDER_HAS_CODE && mayHaveCode) {
      // The nonce has been checked, and so has the gas of the block
      store<u32>(message.FLAGS, load<u32>(message.FLAGS) | SKIP_SENDER_CHECKS)
      beginMessage()
      return true
    }
    isRunning = false
    exclude(rejection)
    return true
  }
  const fits = include(load<u64>(BLOCK_GAS) + load<u64>(GAS_USED))
  // The receipt may have overwritten the header
  openRecord()
  if (!fits) {
    setExhausted(true)
    return false
  }
  // Commits the effects, which were held until the receipt was known to fit
  runMessage(0)
  isRunning = false
  exclude(0)
  return true
}

/** Includes the transaction at BATCH, whose read/write set was applied. Returns false if its logs do not fit. */
export function includeApplied(): bool {
  beginBatch(1)
  isBatch = false
  openRecord()
  computeGasPrice()
  if (!include(load<u64>(BLOCK_GAS) + load<u64>(GAS_USED))) return false
  exclude(0)
  return true
}

/** Writes the results of the ended message. Returns false if its logs do not fit. */
function include(gas: u64): bool {
  copyWord(PRICE, message.GAS_PRICE)
  const header = record + RECORD_MESSAGE
  const bloom = writeReceipt(load<u32>(header), gas, RECEIPT_HASH)
  if (bloom == 0) return false
  if (load<u32>(LOG_COUNT) != 0) uniteBloom(bloom)
  const hash = record + RECORD_HASH
  const included: usize = load<u32>(INCLUDED_COUNT)
  memory.copy(HASHES + 32 * included, hash, 32)
  resultsEnd = putResult(resultsEnd, RECEIPT_HASH, gasLimit())
  receiptsEnd = putReceipt(receiptsEnd, header, hash, PRICE, gas, bloom)
  store<u64>(BLOCK_GAS, gas)
  store<u32>(INCLUDED_COUNT, u32(included + 1))
  store<u32>(RESULT_BYTES, u32(resultsEnd - RESULTS))
  store<u32>(RECEIPT_BYTES, u32(receiptsEnd - RECEIPTS))
  return true
}

function uniteBloom(bloom: usize): void {
  for (let i: usize = 0; i < 256; i += 16) {
    v128.store(BLOCK_BLOOM + i, v128.or(v128.load(BLOCK_BLOOM + i), v128.load(bloom + i)))
  }
}

/** Writes why the transaction is excluded, or 0, and moves to the next one. */
function exclude(reason: u32): void {
  const done: usize = load<u32>(DONE_COUNT)
  store<u32>(EXCLUSIONS + 4 * done, reason)
  store<u32>(DONE_COUNT, u32(done + 1))
  record += usize(load<u32>(record))
  left--
}
