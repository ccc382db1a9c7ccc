import { bigintToBytes, concatBytes, EMPTY_BYTES } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import {
  encodeRlp,
  encodeRlpList,
  type RlpItem,
  RlpList,
  readRlpInteger,
  rlpInteger,
} from '../../base/rlp.ts'
import { requireBits, requireCount, requireLength, unwritable } from '../../base/writable.ts'
import type { DeferredRecovery, Keccak256, SignatureRecovery } from './signature-recovery.ts'
import type { AccessListEntry, Authorization, Transaction, TransactionType } from './transaction.ts'
import { encodeEnvelope } from './typed-envelope.ts'

/** A decoded transaction whose signature has not been checked. */
export type SignedTransaction = Omit<Transaction, 'from'>

/** The fields of a transaction that its signature covers. */
export type UnsignedTransaction = Omit<
  SignedTransaction,
  'v' | 'yParity' | 'r' | 's' | 'hash' | 'raw'
>

/** A signature as encoded in a transaction; `v` as in `Transaction`. */
export type WireSignature = Pick<Transaction, 'v' | 'r' | 's'>

/** Order of secp256k1. A valid `s` is at most half of it (EIP-2). Enforced from genesis on this chain. */
export const GROUP_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
export const MAX_S = GROUP_ORDER / 2n

/** geth's payload type names, used in its error messages, and the number of RLP elements of each. */
const PAYLOADS: readonly { readonly name: string; readonly elements: number }[] = [
  { name: 'types.LegacyTx', elements: 9 },
  { name: 'types.AccessListTx', elements: 11 },
  { name: 'types.DynamicFeeTx', elements: 12 },
  { name: 'types.BlobTx', elements: 14 },
  { name: 'types.SetCodeTx', elements: 13 },
]

function rejected(message: string): LockstepError {
  return new LockstepError('TRANSACTION_REJECTED', message)
}

function readBytes(item: RlpItem | undefined): Uint8Array {
  if (!(item instanceof Uint8Array)) throw rejected('rlp: expected input string or byte')
  return item
}

function readFixed(item: RlpItem | undefined, length: number, type: string): Uint8Array {
  const bytes = readBytes(item)
  if (bytes.length !== length) {
    const wrong = bytes.length < length ? 'short' : 'long'
    throw rejected(`rlp: input string too ${wrong} for ${type}`)
  }
  return bytes
}

function readList(item: RlpItem | undefined, type: string): readonly RlpItem[] {
  if (item === undefined || item instanceof Uint8Array) {
    throw rejected(`rlp: expected input list for ${type}`)
  }
  return item
}

function readTuple(item: RlpItem | undefined, elements: number, type: string): readonly RlpItem[] {
  const list = readList(item, type)
  checkLength(list, elements, type)
  return list
}

function checkLength(
  { length }: { readonly length: number },
  elements: number,
  type: string,
): void {
  if (length < elements) throw rejected(`rlp: too few elements for ${type}`)
  if (length > elements) throw rejected(`rlp: input list has too many elements for ${type}`)
}

function readAddress(item: RlpItem | undefined): Uint8Array {
  return readFixed(item, 20, 'common.Address')
}

const NO_ACCESS: readonly AccessListEntry[] = []
const NO_AUTHORIZATIONS: readonly Authorization[] = []
const NO_BLOBS: readonly Uint8Array[] = []

function readAccessList(item: RlpItem | undefined): readonly AccessListEntry[] {
  const list = readList(item, 'types.AccessList')
  if (list.length === 0) return NO_ACCESS
  return list.map((entry) => {
    const [address, keys] = readTuple(entry, 2, 'types.AccessTuple')
    return {
      address: readAddress(address),
      storageKeys: readList(keys, '[]common.Hash').map((key) => readFixed(key, 32, 'common.Hash')),
    }
  })
}

function readAuthorizations(item: RlpItem | undefined): Authorization[] {
  return readList(item, '[]types.SetCodeAuthorization').map((entry) => {
    const fields = readTuple(entry, 6, 'types.SetCodeAuthorization')
    return {
      chainId: readRlpInteger(fields[0], 256),
      address: readAddress(fields[1]),
      nonce: readRlpInteger(fields[2], 64),
      yParity: readRlpInteger(fields[3], 8),
      r: readRlpInteger(fields[4], 256),
      s: readRlpInteger(fields[5], 256),
    }
  })
}

/** Splits a legacy `v` into chain id and parity: 27 or 28, or chain id * 2 + 35 or 36 (EIP-155). */
function readLegacyV(v: bigint): { chainId: bigint | undefined; yParity: 0 | 1 | undefined } {
  if (v >= 35n) return { chainId: (v - 35n) / 2n, yParity: v % 2n === 1n ? 0 : 1 }
  const yParity = v === 27n ? 0 : v === 28n ? 1 : undefined
  return { chainId: undefined, yParity }
}

/** Builds one object, because a pool has thousands. `from` is undefined until the signer is known. */
function decodePayload(
  type: TransactionType,
  payload: Uint8Array,
  raw: Uint8Array,
  keccak256: Keccak256,
  from: Uint8Array | undefined,
): SignedTransaction & { readonly from: Uint8Array | undefined } {
  const shape = PAYLOADS[type] as (typeof PAYLOADS)[number]
  const items = RlpList.decode(payload)
  if (items === undefined) throw rejected(`rlp: expected input list for ${shape.name}`)
  checkLength(items, shape.elements, shape.name)
  const next = () => items.item()

  const typedChainId = type === 0 ? undefined : items.integer(256)
  const nonce = items.integer(64)
  const maxPriorityFeePerGas = items.integer(256)
  const maxFeePerGas = type >= 2 ? items.integer(256) : maxPriorityFeePerGas
  const gas = items.integer(64)
  const toBytes = readBytes(next())
  // Blob and set-code transactions cannot create contracts, so an empty recipient is malformed.
  const creation = toBytes.length === 0 && type <= 2
  const to = creation ? undefined : readAddress(toBytes)
  const value = items.integer(256)
  const data = readBytes(next())
  const accessList = type === 0 ? NO_ACCESS : readAccessList(next())
  const maxFeePerBlobGas = type === 3 ? items.integer(256) : 0n
  const blobHashes =
    type === 3
      ? readList(next(), '[]common.Hash').map((hash) => readFixed(hash, 32, 'common.Hash'))
      : NO_BLOBS
  const authorizations = type === 4 ? readAuthorizations(next()) : NO_AUTHORIZATIONS
  const v = items.integer(256)
  const r = items.integer(256)
  const s = items.integer(256)

  const legacy = type === 0 ? readLegacyV(v) : undefined
  const yParity = legacy === undefined ? (v === 0n ? 0 : v === 1n ? 1 : undefined) : legacy.yParity
  if (yParity === undefined) throw rejected('invalid transaction v, r, s values')
  return {
    type,
    chainId: legacy === undefined ? typedChainId : legacy.chainId,
    nonce,
    maxPriorityFeePerGas,
    maxFeePerGas,
    gas,
    to,
    value,
    data,
    accessList,
    authorizations,
    maxFeePerBlobGas,
    blobHashes,
    v,
    yParity,
    r,
    s,
    hash: keccak256(raw),
    raw,
    from,
  }
}

/**
 * Decodes the network encoding (EIP-2718); a blob transaction must come without its sidecar. Byte arrays are views of
 * `raw`. Does not check the signature: see `recoverSender`.
 * @throws TRANSACTION_REJECTED with geth's message.
 */
export function decodeSigned(raw: Uint8Array, keccak256: Keccak256): SignedTransaction {
  return decodeEnvelope(raw, keccak256, undefined)
}

/** Decodes like `decodeSigned`, with hash and sender already known. @throws TRANSACTION_REJECTED */
export function decodeKnown(raw: Uint8Array, hash: Uint8Array, from: Uint8Array): Transaction {
  return decodeEnvelope(raw, () => hash, from) as Transaction
}

function decodeEnvelope(
  raw: Uint8Array,
  keccak256: Keccak256,
  from: Uint8Array | undefined,
): SignedTransaction & { readonly from: Uint8Array | undefined } {
  const first = raw[0]
  // A first byte above 0x7f starts an RLP list or string: a legacy transaction, or garbage.
  const typed = first === undefined || first <= 0x7f
  if (typed && raw.length <= 1) throw rejected('typed transaction too short')
  const type = typed ? first : 0
  if (typed && (type === 0 || (type as number) >= PAYLOADS.length)) {
    throw rejected('transaction type not supported')
  }
  try {
    const payload = typed ? raw.subarray(1) : raw
    return decodePayload(type as TransactionType, payload, raw, keccak256, from)
  } catch (error) {
    if (!(error instanceof LockstepError) || error.code !== 'INVALID_RLP') throw error
    throw rejected(error.message)
  }
}

/** @throws INVALID_ARGUMENT if no decoder would accept the transaction */
function requireWritable(transaction: UnsignedTransaction): void {
  const { type, to, nonce, gas, chainId = 0n } = transaction
  requireCount(type, 'a type', PAYLOADS.length - 1)
  requireBits(nonce, 64, 'a nonce')
  requireBits(gas, 64, 'a gas limit')
  const words = [chainId, transaction.maxPriorityFeePerGas, transaction.maxFeePerGas]
  for (const word of [...words, transaction.value, transaction.maxFeePerBlobGas]) {
    requireBits(word, 256, 'an amount')
  }
  if (to !== undefined) requireLength(to, 20, 'a recipient')
  else if (type > 2) throw unwritable(`a transaction of type ${type}`, 'it has no recipient')
  for (const { address, storageKeys } of transaction.accessList) {
    requireLength(address, 20, 'an address of the access list')
    for (const key of storageKeys) requireLength(key, 32, 'a key of the access list')
  }
  for (const hash of transaction.blobHashes) requireLength(hash, 32, 'a blob hash')
  for (const { chainId, address, nonce, yParity, r, s } of transaction.authorizations) {
    requireLength(address, 20, 'an address of an authorization')
    requireBits(nonce, 64, 'the nonce of an authorization')
    requireBits(BigInt(yParity), 8, 'the parity of an authorization')
    for (const word of [chainId, r, s]) requireBits(word, 256, 'a word of an authorization')
  }
}

function payloadItems(transaction: UnsignedTransaction): RlpItem[] {
  requireWritable(transaction)
  const { type } = transaction
  const items: RlpItem[] = []
  if (type !== 0) items.push(rlpInteger(transaction.chainId ?? 0n))
  items.push(rlpInteger(transaction.nonce), rlpInteger(transaction.maxPriorityFeePerGas))
  if (type >= 2) items.push(rlpInteger(transaction.maxFeePerGas))
  items.push(
    rlpInteger(transaction.gas),
    transaction.to ?? EMPTY_BYTES,
    rlpInteger(transaction.value),
    transaction.data,
  )
  if (type !== 0) {
    items.push(transaction.accessList.map((entry) => [entry.address, entry.storageKeys]))
  }
  if (type === 3) items.push(rlpInteger(transaction.maxFeePerBlobGas), transaction.blobHashes)
  if (type === 4) {
    items.push(
      transaction.authorizations.map((authorization) => [
        rlpInteger(authorization.chainId),
        authorization.address,
        rlpInteger(authorization.nonce),
        rlpInteger(authorization.yParity),
        rlpInteger(authorization.r),
        rlpInteger(authorization.s),
      ]),
    )
  }
  return items
}

/** Returns the hash that the sender signs (EIP-2718; EIP-155 for a legacy transaction with a chain id). */
export function signingDigest(transaction: UnsignedTransaction, keccak256: Keccak256): Uint8Array {
  const items = payloadItems(transaction)
  if (transaction.type === 0 && transaction.chainId !== undefined) {
    items.push(rlpInteger(transaction.chainId), EMPTY_BYTES, EMPTY_BYTES)
  }
  return keccak256(encodeEnvelope(transaction.type, items))
}

/** Returns the network encoding (EIP-2718). */
export function encodeTransaction(
  transaction: UnsignedTransaction,
  signature: WireSignature,
): Uint8Array {
  const items = payloadItems(transaction)
  for (const word of [signature.v, signature.r, signature.s]) {
    requireBits(word, 256, 'a word of a signature')
  }
  items.push(rlpInteger(signature.v), rlpInteger(signature.r), rlpInteger(signature.s))
  return encodeEnvelope(transaction.type, items)
}

/** Arguments of a recovery: the signed digest, and the signature. */
export type SenderSignature = Parameters<SignatureRecovery['recoverAddress']>

/**
 * Returns the digest and signature from which the sender can be recovered.
 * @throws TRANSACTION_REJECTED if r or s is out of range (EIP-2)
 */
export function senderSignature(
  transaction: SignedTransaction,
  keccak256: Keccak256,
): SenderSignature {
  const { type, chainId, yParity, r, s, raw } = transaction
  if (r <= 0n || r >= GROUP_ORDER || s <= 0n || s > MAX_S) throw invalidSignature()
  // The signed bytes are the encoding up to the signature, whose three items come last.
  const payload = type === 0 ? raw : raw.subarray(1)
  const items = RlpList.decode(payload) as RlpList
  const start = items.offset
  items.skip(items.length - 3)
  const fields = payload.subarray(start, items.offset)
  items.skip(1)
  const signature = [padded(items.item()), padded(items.item())] as const
  const replayed = type === 0 && chainId !== undefined ? eip155Items(chainId) : EMPTY_BYTES
  const message = encodeRlpList(
    replayed.length === 0 ? fields : concatBytes([fields, replayed]),
    type === 0 ? 0 : 1,
  )
  if (type !== 0) message[0] = type
  return [keccak256(message), yParity, ...signature]
}

/** Returns the encoded items that EIP-155 appends to the fields of a legacy transaction with a chain id. */
function eip155Items(chainId: bigint): Uint8Array {
  return concatBytes([encodeRlp(rlpInteger(chainId)), Uint8Array.of(0x80, 0x80)])
}

/** Pads an integer of at most 32 bytes to 32. */
function padded(item: RlpItem): Uint8Array {
  const integer = item as Uint8Array
  if (integer.length === 32) return integer
  const word = new Uint8Array(32)
  word.set(integer, 32 - integer.length)
  return word
}

function invalidSignature(): LockstepError {
  return rejected('invalid transaction v, r, s values')
}

/**
 * Returns the 20-byte address of the signer.
 * @throws TRANSACTION_REJECTED `invalid transaction v, r, s values` if r or s is out of range (EIP-2), or the
 * signature is invalid.
 */
export function recoverSender(
  transaction: SignedTransaction,
  recovery: SignatureRecovery,
): Uint8Array {
  const keccak256 = (bytes: Uint8Array) => recovery.keccak256(bytes)
  const sender = recovery.recoverAddress(...senderSignature(transaction, keccak256))
  if (sender === undefined) throw invalidSignature()
  return sender
}

/** Like `recoverSender`, with an asynchronous recovery. */
export async function recoverSenderLater(
  transaction: SignedTransaction,
  keccak256: Keccak256,
  deferred: DeferredRecovery,
): Promise<Uint8Array> {
  const sender = await deferred.recoverAddress(...senderSignature(transaction, keccak256))
  if (sender === undefined) throw invalidSignature()
  return sender
}

/** Decodes a transaction and recovers its sender: `decodeSigned` then `recoverSender`. */
export function decodeTransaction(raw: Uint8Array, recovery: SignatureRecovery): Transaction {
  const signed = decodeSigned(raw, (bytes) => recovery.keccak256(bytes))
  return { ...signed, from: recoverSender(signed, recovery) }
}

/** First byte of the message that an authority signs (EIP-7702). */
const MAGIC = 0x05

/** Returns the 20-byte account that signed an authorization; undefined if its signature is invalid. */
export function authorityOf(
  { chainId, address, nonce, yParity, r, s }: Authorization,
  recovery: SignatureRecovery,
): Uint8Array | undefined {
  if (yParity > 1n || r <= 0n || r >= GROUP_ORDER || s <= 0n || s > MAX_S) return undefined
  const payload = encodeRlp([rlpInteger(chainId), address, rlpInteger(nonce)])
  return recovery.recoverAddress(
    recovery.keccak256(concatBytes([Uint8Array.of(MAGIC), payload])),
    yParity === 1n ? 1 : 0,
    bigintToBytes(r, 32),
    bigintToBytes(s, 32),
  )
}
