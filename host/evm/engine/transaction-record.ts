import { EMPTY_BYTES } from '../../base/bytes.ts'
import { isImpersonated } from '../chain-types/impersonation.ts'
import type {
  AccessListEntry,
  Authorization,
  Transaction,
  TransactionType,
} from '../chain-types/transaction.ts'
import { decodeKnown } from '../chain-types/transaction-codec.ts'
import { MESSAGE_FLAG } from './generated/message-flag.ts'
import { EngineMemory } from './memory.ts'
import { messageBytes, writeEngineMessage } from './message-writer.ts'

// A record is a transaction as the engine takes it in a batch (assembly/evm/message/batch.ts): bytes of the engine's
// part (u32), flags (u32), hash (32), place and length of the encoding (u32 each), padding 16, the message with its
// lists, the encoding. The data of the message lies in the encoding, where the engine's part ends. Places count from the
// record's start.

const HASH = 8
const RAW_AT = 40
const RAW_LENGTH = 44
const MESSAGE = 64
const MAY_HAVE_CODE = 1

// Offsets in a record (assembly/evm/context/message-layout.ts).
const FLAGS = MESSAGE + 4
const FROM = MESSAGE + 8
const TO = MESSAGE + 32
const NONCE = MESSAGE + 56
const GAS = MESSAGE + 64
const ACCESS_COUNT = MESSAGE + 76
const AUTHORIZATION_COUNT = MESSAGE + 84
const DATA_AT = MESSAGE + 96
const DATA_LENGTH = MESSAGE + 100
const MAX_FEE = MESSAGE + 128
const MAX_PRIORITY_FEE = MESSAGE + 160
const VALUE = MESSAGE + 192

const NO_ACCESS: readonly AccessListEntry[] = []
const NO_AUTHORIZATIONS: readonly Authorization[] = []

/** Returns the record of a transaction; its length is a multiple of eight. */
export function engineRecord(transaction: Transaction): Uint8Array {
  if (transaction instanceof RecordedTransaction) return transaction.record
  const { raw, data, hash } = transaction
  const inRaw = offsetIn(raw, data)
  const offset = inRaw ?? padded(raw.length)
  const head = MESSAGE + messageBytes(transaction, 0)
  const size = padded(head + Math.max(raw.length, offset + data.length))
  const memory = new EngineMemory({ buffer: new ArrayBuffer(size) })
  const rawAt = writeEngineMessage(memory, MESSAGE, size - MESSAGE, transaction, 0, EMPTY_BYTES)
  memory.bytes.set(raw, rawAt)
  if (inRaw === undefined) memory.bytes.set(data, rawAt + offset)
  memory.setU32(DATA_AT, rawAt + offset)
  memory.setU32(DATA_LENGTH, data.length)
  memory.setU32(0, padded(rawAt + offset + data.length))
  memory.setU32(4, isImpersonated(transaction) ? MAY_HAVE_CODE : 0)
  memory.bytes.set(hash, HASH)
  memory.setU32(RAW_AT, rawAt)
  memory.setU32(RAW_LENGTH, raw.length)
  return memory.bytes
}

/** Returns where `part` lies in `whole`; undefined if it is no view of it. */
function offsetIn(whole: Uint8Array, part: Uint8Array): number | undefined {
  if (part.length === 0) return 0
  const offset = part.byteOffset - whole.byteOffset
  const isView = part.buffer === whole.buffer && offset >= 0
  return isView && offset + part.length <= whole.length ? offset : undefined
}

function padded(length: number): number {
  return (length + 7) & ~7
}

/** Returns the part of a record that the engine takes. */
export function enginePart(record: Uint8Array): Uint8Array {
  return record.subarray(0, u32(record, 0))
}

/** Returns the most bytes that the message of a record takes outside of it. */
export function recordMessageBytes(record: Uint8Array): number {
  return u32(record, RAW_AT) - MESSAGE + u32(record, DATA_LENGTH) + 8
}

function u32(record: Uint8Array, at: number): number {
  const low = (record[at] as number) | ((record[at + 1] as number) << 8)
  return (low | ((record[at + 2] as number) << 16) | ((record[at + 3] as number) << 24)) >>> 0
}

/** Returns the network encoding in a record, as a view. */
function recordRaw(record: Uint8Array): Uint8Array {
  const at = u32(record, RAW_AT)
  return record.subarray(at, at + u32(record, RAW_LENGTH))
}

/**
 * A transaction whose record exists: another thread has decoded it. What only some readers ask for is decoded at the
 * first access. The record must not change.
 */
export class RecordedTransaction implements Transaction {
  readonly raw: Uint8Array
  readonly record: Uint8Array
  readonly hash: Uint8Array
  readonly from: Uint8Array
  readonly type: TransactionType
  readonly nonce: bigint
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly value: bigint
  #decoded: Transaction | undefined

  constructor(record: Uint8Array) {
    const fields = new DataView(record.buffer, record.byteOffset)
    this.raw = recordRaw(record)
    this.record = record
    this.hash = record.subarray(HASH, HASH + 32)
    this.from = record.subarray(FROM, FROM + 20)
    this.type = record[MESSAGE] as TransactionType
    this.nonce = fields.getBigUint64(NONCE, true)
    this.gas = fields.getBigUint64(GAS, true)
    this.maxFeePerGas = wordAt(fields, MAX_FEE)
    this.maxPriorityFeePerGas = wordAt(fields, MAX_PRIORITY_FEE)
    this.value = wordAt(fields, VALUE)
  }

  get to(): Uint8Array | undefined {
    const isCreation = ((this.record[FLAGS] as number) & MESSAGE_FLAG.creation) !== 0
    return isCreation ? undefined : this.record.subarray(TO, TO + 20)
  }

  get accessList(): readonly AccessListEntry[] {
    return u32(this.record, ACCESS_COUNT) === 0 ? NO_ACCESS : this.#whole.accessList
  }

  get authorizations(): readonly Authorization[] {
    return u32(this.record, AUTHORIZATION_COUNT) === 0
      ? NO_AUTHORIZATIONS
      : this.#whole.authorizations
  }

  get chainId(): bigint | undefined {
    return this.#whole.chainId
  }

  get data(): Uint8Array {
    return this.#whole.data
  }

  get maxFeePerBlobGas(): bigint {
    return this.#whole.maxFeePerBlobGas
  }

  get blobHashes(): readonly Uint8Array[] {
    return this.#whole.blobHashes
  }

  get v(): bigint {
    return this.#whole.v
  }

  get yParity(): 0 | 1 {
    return this.#whole.yParity
  }

  get r(): bigint {
    return this.#whole.r
  }

  get s(): bigint {
    return this.#whole.s
  }

  get #whole(): Transaction {
    this.#decoded ??= decodeKnown(this.raw, this.hash, this.from)
    return this.#decoded
  }
}

/** Returns a word of little-endian limbs. Most have one limb. */
function wordAt(fields: DataView, at: number): bigint {
  let isShort = true
  for (let i = 8; i < 32; i += 4) isShort = isShort && fields.getUint32(at + i, true) === 0
  if (isShort) return fields.getBigUint64(at, true)
  let value = 0n
  for (let i = 24; i >= 0; i -= 8) value = (value << 64n) | fields.getBigUint64(at + i, true)
  return value
}
