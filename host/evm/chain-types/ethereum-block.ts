import { LockstepError } from '../../base/error.ts'
import { decodeRlp, encodeRlp, type RlpItem, rlpInteger } from '../../base/rlp.ts'
import { requireBits, requireLength } from '../../base/writable.ts'
import type { BlockHeader, EthereumBody, Withdrawal } from './block.ts'
import {
  decodeHeader,
  type EthereumHeader,
  FieldReader,
  headerItems,
  requireHeader,
} from './ethereum-header.ts'

/** A decoded block. Transactions are in the network encoding of EIP-2718, not yet decoded. */
export interface EthereumBlock extends EthereumBody {
  readonly header: EthereumHeader
  readonly transactions: readonly Uint8Array[]
  /** The list of ommers as its hash covers it. */
  readonly encodedOmmers: Uint8Array
  /** Bytes of the whole encoding (EIP-7934). */
  readonly size: number
}

function invalidBlock(message: string): LockstepError {
  return new LockstepError('BLOCK_INVALID', message)
}

function readList(item: RlpItem | undefined, what: string): readonly RlpItem[] {
  if (item === undefined || item instanceof Uint8Array)
    throw invalidBlock(`${what} are not an RLP list`)
  return item
}

function decodeWithdrawal(item: RlpItem): Withdrawal {
  const fields = new FieldReader(item, 'a withdrawal')
  if (fields.length !== 4) throw invalidBlock(`a withdrawal has ${fields.length} fields, want 4`)
  return {
    index: fields.integer(64),
    validatorIndex: fields.integer(64),
    address: fields.bytes(20),
    amount: fields.integer(64),
  }
}

function withdrawalItems({ index, validatorIndex, address, amount }: Withdrawal): RlpItem {
  for (const integer of [index, validatorIndex, amount]) {
    requireBits(integer, 64, 'a number of a withdrawal')
  }
  requireLength(address, 20, 'the address of a withdrawal')
  return [rlpInteger(index), rlpInteger(validatorIndex), address, rlpInteger(amount)]
}

/** The encoding that the withdrawals root covers. */
export function encodeWithdrawal(withdrawal: Withdrawal): Uint8Array {
  return encodeRlp(withdrawalItems(withdrawal))
}

/**
 * The block that `raw` holds; byte arrays are views into it.
 * @throws INVALID_RLP, or BLOCK_INVALID where the lists are not a block's.
 */
export function decodeBlock(raw: Uint8Array): EthereumBlock {
  const parts = readList(decodeRlp(raw), 'the parts of the block')
  if (parts.length !== 3 && parts.length !== 4) {
    throw invalidBlock(`the block has ${parts.length} parts, want 3 or 4`)
  }
  const [header, transactions, ...body] = parts
  return {
    header: decodeHeader(header),
    // A typed transaction stands as a string, a legacy one as the list it is.
    transactions: readList(transactions, 'the transactions').map((item) =>
      item instanceof Uint8Array ? readTyped(item) : encodeRlp(item),
    ),
    ...readBody(body),
    encodedOmmers: encodeRlp(body[0] as RlpItem),
    size: raw.length,
  }
}

function readBody([ommers, withdrawals]: readonly RlpItem[]): EthereumBody {
  return {
    ommers: readList(ommers, 'the ommers').map(decodeHeader),
    withdrawals:
      withdrawals === undefined
        ? undefined
        : readList(withdrawals, 'the withdrawals').map(decodeWithdrawal),
  }
}

function readTyped(item: Uint8Array): Uint8Array {
  const type = item[0] ?? 0xff
  if (type > 0x7f) throw invalidBlock('a legacy transaction must be an RLP list')
  return item
}

function bodyItems({ ommers, withdrawals }: EthereumBody): RlpItem[] {
  for (const ommer of ommers) requireHeader(ommer)
  const items: RlpItem[] = [ommers.map(headerItems)]
  if (withdrawals !== undefined) items.push(withdrawals.map(withdrawalItems))
  return items
}

/** Ommers and withdrawals alone, in one list. */
export function encodeBody(body: EthereumBody): Uint8Array {
  return encodeRlp(bodyItems(body))
}

/** The body that `encodeBody` wrote. @throws INVALID_RLP, BLOCK_INVALID */
export function decodeBody(raw: Uint8Array): EthereumBody {
  return readBody(readList(decodeRlp(raw), 'the parts of the body'))
}

/** The whole block, as peers and export files have it. */
export function encodeBlock(
  header: EthereumHeader,
  transactions: readonly Uint8Array[],
  body: EthereumBody,
): Uint8Array {
  requireHeader(header)
  const items = transactions.map((raw) => ((raw[0] as number) > 0x7f ? decodeRlp(raw) : raw))
  return encodeRlp([headerItems(header), items, ...bodyItems(body)])
}

/** The header of a finished block. `size` is the bytes of the whole block. */
export function finishedHeader(
  header: EthereumHeader,
  hash: Uint8Array,
  size: number,
  totalDifficulty: bigint,
): BlockHeader {
  return {
    number: Number(header.number),
    hash,
    parentHash: header.parentHash,
    stateRoot: header.stateRoot,
    transactionsRoot: header.transactionsRoot,
    receiptsRoot: header.receiptsRoot,
    logsBloom: header.logsBloom,
    miner: header.coinbase,
    prevRandao: header.mixHash,
    timestamp: Number(header.timestamp),
    gasLimit: header.gasLimit,
    gasUsed: header.gasUsed,
    baseFeePerGas: header.baseFeePerGas ?? 0n,
    size,
    ethereum: { header, totalDifficulty },
  }
}

/** Hashes of blocks: commit.wasm's. */
export interface BlockHasher {
  keccak256(bytes: Uint8Array): Uint8Array
  /** Root of the Merkle Patricia trie of rows, 32 bytes. */
  trieRoot(rows: Iterable<readonly [key: Uint8Array, value: Uint8Array]>): Uint8Array
}

/** Root of the trie of a list: keys are the indices in RLP. */
export function listRoot(hasher: BlockHasher, values: readonly Uint8Array[]): Uint8Array {
  return hasher.trieRoot(values.map((value, index) => [encodeRlp(rlpInteger(index)), value]))
}
