import { decodeRlp, encodeRlp, type RlpItem } from '../../base/rlp.ts'
import { decodeHeader, type EthereumHeader, FieldReader } from './header.ts'
import { invalidBlock } from './header-rules.ts'

/** Ether credited by the consensus layer (EIP-4895). */
export interface Withdrawal {
  readonly address: Uint8Array
  /** In gwei. */
  readonly amount: bigint
  /** The encoding that the withdrawals root holds. */
  readonly encoded: Uint8Array
}

/** A decoded block. Transactions are in the network encoding of EIP-2718, not yet decoded. */
export interface EthereumBlock {
  readonly header: EthereumHeader
  readonly transactions: readonly Uint8Array[]
  readonly ommers: readonly EthereumHeader[]
  /** The list of ommers as its hash covers it. */
  readonly encodedOmmers: Uint8Array
  /** Undefined before Shanghai. */
  readonly withdrawals: readonly Withdrawal[] | undefined
  /** Bytes of the whole encoding (EIP-7934). */
  readonly size: number
}

function readList(item: RlpItem | undefined, what: string): readonly RlpItem[] {
  if (item === undefined || item instanceof Uint8Array) throw invalidBlock(`${what} are no list`)
  return item
}

function decodeWithdrawal(item: RlpItem): Withdrawal {
  const fields = new FieldReader(item, 'a withdrawal')
  if (fields.length !== 4) throw invalidBlock(`a withdrawal of ${fields.length} fields`)
  fields.integer(64)
  fields.integer(64)
  return { address: fields.bytes(20), amount: fields.integer(64), encoded: encodeRlp(item) }
}

/**
 * The block that `raw` holds; byte arrays are views into it.
 * @throws INVALID_RLP, or BLOCK_INVALID where the lists are not a block's.
 */
export function decodeBlock(raw: Uint8Array): EthereumBlock {
  const parts = readList(decodeRlp(raw), 'the parts of the block')
  if (parts.length !== 3 && parts.length !== 4) {
    throw invalidBlock(`a block of ${parts.length} parts`)
  }
  const [header, transactions, ommers, withdrawals] = parts
  return {
    header: decodeHeader(header),
    // A typed transaction stands as a string, a legacy one as the list it is.
    transactions: readList(transactions, 'the transactions').map((item) =>
      item instanceof Uint8Array ? readTyped(item) : encodeRlp(item),
    ),
    ommers: readList(ommers, 'the ommers').map(decodeHeader),
    encodedOmmers: encodeRlp(ommers as RlpItem),
    withdrawals:
      withdrawals === undefined
        ? undefined
        : readList(withdrawals, 'the withdrawals').map(decodeWithdrawal),
    size: raw.length,
  }
}

function readTyped(item: Uint8Array): Uint8Array {
  const type = item[0] ?? 0xff
  if (type > 0x7f) throw invalidBlock('a legacy transaction stands as a string')
  return item
}
