import { decodeAccount, isContract } from '../../../evm/state/account.ts'
import { BLOCK, BLOCK_NUMBER, type BlockArgument } from '../argument/block-argument.ts'
import { ADDRESS_PARAM, BLOCK_HASH, TRANSACTION_HASH } from '../argument/method-parameters.ts'
import { ADDRESS, COUNT, type ParamType, required } from '../argument/parameter.ts'
import { type Method, method } from '../call/method.ts'
import type { RpcCall } from '../call/rpc-call.ts'
import { readState } from '../resolve/block-lookup.ts'
import {
  getBlockDetails,
  getBlockDetailsByHash,
  getBlockTransactions,
  getHeaderByNumber,
} from './block.ts'
import {
  getContractCreator,
  getTransactionBySenderAndNonce,
  searchTransactionsAfter,
  searchTransactionsBefore,
} from './search.ts'
import { getTransactionError, traceMined } from './transaction.ts'

/** Otterscan writes heights as numbers of JSON, other callers as quantities. */
function orNumber(type: ParamType<BlockArgument>): ParamType<BlockArgument> {
  return {
    label: type.label,
    decode: (value) => {
      if (typeof value !== 'number') return type.decode(value)
      const height = COUNT.decode(value)
      return { kind: 'height', height, asked: BigInt(height) }
    },
  }
}

const NUMBER = required('block', orNumber(BLOCK_NUMBER))
const ANY_BLOCK = required('block', orNumber(BLOCK))
const HEIGHT = required('block', COUNT)
const PAGE = required('page', COUNT)
const PAGE_SIZE = required('pageSize', COUNT)

/** Traces end by `evm.trace_timeout`, and those of one batch share one slot. */
const TRACING = { hasOwnTimeLimit: true, isSerialInBatch: true } as const

/** Version of the interface, as Otterscan counts it. */
const API_LEVEL = 8

const NEEDS_INDEX = 'error -32000 without evm.address_index, and while the index is being made'

function hasCode({ context }: RpcCall, address: Uint8Array, block: BlockArgument) {
  return readState(context, block, (view) => {
    const record = view.account(address)
    return record !== undefined && isContract(decodeAccount(record))
  })
}

/** The namespace `ots`, with the one method of `erigon` that Otterscan calls. */
export const OTS_METHODS: readonly Method[] = [
  method('erigon_getHeaderByNumber', {
    params: [NUMBER],
    result: 'block with the hashes of its transactions, or null',
    run: getHeaderByNumber,
  }),
  method('ots_getApiLevel', { params: [], result: '8, a number', run: () => API_LEVEL }),
  method('ots_getBlockDetails', {
    params: [NUMBER],
    result:
      '{block, issuance, totalFees}: the block without transactions and bloom, with their count; or null',
    run: getBlockDetails,
  }),
  method('ots_getBlockDetailsByHash', {
    params: [BLOCK_HASH],
    result: 'object as of ots_getBlockDetails, or null',
    run: getBlockDetailsByHash,
  }),
  method('ots_getBlockTransactions', {
    params: [NUMBER, PAGE, PAGE_SIZE],
    result:
      '{fullblock, receipts}: a page of transactions, of whose input the selector is shown, and their receipts ' +
      'without logs; page 0 are the last ones of the block. Null where there is no block',
    run: getBlockTransactions,
  }),
  method('ots_getContractCreator', {
    params: [ADDRESS_PARAM],
    result: `{hash, creator} of a contract, or null; ${NEEDS_INDEX}`,
    run: getContractCreator,
  }),
  method('ots_getInternalOperations', {
    params: [TRANSACTION_HASH],
    result:
      'array of {type, from, to, value}: what moved or came into being below the first call and was not undone; ' +
      'type 0 is a transfer, 1 SELFDESTRUCT, 2 CREATE, 3 CREATE2',
    ...TRACING,
    run: (call, hash) => traceMined(call, hash, 'otsOperationsTracer'),
  }),
  method('ots_getTransactionBySenderAndNonce', {
    params: [required('sender', ADDRESS), required('nonce', COUNT)],
    result: `hash of the transaction, or null; ${NEEDS_INDEX}`,
    run: getTransactionBySenderAndNonce,
  }),
  method('ots_getTransactionError', {
    params: [TRANSACTION_HASH],
    result: 'data that the transaction reverted with; 0x where it did not revert',
    ...TRACING,
    run: getTransactionError,
  }),
  method('ots_hasCode', {
    params: [ADDRESS_PARAM, ANY_BLOCK],
    result: 'true where the account has code',
    run: hasCode,
  }),
  method('ots_searchTransactionsAfter', {
    params: [ADDRESS_PARAM, HEIGHT, PAGE_SIZE],
    result:
      'object as of ots_searchTransactionsBefore, of the next transactions above the block; ' +
      `0 begins at the first one. ${NEEDS_INDEX}`,
    run: searchTransactionsAfter,
  }),
  method('ots_searchTransactionsBefore', {
    params: [ADDRESS_PARAM, HEIGHT, PAGE_SIZE],
    result:
      '{txs, receipts, firstPage, lastPage}: the transactions below the block in which the address sends, receives, ' +
      'creates, is created, or is called from code, the newest first, and the whole of the last block; 0 begins at ' +
      `the newest. As far as blocks and states are kept. ${NEEDS_INDEX}`,
    run: searchTransactionsBefore,
  }),
  method('ots_traceTransaction', {
    params: [TRANSACTION_HASH],
    result:
      'array of {type, depth, from, to, value, input, output}, the frames in their order; value is null where a ' +
      'frame can carry none',
    ...TRACING,
    run: (call, hash) => traceMined(call, hash, 'otsTraceTracer'),
  }),
]
