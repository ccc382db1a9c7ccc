import { decodeAccount, isContract } from '../../../evm/state/account.ts'
import { BLOCK, BLOCK_NUMBER, type BlockArgument } from '../argument/block-argument.ts'
import { ADDRESS_PARAM, BLOCK_HASH, TRANSACTION_HASH } from '../argument/method-parameters.ts'
import {
  ADDRESS_TYPE,
  COUNT,
  FLAG,
  optional,
  type ParamType,
  required,
} from '../argument/parameter.ts'
import { type Method, method } from '../call/method.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { readBlockState } from '../resolve/block-lookup.ts'
import {
  getBlockByTimestamp,
  getBlockDetails,
  getBlockDetailsByHash,
  getBlockTransactions,
  getHeaderByNumber,
} from './block.ts'
import { getLatestLogs, LAST_BLOCK, LATEST_LOG_OPTIONS, LATEST_LOG_QUERY } from './latest-logs.ts'
import {
  getContractCreator,
  getHashBySenderAndNonce,
  searchTransactionsAfter,
  searchTransactionsBefore,
} from './search.ts'
import { getTransactionError, traceMined } from './transaction.ts'

/** Otterscan sends heights as JSON numbers, other callers as quantities. */
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

/** Traces are limited by `evm.trace_timeout`, and those of one batch share one slot. */
const TRACING = { hasOwnTimeLimit: true, isSerialInBatch: true } as const

/** Version of Otterscan's API. */
const API_LEVEL = 8

const NEEDS_INDEX = 'error -32000 without evm.address_index, and until the index is complete'

function hasCode({ context }: MethodCall, address: Uint8Array, block: BlockArgument) {
  return readBlockState(context, block, (view) => {
    const record = view.account(address)
    return record !== undefined && isContract(decodeAccount(record))
  })
}

/** The namespaces `ots` and `erigon`. */
export const OTS_METHODS: readonly Method[] = [
  method('erigon_getBlockByTimestamp', {
    params: [required('timestamp', COUNT), optional('full', FLAG, false)],
    result:
      'the latest block whose time in seconds is not after the given one, or the earliest block',
    run: getBlockByTimestamp,
  }),
  method('erigon_getHeaderByHash', {
    params: [BLOCK_HASH],
    result: 'block as in erigon_getHeaderByNumber, or null',
    run: (call, hash) => getHeaderByNumber(call, { kind: 'hash', hash }),
  }),
  method('erigon_getHeaderByNumber', {
    params: [NUMBER],
    result: 'block with the hashes of its transactions, or null',
    run: getHeaderByNumber,
  }),
  method('erigon_getLatestLogs', {
    params: [
      required('filter', LATEST_LOG_QUERY),
      optional('options', LATEST_LOG_OPTIONS, LAST_BLOCK),
    ],
    result:
      'logs as in eth_getLogs with the `timestamp` of their block, the last block and transaction first; options ' +
      '{logCount, blockCount, ignoreTopicsOrder}, by default those of the last block that has any',
    run: getLatestLogs,
  }),
  method('ots_getApiLevel', { params: [], result: '8, a number', run: () => API_LEVEL }),
  method('ots_getBlockDetails', {
    params: [NUMBER],
    result:
      '{block, issuance, totalFees}: the block without transactions and bloom, with the transaction count; or null',
    run: getBlockDetails,
  }),
  method('ots_getBlockDetailsByHash', {
    params: [BLOCK_HASH],
    result: 'object as in ots_getBlockDetails, or null',
    run: getBlockDetailsByHash,
  }),
  method('ots_getBlockTransactions', {
    params: [NUMBER, PAGE, PAGE_SIZE],
    result:
      '{fullblock, receipts}: a page of transactions, whose input is cut to the selector, and their receipts ' +
      'without logs; page 0 is the end of the block. Null if the block does not exist',
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
      'array of {type, from, to, value}: value that inner calls moved or created and that was not reverted; ' +
      'type 0 is a transfer, 1 SELFDESTRUCT, 2 CREATE, 3 CREATE2',
    ...TRACING,
    run: (call, hash) => traceMined(call, hash, 'otsOperationsTracer'),
  }),
  method('ots_getTransactionBySenderAndNonce', {
    params: [required('sender', ADDRESS_TYPE), required('nonce', COUNT)],
    result: `hash of the transaction, or null; ${NEEDS_INDEX}`,
    run: getHashBySenderAndNonce,
  }),
  method('ots_getTransactionError', {
    params: [TRANSACTION_HASH],
    result: 'data with which the transaction reverted; 0x if it did not revert',
    ...TRACING,
    run: getTransactionError,
  }),
  method('ots_hasCode', {
    params: [ADDRESS_PARAM, ANY_BLOCK],
    result: 'true if the account has code',
    run: hasCode,
  }),
  method('ots_searchTransactionsAfter', {
    params: [ADDRESS_PARAM, HEIGHT, PAGE_SIZE],
    result:
      'object as in ots_searchTransactionsBefore, of the next transactions above the block; ' +
      `0 starts at the first one. ${NEEDS_INDEX}`,
    run: searchTransactionsAfter,
  }),
  method('ots_searchTransactionsBefore', {
    params: [ADDRESS_PARAM, HEIGHT, PAGE_SIZE],
    result:
      '{txs, receipts, firstPage, lastPage}: the transactions below the block in which the address sends, receives, ' +
      'creates, is created, or is called from code, latest first, including all of the last block; 0 starts at ' +
      `the latest. Limited to available blocks and states. ${NEEDS_INDEX}`,
    run: searchTransactionsBefore,
  }),
  method('ots_traceTransaction', {
    params: [TRANSACTION_HASH],
    result:
      'array of {type, depth, from, to, value, input, output}, the frames in order; value is null if a ' +
      'frame cannot carry value',
    ...TRACING,
    run: (call, hash) => traceMined(call, hash, 'otsTraceTracer'),
  }),
]
