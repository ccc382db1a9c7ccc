import { createHash } from 'node:crypto'
import { LockstepError } from '../../base/error.ts'
import { formatData, type Hex, parseData, parseFixedData } from '../../base/hex.ts'
import { requireBits, requireCount, textBytes, unwritable } from '../../base/writable.ts'
import { ByteReader } from '../../storage/store/codec/byte-reader.ts'
import { ByteWriter } from '../../storage/store/codec/byte-writer.ts'
import type { ClaimKey, ClaimRefund, TokenUnit } from './claims.ts'

/** Chain id, kind and id. */
export const CLAIM_KEY_BYTES = 8 + 1 + 32
export const OWNER_BYTES = 8
const ADDRESS_BYTES = 20
export const CLAIM_HASH_BYTES = 32
/** Milliseconds since 1970. */
export const TIME_BYTES = 6

const OWNER = new RegExp(`^[0-9a-f]{${2 * OWNER_BYTES}}$`)
/** A hash, or 0x. */
const BODY = /^0x(?:[0-9a-f]{64})?$/

/** Longer requests are stored as a prefix and a hash: a payer may send as much as a server accepts. */
const LONGEST_REQUEST = 300

/** Fields of a claim row; those shared by many claims are in `Sale`. */
export interface ClaimRow {
  phase: 'held' | 'released' | 'delivered'
  isSettled: boolean
  /** Owner that holds the claim, lower-case hex; undefined if not held. */
  owner: string | undefined
  readonly claimedAt: number
  deliveredAt: number | undefined
  readonly sale: number
  readonly request: string
  /** SHA-256 of the request's body; `0x` if it has none. Undefined in rows of releases that did not store it. */
  body: Hex | undefined
  /** Failed attempts to serve. */
  attempts: number
  readonly payer: Hex
  readonly amount: bigint
  /** Set for authorizations only: a transfer's id is its transaction. */
  txHash: Hex | undefined
  refund: ClaimRefund | undefined
}

/** What the claims of one resource, token, payee and chain share, with their totals. */
export interface Sale {
  readonly resource: string
  readonly chainId: bigint
  readonly asset: Hex
  readonly payTo: Hex
  payments: number
  amount: bigint
  delivered: number
  refunds: number
  refunded: bigint
}

const PHASES = ['held', 'released', 'delivered'] as const
const PHASE_BITS = 3
const SETTLED = 4
const HAS_TRANSACTION = 8
const HAS_REFUND = 16
const HAS_BODY = 32
const HAS_ATTEMPTS = 64
const HAS_REFUND_RAW = 128
const KNOWN_FLAGS =
  PHASE_BITS | SETTLED | HAS_TRANSACTION | HAS_REFUND | HAS_BODY | HAS_ATTEMPTS | HAS_REFUND_RAW

/** Bits of the longest sum that the writer's length prefix allows. */
const LONGEST_SUM_BITS = 2_040

const LATEST_TIME = 2 ** (8 * TIME_BYTES) - 1

/** Encoding rejects what decoding would: an unreadable row loses the payment. */
function check(isRight: boolean, what: string, rule: string): void {
  if (!isRight) throw unwritable(`${what} of a claim`, rule)
}

/** Returns the request in the form that is stored and compared. */
export function storedRequest(request: string): string {
  if (request.length <= LONGEST_REQUEST) return request
  const hash = createHash('sha256').update(request).digest('hex')
  // The cut may split a surrogate pair, which UTF-8 cannot encode.
  const start = request.slice(0, LONGEST_REQUEST - 75).replace(/\p{Surrogate}/gu, '\ufffd')
  return `${start}... sha256:${hash}`
}

/** @throws RangeError if the chain id exceeds 64 bits. */
export function encodeKey({ chainId, kind, id }: ClaimKey): Buffer {
  const bytes = Buffer.allocUnsafe(CLAIM_KEY_BYTES)
  bytes.writeBigUInt64BE(chainId)
  bytes[8] = kind === 'transfer' ? 0 : 1
  bytes.set(parseFixedData(id, CLAIM_HASH_BYTES), 9)
  return bytes
}

export function decodeKey(bytes: Uint8Array): ClaimKey {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return {
    chainId: view.getBigUint64(0),
    kind: bytes[8] === 0 ? 'transfer' : 'authorization',
    id: formatData(bytes.subarray(9, CLAIM_KEY_BYTES)),
  }
}

/** Key that sorts claims by time: milliseconds, then the claim key. */
export function encodeTimeKey(claimedAt: number, key: Uint8Array): Buffer {
  requireCount(claimedAt, 'a time', LATEST_TIME)
  const bytes = Buffer.alloc(TIME_BYTES + key.length)
  bytes.writeUIntBE(claimedAt, 0, TIME_BYTES)
  bytes.set(key, TIME_BYTES)
  return bytes
}

/** Key that finds settled authorizations by transaction; one transaction may settle several. */
export function encodeSettlement(txHash: Hex, key: Uint8Array): Buffer {
  return Buffer.concat([parseFixedData(txHash, CLAIM_HASH_BYTES), key])
}

export function encodeToken(chainId: bigint, asset: Hex): Buffer {
  const bytes = Buffer.alloc(8 + ADDRESS_BYTES)
  bytes.writeBigUInt64BE(chainId)
  bytes.set(parseFixedData(asset, ADDRESS_BYTES), 8)
  return bytes
}

export function encodeUnit({ symbol, decimals }: TokenUnit): Uint8Array {
  requireCount(decimals, 'decimals', 255)
  return Buffer.concat([Uint8Array.of(decimals), textBytes(symbol, 'a symbol')])
}

export function decodeUnit(bytes: Uint8Array): TokenUnit {
  return { decimals: bytes[0] ?? 0, symbol: Buffer.from(bytes.subarray(1)).toString() }
}

/** @throws INVALID_ARGUMENT if `decodeClaim` would not return the same row */
export function encodeClaim(row: ClaimRow): Uint8Array {
  checkClaim(row)
  const { body, attempts } = row
  const writer = new ByteWriter(192)
  writer.byte(
    PHASES.indexOf(row.phase) |
      (row.isSettled ? SETTLED : 0) |
      (row.txHash === undefined ? 0 : HAS_TRANSACTION) |
      (row.refund === undefined ? 0 : HAS_REFUND) |
      (body === undefined ? 0 : HAS_BODY) |
      (attempts === 0 ? 0 : HAS_ATTEMPTS) |
      (row.refund?.raw === undefined ? 0 : HAS_REFUND_RAW),
  )
  writer.uint(row.claimedAt)
  if (row.phase === 'held') writer.raw(Buffer.from(row.owner ?? '', 'hex'))
  // Unchecked against `claimedAt`: the clock may have been set back.
  if (row.phase === 'delivered') writer.uint(row.deliveredAt ?? 0)
  writer.uint(row.sale)
  writer.bytes(textBytes(row.request, 'a request'))
  if (body !== undefined) writer.bytes(parseData(body))
  if (attempts > 0) writer.uint(attempts)
  writer.raw(parseFixedData(row.payer, ADDRESS_BYTES))
  writer.big(row.amount)
  if (row.txHash !== undefined) writer.raw(parseFixedData(row.txHash, CLAIM_HASH_BYTES))
  if (row.refund !== undefined) {
    writer.raw(parseFixedData(row.refund.txHash, CLAIM_HASH_BYTES))
    writer.uint(row.refund.at)
    if (row.refund.raw !== undefined) writer.bytes(parseData(row.refund.raw))
  }
  return writer.finish()
}

function checkClaim(row: ClaimRow): void {
  const { phase, owner, deliveredAt, body, refund } = row
  const isOwner = owner !== undefined && OWNER.test(owner)
  check(
    phase === 'held' ? isOwner : owner === undefined,
    'the owner',
    `${owner} does not fit the phase ${phase}`,
  )
  check((phase === 'delivered') === (deliveredAt !== undefined), 'the delivery', `it is ${phase}`)
  requireCount(row.claimedAt, 'the time of a claim', LATEST_TIME)
  if (deliveredAt !== undefined) requireCount(deliveredAt, 'the time of a delivery', LATEST_TIME)
  if (refund !== undefined) requireCount(refund.at, 'the time of a refund', LATEST_TIME)
  requireCount(row.sale, 'the sale of a claim')
  requireCount(row.attempts, 'the attempts of a claim')
  requireBits(row.amount, 256, 'the amount of a claim')
  check(body === undefined || BODY.test(body), 'the body', 'it is not a hash of 32 bytes')
}

function corrupted(what: string): LockstepError {
  return new LockstepError('STORE_CORRUPTED', `the stored claim cannot be read: ${what}`)
}

/** @throws STORE_CORRUPTED */
export function decodeClaim(bytes: Uint8Array): ClaimRow {
  const reader = new ByteReader(bytes)
  const flags = reader.byte()
  const phase = PHASES[flags & PHASE_BITS]
  if (phase === undefined || (flags & ~KNOWN_FLAGS) !== 0) throw corrupted(`its flags are ${flags}`)
  const claimedAt = reader.uint()
  const owner = phase === 'held' ? Buffer.from(reader.raw(OWNER_BYTES)).toString('hex') : undefined
  const row: ClaimRow = {
    phase,
    isSettled: (flags & SETTLED) !== 0,
    owner,
    claimedAt,
    deliveredAt: phase === 'delivered' ? reader.uint() : undefined,
    sale: reader.uint(),
    request: Buffer.from(reader.bytes()).toString(),
    body: (flags & HAS_BODY) === 0 ? undefined : readBody(reader),
    attempts: (flags & HAS_ATTEMPTS) === 0 ? 0 : reader.uint(),
    payer: formatData(reader.raw(ADDRESS_BYTES)),
    amount: reader.big(),
    txHash: (flags & HAS_TRANSACTION) === 0 ? undefined : formatData(reader.raw(CLAIM_HASH_BYTES)),
    refund: undefined,
  }
  if ((flags & HAS_REFUND) !== 0) {
    const refund = { txHash: formatData(reader.raw(CLAIM_HASH_BYTES)), at: reader.uint() }
    const isSending = (flags & HAS_REFUND_RAW) !== 0
    row.refund = isSending ? { ...refund, raw: formatData(reader.bytes()) } : refund
  }
  reader.finish()
  return row
}

function readBody(reader: ByteReader): Hex {
  const hash = reader.bytes()
  if (hash.length !== 0 && hash.length !== CLAIM_HASH_BYTES)
    throw corrupted('its body is not a hash')
  return formatData(hash)
}

function writeSaleTerms(writer: ByteWriter, sale: Omit<Sale, keyof typeof NOTHING_SOLD>): void {
  requireBits(sale.chainId, 64, 'the chain id of a sale')
  writer.bytes(textBytes(sale.resource, 'a resource'))
  writer.big(sale.chainId)
  writer.raw(parseFixedData(sale.asset, ADDRESS_BYTES))
  writer.raw(parseFixedData(sale.payTo, ADDRESS_BYTES))
}

export const NOTHING_SOLD = { payments: 0, amount: 0n, delivered: 0, refunds: 0, refunded: 0n }

/** Returns the name of a sale: the hash of its terms, which may be long. */
export function saleName(sale: Omit<Sale, keyof typeof NOTHING_SOLD>): Buffer {
  const writer = new ByteWriter(128)
  writeSaleTerms(writer, sale)
  return createHash('sha256').update(writer.finish()).digest()
}

/** @throws INVALID_ARGUMENT if `decodeSale` would not return the same sale */
export function encodeSale(sale: Sale): Uint8Array {
  for (const name of ['payments', 'delivered', 'refunds'] as const) requireCount(sale[name], name)
  for (const name of ['amount', 'refunded'] as const) {
    requireBits(sale[name], LONGEST_SUM_BITS, name)
  }
  const writer = new ByteWriter(160)
  writeSaleTerms(writer, sale)
  writer.uint(sale.payments)
  writer.big(sale.amount)
  writer.uint(sale.delivered)
  writer.uint(sale.refunds)
  writer.big(sale.refunded)
  return writer.finish()
}

/** @throws STORE_CORRUPTED */
export function decodeSale(bytes: Uint8Array): Sale {
  const reader = new ByteReader(bytes)
  const sale: Sale = {
    resource: Buffer.from(reader.bytes()).toString(),
    chainId: reader.big(),
    asset: formatData(reader.raw(ADDRESS_BYTES)),
    payTo: formatData(reader.raw(ADDRESS_BYTES)),
    payments: reader.uint(),
    amount: reader.big(),
    delivered: reader.uint(),
    refunds: reader.uint(),
    refunded: reader.big(),
  }
  reader.finish()
  return sale
}
