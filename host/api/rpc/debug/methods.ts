import { BLOCK, BLOCK_NUMBER } from '../argument/block-argument.ts'
import { CALL_BUNDLES, LATEST_STATE, STATE_CONTEXT } from '../argument/bundle-argument.ts'
import { STATE_OVERRIDES } from '../argument/call-argument.ts'
import {
  BLOCK_HASH,
  BLOCK_PARAM,
  CALL_PARAM,
  NUMBER,
  TRANSACTION_HASH,
} from '../argument/method-parameters.ts'
import {
  ADDRESS_TYPE,
  COUNT,
  DATA,
  FLAG,
  HASH,
  optional,
  required,
  TEXT,
} from '../argument/parameter.ts'
import { type Method, method } from '../call/method.ts'
import { getRawBlockAccessList } from '../eth/block-access-list.ts'
import { ethUnsubscribe } from '../eth/subscribe.ts'
import { getRawTransactionByHash } from '../eth/transaction.ts'
import { getAccessibleState } from './accessible-state.ts'
import { callMany, debugTraceCallMany } from './call-many.ts'
import { getChainConfig } from './chain-config.ts'
import { codeByHash } from './code-by-hash.ts'
import { executionWitness } from './execution-witness.ts'
import { modifiedByHash, modifiedByNumber } from './modified-accounts.ts'
import { preimage } from './preimage.ts'
import { getRawBlock, getRawHeader, getRawReceipts } from './raw.ts'
import { traceBlockStateAccess, traceStateAccess } from './state-access.ts'
import { accountRange, dumpBlock } from './state-dump.ts'
import { storageRangeAt } from './storage-range.ts'
import {
  debugTraceBlock,
  debugTraceCall,
  debugTraceTransaction,
  traceTransactionProfile,
} from './trace.ts'
import { getIntermediateRoots, traceRawBlock } from './trace-block.ts'
import { subscribeTraces } from './trace-chain.ts'
import {
  badBlockNotFound,
  FILE_TRACE_OPTIONS,
  NO_FILE_TRACE_OPTIONS,
  traceBlockToFiles,
} from './trace-files.ts'
import {
  NO_TRACE_CALL_OPTIONS,
  NO_TRACE_OPTIONS,
  TRACE_CALL_OPTIONS,
  TRACE_OPTIONS,
} from './trace-options.ts'

const TRACE = optional('options', TRACE_OPTIONS, NO_TRACE_OPTIONS)

/** Traces are limited by `evm.trace_timeout`, and those of one batch share one slot. */
const TRACING = { hasOwnTimeLimit: true, isSerialInBatch: true } as const

const BUNDLES = required('bundles', CALL_BUNDLES)
const STATE_CONTEXT_PARAM = optional('context', STATE_CONTEXT, LATEST_STATE)

/** The method of the namespace `eth` that runs on the threads of traces. */
export const CALL_MANY: Method = method('eth_callMany', {
  params: [
    BUNDLES,
    STATE_CONTEXT_PARAM,
    optional('stateOverrides', STATE_OVERRIDES, []),
    optional('timeoutMs', COUNT),
  ],
  result:
    'array of {value}, or {error, data?} of calls that fail, for each bundle. Each call runs on the state after the one ' +
    'before it, each bundle in a block one higher and one second later; `context` is {blockNumber, transactionIndex}, ' +
    'of which the index counts the transactions of the block that run first (-1: all)',
  ...TRACING,
  run: callMany,
})

/** The namespace `debug`. */
export const DEBUG_METHODS: readonly Method[] = [
  method('debug_accountRange', {
    params: [
      required('block', BLOCK),
      required('start', DATA),
      required('maxResults', COUNT),
      required('noCode', FLAG),
      required('noStorage', FLAG),
      required('incompletes', FLAG),
    ],
    result:
      '{root, accounts, next}: up to 256 accounts after the block in the order of their address hashes, on an ' +
      'imported chain; error -32000 on a native chain, whose state has no such order',
    run: accountRange,
  }),
  method('debug_chainConfig', {
    params: [],
    result: 'the rules of the chain as the `config` of a genesis.json of geth',
    run: getChainConfig,
  }),
  method('debug_codeByHash', {
    params: [required('codeHash', HASH), BLOCK_PARAM],
    result: 'code with this hash in the state after the block, or null',
    run: codeByHash,
  }),
  method('debug_dumpBlock', {
    params: [NUMBER],
    result: 'object as in debug_accountRange: the first 256 accounts with code and storage',
    run: dumpBlock,
  }),
  method('debug_executionWitness', {
    params: [required('block', BLOCK)],
    result:
      '{headers, codes, state, keys}: everything that a stateless node needs to execute the block, on an imported ' +
      'chain; on a native chain use debug_traceBlockStateAccess, which returns what a block read',
    run: executionWitness,
  }),
  method('debug_executionWitnessByBlockHash', {
    params: [BLOCK_HASH],
    result: 'object as in debug_executionWitness',
    run: (call, hash) => executionWitness(call, { kind: 'hash', hash }),
  }),
  method('debug_getAccessibleState', {
    params: [required('from', BLOCK_NUMBER), required('to', BLOCK_NUMBER)],
    result:
      'number of the first block from `from` to `to`, exclusive, whose state can be read; `from` may be the higher one',
    run: getAccessibleState,
  }),
  method('debug_getBadBlocks', {
    params: [],
    result: 'rejected blocks: always empty, because none are stored',
    run: () => [],
  }),
  method('debug_getModifiedAccountsByHash', {
    params: [required('start', HASH), optional('end', HASH)],
    result: 'array as in debug_getModifiedAccountsByNumber',
    run: modifiedByHash,
  }),
  method('debug_getModifiedAccountsByNumber', {
    params: [required('start', COUNT), optional('end', COUNT)],
    result:
      'addresses whose balance, nonce, code or storage was changed by the blocks after start up to end, or by one block ' +
      'alone, ordered by their hashes; a native chain replays the blocks within the time limit of a simulation',
    run: modifiedByNumber,
  }),
  method('debug_intermediateRoots', {
    params: [BLOCK_HASH, TRACE],
    result:
      'state roots after each transaction on an imported chain; error -32000 on a native chain, ' +
      'whose state is hashed once per block',
    ...TRACING,
    run: getIntermediateRoots,
  }),
  method('debug_preimage', {
    params: [required('hash', HASH)],
    result: 'address or slot of a hash, on an imported chain',
    run: preimage,
  }),
  method('debug_standardTraceBadBlockToFile', {
    params: [BLOCK_HASH, optional('options', FILE_TRACE_OPTIONS, NO_FILE_TRACE_OPTIONS)],
    result: 'error -32000: rejected blocks are not stored',
    run: badBlockNotFound,
  }),
  method('debug_standardTraceBlockToFile', {
    params: [BLOCK_HASH, optional('options', FILE_TRACE_OPTIONS, NO_FILE_TRACE_OPTIONS)],
    result:
      'names of files in the temporary folder of the node, one per transaction, with its steps as lines of ' +
      'JSON (EIP-3155); options {txHash, disableStack, enableMemory, enableReturnData, limit, timeout}',
    ...TRACING,
    run: traceBlockToFiles,
  }),
  method('debug_storageRangeAt', {
    params: [
      required('block', BLOCK),
      required('txIndex', COUNT),
      required('address', ADDRESS_TYPE),
      required('start', DATA),
      required('maxResults', COUNT),
    ],
    result:
      '{storage, nextKey}: slots of a contract in hash order before a transaction of the block, on an imported or a development chain',
    run: storageRangeAt,
  }),
  method('debug_subscribe', {
    params: [
      required('topic', TEXT),
      required('start', BLOCK_NUMBER),
      required('end', BLOCK_NUMBER),
      TRACE,
    ],
    result:
      'subscription id; topic traceChain: {block, hash, traces} of each block after start up to end that has ' +
      'transactions, and of end, in one notification each, as fast as the client reads',
    transports: ['ws'],
    run: subscribeTraces,
  }),
  method('debug_traceBlock', {
    params: [required('block', DATA), TRACE],
    result:
      'array as in debug_traceBlockByNumber, for a block of the chain in RLP as returned by debug_getRawBlock',
    ...TRACING,
    run: traceRawBlock,
  }),
  method('debug_traceBlockByHash', {
    params: [BLOCK_HASH, TRACE],
    result: 'array of {txHash, result} or {txHash, error}, streamed',
    ...TRACING,
    run: (call, hash, options) => debugTraceBlock(call, { kind: 'hash', hash }, options),
  }),
  method('debug_traceBlockByNumber', {
    params: [NUMBER, TRACE],
    result: 'array of {txHash, result} or {txHash, error}, streamed',
    ...TRACING,
    run: debugTraceBlock,
  }),
  method('debug_traceBlockStateAccess', {
    params: [NUMBER],
    result: 'object as in debug_traceStateAccess, for all transactions of the block',
    ...TRACING,
    run: traceBlockStateAccess,
  }),
  method('debug_traceCall', {
    params: [
      CALL_PARAM,
      BLOCK_PARAM,
      optional('options', TRACE_CALL_OPTIONS, NO_TRACE_CALL_OPTIONS),
    ],
    result:
      'result of the tracer, streamed; additional options {stateOverrides, blockOverrides, txIndex}',
    ...TRACING,
    run: debugTraceCall,
  }),
  method('debug_traceCallMany', {
    params: [
      BUNDLES,
      STATE_CONTEXT_PARAM,
      optional('options', TRACE_CALL_OPTIONS, NO_TRACE_CALL_OPTIONS),
    ],
    result:
      'array of results of the tracer for each bundle, streamed; bundles and context as in eth_callMany, options as in ' +
      'debug_traceCall without {blockOverrides, txIndex}',
    ...TRACING,
    run: debugTraceCallMany,
  }),
  method('debug_getRawBlock', {
    params: [required('block', BLOCK)],
    result:
      'RLP of the block; on a native chain, of the header, transactions and uncles of its record',
    run: getRawBlock,
  }),
  method('debug_getRawBlockAccessList', {
    params: [required('block', BLOCK)],
    result:
      'RLP of the access list of the block (EIP-7928); error -32001 if there is none, -32000 on a native chain',
    run: getRawBlockAccessList,
  }),
  method('debug_getRawHeader', {
    params: [required('block', BLOCK)],
    result:
      'RLP of the header; on a native chain, of the fields of its record, which its hash does not cover',
    run: getRawHeader,
  }),
  method('debug_getRawReceipts', {
    params: [required('block', BLOCK)],
    result: 'consensus encodings of the receipts',
    run: getRawReceipts,
  }),
  method('debug_getRawTransaction', {
    params: [TRANSACTION_HASH],
    result: 'network encoding, or 0x',
    run: getRawTransactionByHash,
  }),
  method('debug_traceStateAccess', {
    params: [TRANSACTION_HASH],
    result:
      '{app, tendermint, receipt, bundle}: the state that this transaction read, never truncated, ' +
      'and a bundle with which `lockstep replay` replays it offline',
    ...TRACING,
    run: traceStateAccess,
  }),
  method('debug_unsubscribe', {
    params: [required('id', TEXT)],
    result: 'true; ends the trace in progress',
    run: ethUnsubscribe,
  }),
  method('debug_traceTransaction', {
    params: [TRANSACTION_HASH, TRACE],
    result:
      'result of the tracer, streamed; options {tracer, tracerConfig, timeout}. Words of memory and ' +
      'storage in struct logs start with 0x, here and in the other traces, as in execution-apis and ' +
      'geth 1.17.10; geth 1.17.0 omits it',
    ...TRACING,
    run: debugTraceTransaction,
  }),
  method('debug_traceTransactionProfile', {
    params: [TRANSACTION_HASH, TRACE],
    result: '{trace, profile}: result of the tracer, and the duration of each phase in nanoseconds',
    ...TRACING,
    run: traceTransactionProfile,
  }),
]
