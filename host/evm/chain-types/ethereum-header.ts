import { LockstepError } from '../../base/error.ts'
import { parseFixedData } from '../../base/hex.ts'
import { encodeRlp, type RlpItem, readRlpInteger, rlpInteger } from '../../base/rlp.ts'
import { requireBits, requireLength, unwritable } from '../../base/writable.ts'

/** An Ethereum block header. Fields added by a fork are undefined before that fork. */
export interface EthereumHeader {
  readonly parentHash: Uint8Array
  readonly ommersHash: Uint8Array
  readonly coinbase: Uint8Array
  readonly stateRoot: Uint8Array
  readonly transactionsRoot: Uint8Array
  readonly receiptsRoot: Uint8Array
  readonly logsBloom: Uint8Array
  readonly difficulty: bigint
  readonly number: bigint
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  readonly timestamp: bigint
  readonly extraData: Uint8Array
  /** PREVRANDAO since Paris. */
  readonly mixHash: Uint8Array
  /** Eight bytes of proof of work; zeros since Paris. */
  readonly nonce: Uint8Array
  /** EIP-1559, London. */
  readonly baseFeePerGas: bigint | undefined
  /** EIP-4895, Shanghai. */
  readonly withdrawalsRoot: Uint8Array | undefined
  /** EIP-4844, Cancun. */
  readonly blobGasUsed: bigint | undefined
  readonly excessBlobGas: bigint | undefined
  /** EIP-4788, Cancun. */
  readonly parentBeaconBlockRoot: Uint8Array | undefined
  /** EIP-7685, Prague. */
  readonly requestsHash: Uint8Array | undefined
  /** EIP-7928, Amsterdam. */
  readonly blockAccessListHash?: Uint8Array | undefined
  /** EIP-7843, Amsterdam. */
  readonly slotNumber?: bigint | undefined
}

/** Hash of an empty list of ommers: Keccak-256 of the RLP of an empty list. */
export const NO_OMMERS_HASH: Uint8Array = parseFixedData(
  '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  32,
)
/** Root of an empty list: Keccak-256 of the RLP of an empty string. */
export const EMPTY_LIST_ROOT: Uint8Array = parseFixedData(
  '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  32,
)
/** Hash of an empty list of requests: SHA-256 of no bytes (EIP-7685). */
export const NO_REQUESTS_HASH: Uint8Array = parseFixedData(
  '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  32,
)

/** Hash of an empty block access list: Keccak-256 of the RLP of an empty list. */
export const EMPTY_ACCESS_LIST_HASH: Uint8Array = NO_OMMERS_HASH

/** Header field counts by fork: Frontier, London, Shanghai, Cancun, Prague, Amsterdam. */
const LENGTHS: readonly number[] = [15, 16, 17, 20, 21, 23]

/** Reads the fixed-length byte strings and integers of an RLP list in order. */
export class RlpFieldReader {
  readonly #items: readonly RlpItem[]
  readonly #what: string
  #at = 0

  constructor(item: RlpItem | undefined, what: string) {
    if (item === undefined || item instanceof Uint8Array) {
      throw new LockstepError('INVALID_RLP', `rlp: ${what} is not a list`)
    }
    this.#items = item
    this.#what = what
  }

  get length(): number {
    return this.#items.length
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#items.length
  }

  /** Returns the next byte string, which must have `length` bytes; any length if undefined. */
  bytes(length?: number): Uint8Array {
    const item = this.#items[this.#at++]
    if (!(item instanceof Uint8Array) || (length !== undefined && item.length !== length)) {
      throw new LockstepError(
        'INVALID_RLP',
        `rlp: field ${this.#at} of ${this.#what} is not ${length ?? 'a string of'} bytes`,
      )
    }
    return item
  }

  integer(bits: number): bigint {
    return readRlpInteger(this.#items[this.#at++], bits)
  }
}

/**
 * Decodes a header.
 * @throws INVALID_RLP if a field has the wrong size or no fork has this number of fields.
 */
export function decodeRlpHeader(item: RlpItem | undefined): EthereumHeader {
  const fields = new RlpFieldReader(item, 'the header')
  if (!LENGTHS.includes(fields.length)) {
    throw new LockstepError(
      'INVALID_RLP',
      `rlp: the header has ${fields.length} fields, want ${LENGTHS.join(', ')}`,
    )
  }
  const optional = <Value>(read: () => Value) => (fields.isAtEnd ? undefined : read())
  return {
    parentHash: fields.bytes(32),
    ommersHash: fields.bytes(32),
    coinbase: fields.bytes(20),
    stateRoot: fields.bytes(32),
    transactionsRoot: fields.bytes(32),
    receiptsRoot: fields.bytes(32),
    logsBloom: fields.bytes(256),
    difficulty: fields.integer(256),
    number: fields.integer(64),
    gasLimit: fields.integer(64),
    gasUsed: fields.integer(64),
    timestamp: fields.integer(64),
    extraData: fields.bytes(),
    mixHash: fields.bytes(32),
    nonce: fields.bytes(8),
    baseFeePerGas: optional(() => fields.integer(256)),
    withdrawalsRoot: optional(() => fields.bytes(32)),
    blobGasUsed: optional(() => fields.integer(64)),
    excessBlobGas: optional(() => fields.integer(64)),
    parentBeaconBlockRoot: optional(() => fields.bytes(32)),
    requestsHash: optional(() => fields.bytes(32)),
    blockAccessListHash: optional(() => fields.bytes(32)),
    slotNumber: optional(() => fields.integer(64)),
  }
}

/** Returns the header's fields as RLP items. */
export function headerItems(header: EthereumHeader): readonly Uint8Array[] {
  const items: Uint8Array[] = [
    header.parentHash,
    header.ommersHash,
    header.coinbase,
    header.stateRoot,
    header.transactionsRoot,
    header.receiptsRoot,
    header.logsBloom,
    rlpInteger(header.difficulty),
    rlpInteger(header.number),
    rlpInteger(header.gasLimit),
    rlpInteger(header.gasUsed),
    rlpInteger(header.timestamp),
    header.extraData,
    header.mixHash,
    header.nonce,
  ]
  const { baseFeePerGas, withdrawalsRoot, blobGasUsed, excessBlobGas } = header
  const { parentBeaconBlockRoot, requestsHash, blockAccessListHash, slotNumber } = header
  if (baseFeePerGas !== undefined) items.push(rlpInteger(baseFeePerGas))
  if (withdrawalsRoot !== undefined) items.push(withdrawalsRoot)
  if (blobGasUsed !== undefined) items.push(rlpInteger(blobGasUsed))
  if (excessBlobGas !== undefined) items.push(rlpInteger(excessBlobGas))
  if (parentBeaconBlockRoot !== undefined) items.push(parentBeaconBlockRoot)
  if (requestsHash !== undefined) items.push(requestsHash)
  if (blockAccessListHash !== undefined) items.push(blockAccessListHash)
  if (slotNumber !== undefined) items.push(rlpInteger(slotNumber))
  return items
}

const FIXED_FIELDS = {
  parentHash: 32,
  ommersHash: 32,
  coinbase: 20,
  stateRoot: 32,
  transactionsRoot: 32,
  receiptsRoot: 32,
  logsBloom: 256,
  mixHash: 32,
  nonce: 8,
  withdrawalsRoot: 32,
  parentBeaconBlockRoot: 32,
  requestsHash: 32,
  blockAccessListHash: 32,
} as const satisfies Partial<Record<keyof EthereumHeader, number>>

const INTEGER_FIELDS = {
  difficulty: 256,
  number: 64,
  gasLimit: 64,
  gasUsed: 64,
  timestamp: 64,
  baseFeePerGas: 256,
  blobGasUsed: 64,
  excessBlobGas: 64,
  slotNumber: 64,
} as const satisfies Partial<Record<keyof EthereumHeader, number>>

/** Fields added by forks, in order: a field is present only if all before it are. */
const FORK_FIELDS = [
  'baseFeePerGas',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
  'blockAccessListHash',
  'slotNumber',
] as const satisfies readonly (keyof EthereumHeader)[]

/**
 * Returns the header truncated to the longest field set that a fork has. Other chains omit some of Ethereum's fields
 * but have later ones.
 */
export function truncatedHeader(header: EthereumHeader): EthereumHeader {
  const gap = FORK_FIELDS.findIndex((name) => header[name] === undefined)
  const most = gap === -1 ? FORK_FIELDS.length : gap
  const shortest = LENGTHS[0] as number
  const kept = LENGTHS.map((length) => length - shortest).findLast((count) => count <= most) ?? 0
  const dropped = FORK_FIELDS.slice(kept).map((name) => [name, undefined])
  return { ...header, ...Object.fromEntries(dropped) }
}

/** @throws INVALID_ARGUMENT if `decodeHeader` would reject the header or assign its fields differently */
export function requireHeader(header: EthereumHeader): void {
  for (const [name, length] of Object.entries(FIXED_FIELDS)) {
    const bytes = header[name as keyof typeof FIXED_FIELDS]
    if (bytes !== undefined) requireLength(bytes, length, `${name} of a header`)
  }
  for (const [name, bits] of Object.entries(INTEGER_FIELDS)) {
    const integer = header[name as keyof typeof INTEGER_FIELDS]
    if (integer !== undefined) requireBits(integer, bits, `${name} of a header`)
  }
  const count = FORK_FIELDS.filter((name) => header[name] !== undefined).length
  const isGapless = FORK_FIELDS.slice(0, count).every((name) => header[name] !== undefined)
  const fields = (LENGTHS[0] as number) + count
  if (!isGapless || !LENGTHS.includes(fields)) {
    throw unwritable(
      'a header',
      `no fork has ${fields} header fields, or one in between is missing`,
    )
  }
}

/** Encodes the header. Its Keccak-256 is the block hash. */
export function encodeRlpHeader(header: EthereumHeader): Uint8Array {
  return encodeRlp(headerItems(header))
}
