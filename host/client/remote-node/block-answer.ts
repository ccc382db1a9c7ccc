import type { Withdrawal } from '../../evm/chain-types/block.ts'
import type { EthereumHeader } from '../../evm/chain-types/ethereum-header.ts'
import type { Log } from '../../evm/chain-types/log.ts'
import type { Receipt } from '../../evm/chain-types/receipt.ts'
import type { TransactionType } from '../../evm/chain-types/transaction.ts'
import type { UnsignedTransaction, WireSignature } from '../../evm/chain-types/transaction-codec.ts'
import type { JsonMember } from '../../evm/trace/bundle/bundle-json.ts'
import { given, loose } from './answer-member.ts'

// Decoders of a node's blocks, transactions and receipts, to the values that are encoded.

/** A block as a node describes it. */
export interface DescribedBlock {
  readonly header: EthereumHeader
  readonly hash: Uint8Array
  /** Not decoded yet: a chain may have its own transaction types. */
  readonly transactions: readonly JsonMember[]
}

const data = (length: number) => (member: JsonMember) => member.data(length)
const quantity = (bits: number) => (member: JsonMember) => member.quantity(bits)

export function describedBlock(block: JsonMember): DescribedBlock {
  const at = (name: string) => block.at(name)
  return {
    hash: at('hash').data(32),
    transactions: at('transactions').items(),
    header: {
      parentHash: at('parentHash').data(32),
      ommersHash: at('sha3Uncles').data(32),
      coinbase: at('miner').data(20),
      stateRoot: at('stateRoot').data(32),
      transactionsRoot: at('transactionsRoot').data(32),
      receiptsRoot: at('receiptsRoot').data(32),
      logsBloom: at('logsBloom').data(256),
      difficulty: at('difficulty').quantity(256),
      // The engine takes numbers of 53 bits
      number: BigInt(at('number').integer()),
      gasLimit: at('gasLimit').quantity(64),
      gasUsed: at('gasUsed').quantity(64),
      timestamp: at('timestamp').quantity(64),
      extraData: at('extraData').data(),
      mixHash: given(at('mixHash'), data(32)) ?? new Uint8Array(32),
      nonce: given(at('nonce'), data(8)) ?? new Uint8Array(8),
      baseFeePerGas: given(at('baseFeePerGas'), quantity(256)),
      withdrawalsRoot: given(at('withdrawalsRoot'), data(32)),
      blobGasUsed: given(at('blobGasUsed'), quantity(64)),
      excessBlobGas: given(at('excessBlobGas'), quantity(64)),
      parentBeaconBlockRoot: given(at('parentBeaconBlockRoot'), data(32)),
      requestsHash: given(at('requestsHash'), data(32)),
      blockAccessListHash: given(at('blockAccessListHash'), data(32)),
      slotNumber: given(at('slotNumber'), quantity(64)),
    },
  }
}

/** Returns the withdrawals of a block. */
export function describedWithdrawals(list: JsonMember): Withdrawal[] {
  return list.items().map((item) => ({
    index: item.at('index').quantity(64),
    validatorIndex: item.at('validatorIndex').quantity(64),
    address: item.at('address').data(20),
    amount: item.at('amount').quantity(64),
  }))
}

/** A transaction as a node describes it. */
export interface DescribedTransaction {
  readonly hash: Uint8Array
  readonly from: Uint8Array
  readonly unsigned: UnsignedTransaction
  readonly signature: WireSignature & { readonly yParity: 0 | 1 }
}

/** Returns the type of a transaction, which may not be one of Ethereum's. */
export function transactionType(transaction: JsonMember): number {
  return given(transaction.at('type'), (type) => type.integer()) ?? 0
}

/** @param transaction - Its type must be one of Ethereum's. */
export function describedTransaction(transaction: JsonMember): DescribedTransaction {
  const at = (name: string) => transaction.at(name)
  const type = transactionType(transaction) as TransactionType
  const v = loose(given(at('v'), (member) => member) ?? at('yParity'), 256)
  const list = <Item>(name: string, read: (item: JsonMember) => Item): Item[] =>
    given(at(name), (member) => member.items().map(read)) ?? []
  const maxFeePerGas = at(type >= 2 ? 'maxFeePerGas' : 'gasPrice').quantity(256)
  return {
    hash: at('hash').data(32),
    from: at('from').data(20),
    unsigned: {
      type,
      chainId: given(at('chainId'), quantity(256)),
      nonce: at('nonce').quantity(64),
      maxPriorityFeePerGas: type >= 2 ? at('maxPriorityFeePerGas').quantity(256) : maxFeePerGas,
      maxFeePerGas,
      gas: at('gas').quantity(64),
      to: given(at('to'), data(20)),
      value: at('value').quantity(256),
      data: at('input').data(),
      accessList: list('accessList', (entry) => ({
        address: entry.at('address').data(20),
        storageKeys: entry.at('storageKeys').items().map(data(32)),
      })),
      maxFeePerBlobGas: type === 3 ? at('maxFeePerBlobGas').quantity(256) : 0n,
      blobHashes: list('blobVersionedHashes', data(32)),
      authorizations: list('authorizationList', (item) => ({
        chainId: loose(item.at('chainId'), 256),
        address: item.at('address').data(20),
        nonce: loose(item.at('nonce'), 64),
        yParity: loose(given(item.at('yParity'), (member) => member) ?? item.at('v'), 8),
        r: loose(item.at('r'), 256),
        s: loose(item.at('s'), 256),
      })),
    },
    signature: { v, yParity: parity(v), r: loose(at('r'), 256), s: loose(at('s'), 256) },
  }
}

/** Returns the parity of a signature's `v`, also for legacy transactions: 27 and 35 are even (EIP-155). */
function parity(v: bigint): 0 | 1 {
  if (v <= 1n) return v === 0n ? 0 : 1
  return v % 2n === 1n ? 0 : 1
}

/** A receipt, and its index in the block. */
export interface DescribedReceipt {
  readonly receipt: Receipt
  readonly index: number
  /** Index of its first log in the block; undefined without logs. */
  readonly logIndex: number | undefined
  /** Wei per unit of blob gas; undefined for a transaction without blobs. */
  readonly blobGasPrice: bigint | undefined
}

export function describedReceipt(receipt: JsonMember): DescribedReceipt {
  const at = (name: string) => receipt.at(name)
  const logs = at('logs').items()
  const stateRoot = given(at('status'), () => true) ? undefined : at('root').data(32)
  return {
    index: at('transactionIndex').integer(),
    logIndex: logs[0]?.at('logIndex').integer(),
    blobGasPrice: given(at('blobGasPrice'), quantity(256)),
    receipt: {
      type: transactionType(receipt) as TransactionType,
      transactionHash: at('transactionHash').data(32),
      from: at('from').data(20),
      to: given(at('to'), data(20)),
      contractAddress: given(at('contractAddress'), data(20)),
      status: stateRoot === undefined && at('status').oneOf(['0x0', '0x1']) === '0x1' ? 1 : 0,
      gasUsed: at('gasUsed').quantity(64),
      cumulativeGasUsed: at('cumulativeGasUsed').quantity(64),
      effectiveGasPrice: given(at('effectiveGasPrice'), quantity(256)) ?? 0n,
      logs: logs.map(describedLog),
      logsBloom: at('logsBloom').data(256),
      ...(stateRoot !== undefined && { stateRoot }),
    },
  }
}

function describedLog(log: JsonMember): Log {
  return {
    address: log.at('address').data(20),
    topics: log.at('topics').items().map(data(32)),
    data: log.at('data').data(),
  }
}
