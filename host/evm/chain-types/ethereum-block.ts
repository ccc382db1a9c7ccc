import { LockstepError } from '../../base/error.ts'
import { decodeRlp, encodeRlp, type RlpItem, rlpInteger } from '../../base/rlp.ts'
import { requireBits, requireLength } from '../../base/writable.ts'
import type { BlockHeader, EthereumBody, Withdrawal } from './block.ts'
import {
  decodeRlpHeader,
  type EthereumHeader,
  headerItems,
  RlpFieldReader,
  requireHeader,
} from './ethereum-header.ts'

/** A decoded block. Transactions are in the network encoding of EIP-2718, not yet decoded. */
export interface EthereumBlock extends EthereumBody {
  readonly header: EthereumHeader
  readonly transactions: readonly Uint8Array[]
  /** The encoded list of ommers, over which their hash is computed. */
  readonly encodedOmmers: Uint8Array
  /** The encoded access list (EIP-7928), which is not part of the block: geth's export files have it behind the body. */
  readonly encodedAccessList?: Uint8Array
  /** Size of the encoding in bytes, without the access list (EIP-7934). */
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
  const fields = new RlpFieldReader(item, 'a withdrawal')
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

/** Returns the encoding that goes into the withdrawals trie. */
export function encodeWithdrawal(withdrawal: Withdrawal): Uint8Array {
  return encodeRlp(withdrawalItems(withdrawal))
}

/**
 * Decodes a block. Byte arrays are views of `raw`.
 * @throws INVALID_RLP, or BLOCK_INVALID if the lists are not those of a block.
 */
export function decodeEthereumBlock(raw: Uint8Array): EthereumBlock {
  const parts = readList(decodeRlp(raw), 'the parts of the block')
  if (parts.length < 3 || parts.length > 5) {
    throw invalidBlock(`the block has ${parts.length} parts, want 3 to 5`)
  }
  const [header, transactions, ...body] = parts
  const [, , , , accessList] = parts
  return {
    header: decodeRlpHeader(header),
    // A typed transaction is encoded as a string, a legacy one as a list.
    transactions: readList(transactions, 'the transactions').map((item) =>
      item instanceof Uint8Array ? readTyped(item) : encodeRlp(item),
    ),
    ...readBody(body),
    encodedOmmers: encodeRlp(body[0] as RlpItem),
    ...(accessList !== undefined && {
      encodedAccessList: encodeRlp(readList(accessList, 'the accounts of the access list')),
    }),
    size: accessList === undefined ? raw.length : encodeRlp(parts.slice(0, 4)).length,
  }
}

function readBody([ommers, withdrawals]: readonly RlpItem[]): EthereumBody {
  return {
    ommers: readList(ommers, 'the ommers').map(decodeRlpHeader),
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

/** Encodes the ommers and withdrawals as one list. */
export function encodeBody(body: EthereumBody): Uint8Array {
  return encodeRlp(bodyItems(body))
}

/** Decodes the output of `encodeBody`. @throws INVALID_RLP, BLOCK_INVALID */
export function decodeBody(raw: Uint8Array): EthereumBody {
  return readBody(readList(decodeRlp(raw), 'the parts of the body'))
}

/** Encodes the whole block as peers and export files hold it. */
export function encodeEthereumBlock(
  header: EthereumHeader,
  transactions: readonly Uint8Array[],
  body: EthereumBody,
): Uint8Array {
  requireHeader(header)
  const items = transactions.map((raw) => ((raw[0] as number) > 0x7f ? decodeRlp(raw) : raw))
  return encodeRlp([headerItems(header), items, ...bodyItems(body)])
}

/** Returns the header of a finished block. `size` is the size of the whole block in bytes. */
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

/** Hash functions for blocks, implemented by commit.wasm. */
export interface BlockHasher {
  keccak256(bytes: Uint8Array): Uint8Array
  /** Returns the 32-byte root of the Merkle Patricia trie over the rows. */
  trieRoot(rows: Iterable<readonly [key: Uint8Array, value: Uint8Array]>): Uint8Array
}

/** Returns the root of a list's trie. Keys are the RLP-encoded indices. */
export function listRoot(hasher: BlockHasher, values: readonly Uint8Array[]): Uint8Array {
  return hasher.trieRoot(values.map((value, index) => [encodeRlp(rlpInteger(index)), value]))
}
