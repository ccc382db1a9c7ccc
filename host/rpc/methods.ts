import { formatData, formatQuantity } from '../base/hex.ts'
import { BLOCK, BLOCK_NUMBER, LATEST } from './argument/block-argument.ts'
import { BLOCK_OVERRIDES, CALL, STATE_OVERRIDES } from './argument/call-argument.ts'
import { LOG_QUERY } from './argument/log-filter.ts'
import {
  ADDRESS,
  COUNT,
  DATA,
  FLAG,
  HASH,
  INDEX,
  optional,
  required,
  SLOT,
  TEXT,
} from './argument/parameter.ts'
import { type Method, method } from './call/method.ts'
import type { RpcTransport } from './call/rpc-call.ts'
import { getRawBlock, getRawHeader, getRawReceipts } from './debug/raw.ts'
import { traceBlockStateAccess, traceStateAccess } from './debug/state-access.ts'
import { traceBlock, traceCall, traceTransaction, traceTransactionProfile } from './debug/trace.ts'
import { getIntermediateRoots, traceRawBlock } from './debug/trace-block.ts'
import {
  NO_TRACE_CALL_OPTIONS,
  NO_TRACE_OPTIONS,
  TRACE_CALL_OPTIONS,
  TRACE_OPTIONS,
} from './debug/trace-options.ts'
import {
  blockNumber,
  capabilities,
  getBlock,
  getBlockByHash,
  getBlockReceipts,
  getHeader,
  getTransactionCountOfBlock,
  getUncle,
  getUncleCount,
} from './eth/block.ts'
import { createAccessList, estimateGas, ethCall } from './eth/call.ts'
import { config } from './eth/config.ts'
import {
  baseFee,
  blobBaseFee,
  coinbase,
  feeHistory,
  gasPrice,
  maxPriorityFeePerGas,
  PERCENTILES,
} from './eth/fee.ts'
import { fillTransaction, PARTIAL_TRANSACTION } from './eth/fill.ts'
import {
  getFilterChanges,
  getFilterLogs,
  getLogs,
  newBlockFilter,
  newFilter,
  newPendingTransactionFilter,
  uninstallFilter,
} from './eth/filter.ts'
import { getProof, PROOF_KEYS } from './eth/proof.ts'
import { SIMULATION, simulateV1 } from './eth/simulate.ts'
import {
  getBalance,
  getCode,
  getStorageAt,
  getStorageValues,
  getTransactionCount,
  SLOTS_BY_ACCOUNT,
} from './eth/state.ts'
import { subscribe, unsubscribe } from './eth/subscribe.ts'
import { syncing } from './eth/syncing.ts'
import {
  getRawTransactionByBlockAndIndex,
  getRawTransactionByHash,
  getTransactionByBlockAndIndex,
  getTransactionByHash,
  getTransactionReceipt,
  SYNC_WAIT_MS,
  sendRawTransaction,
  sendRawTransactionSync,
} from './eth/transaction.ts'
import { content, contentFrom, inspect, status } from './txpool.ts'

const ADDRESS_PARAM = required('address', ADDRESS)
const BLOCK_PARAM = optional('block', BLOCK, LATEST)
const BLOCK_HASH = required('blockHash', HASH)
const NUMBER = required('block', BLOCK_NUMBER)
const TRANSACTION_HASH = required('transactionHash', HASH)
const INDEX_PARAM = required('index', INDEX)
const RAW = required('transaction', DATA)
const FULL = optional('full', FLAG, false)
const QUERY = required('filter', LOG_QUERY)
const FILTER_ID = required('id', TEXT)
const CALL_PARAM = required('call', CALL)
const OVERRIDES = optional('stateOverrides', STATE_OVERRIDES, [])
const BLOCK_OVERRIDES_PARAM = optional('blockOverrides', BLOCK_OVERRIDES)
const TRACE = optional('options', TRACE_OPTIONS, NO_TRACE_OPTIONS)

/** Traces end by `evm.trace_timeout`, and those of one batch share one slot. */
const TRACING = { hasOwnTimeLimit: true, isSerialInBatch: true } as const

const WS: readonly RpcTransport[] = ['ws']

/** Every method of the EVM JSON-RPC: the one place from which dispatch and METHODS.md come. */
export const METHODS: readonly Method[] = [
  method('eth_accounts', {
    params: [],
    result: 'accounts of the node: always empty, because the node holds no keys',
    run: () => [],
  }),
  method('eth_baseFee', {
    params: [],
    result: 'base fee of the block after the newest, in wei per unit of gas',
    run: baseFee,
  }),
  method('eth_blobBaseFee', {
    params: [],
    result:
      'blob base fee of the newest block, in wei per unit of blob gas; error -32000 where the chain takes no blobs',
    run: blobBaseFee,
  }),
  method('eth_blockNumber', { params: [], result: 'height of the newest block', run: blockNumber }),
  method('eth_call', {
    params: [CALL_PARAM, BLOCK_PARAM, OVERRIDES, BLOCK_OVERRIDES_PARAM],
    result: 'output; error 3 with the revert data when the call reverts',
    run: ethCall,
  }),
  method('eth_capabilities', {
    params: [],
    result: 'newest block, and for each kind of history the oldest block for which it is kept',
    run: capabilities,
  }),
  method('eth_chainId', {
    params: [],
    result: 'chain id',
    run: ({ context }) => formatQuantity(context.rules.chainId),
  }),
  method('eth_coinbase', {
    params: [],
    result: 'address that received the fees of the newest block',
    run: coinbase,
  }),
  method('eth_config', {
    params: [],
    result:
      '{current, next, last}: forks of an imported chain (EIP-7910); error -32000 on a chain of Lockstep',
    run: config,
  }),
  method('eth_createAccessList', {
    params: [CALL_PARAM, BLOCK_PARAM, OVERRIDES],
    result: '{accessList, gasUsed, error?}',
    run: createAccessList,
  }),
  method('eth_estimateGas', {
    params: [CALL_PARAM, BLOCK_PARAM, OVERRIDES, BLOCK_OVERRIDES_PARAM],
    result: 'least gas with which the call succeeds',
    run: estimateGas,
  }),
  method('eth_feeHistory', {
    params: [
      required('count', COUNT),
      required('newest', BLOCK_NUMBER),
      optional('percentiles', PERCENTILES),
    ],
    result: '{oldestBlock, reward?, baseFeePerGas, gasUsedRatio, ...}, at most 1024 blocks',
    run: feeHistory,
  }),
  method('eth_fillTransaction', {
    params: [required('transaction', PARTIAL_TRANSACTION)],
    result: '{raw, tx}: the transaction with its missing fields filled in, unsigned',
    run: fillTransaction,
  }),
  method('eth_gasPrice', {
    params: [],
    result: 'gas price with which a transaction gets into the next block, in wei per unit of gas',
    run: gasPrice,
  }),
  method('eth_getBalance', {
    params: [ADDRESS_PARAM, BLOCK_PARAM],
    result: 'wei',
    run: getBalance,
  }),
  method('eth_getBlockByHash', {
    params: [BLOCK_HASH, FULL],
    result: 'block, or null',
    run: getBlockByHash,
  }),
  method('eth_getBlockByNumber', {
    params: [NUMBER, FULL],
    result:
      'block, or null; `pending` is the next block as the pool would fill it now, with null as hash, nonce and miner',
    run: getBlock,
  }),
  method('eth_getBlockReceipts', {
    params: [required('block', BLOCK)],
    result: 'receipts of the block, or null',
    run: getBlockReceipts,
  }),
  method('eth_getBlockTransactionCountByHash', {
    params: [BLOCK_HASH],
    result: 'number of transactions, or null',
    run: (call, hash) => getTransactionCountOfBlock(call, { kind: 'hash', hash }),
  }),
  method('eth_getBlockTransactionCountByNumber', {
    params: [NUMBER],
    result: 'number of transactions, or null',
    run: getTransactionCountOfBlock,
  }),
  method('eth_getCode', {
    params: [ADDRESS_PARAM, BLOCK_PARAM],
    result: 'bytecode',
    run: getCode,
  }),
  method('eth_getFilterChanges', {
    params: [FILTER_ID],
    result: 'logs or hashes since the last call',
    run: getFilterChanges,
  }),
  method('eth_getFilterLogs', {
    params: [FILTER_ID],
    result: 'all logs of a log filter',
    run: getFilterLogs,
  }),
  method('eth_getHeaderByHash', {
    params: [BLOCK_HASH],
    result: 'header as newHeads shows it, or null',
    run: (call, hash) => getHeader(call, { kind: 'hash', hash }),
  }),
  method('eth_getHeaderByNumber', {
    params: [NUMBER],
    result: 'header as newHeads shows it, or null',
    run: getHeader,
  }),
  method('eth_getLogs', { params: [QUERY], result: 'logs in chain order', run: getLogs }),
  method('eth_getProof', {
    params: [ADDRESS_PARAM, required('slots', PROOF_KEYS), BLOCK_PARAM],
    result:
      'account, slots and their proofs on an imported chain (EIP-1186); error -32000 on a chain of ' +
      'Lockstep, whose state root is of another kind',
    run: getProof,
  }),
  method('eth_getRawTransactionByBlockHashAndIndex', {
    params: [BLOCK_HASH, INDEX_PARAM],
    result: 'network encoding, or 0x',
    run: (call, hash, index) =>
      getRawTransactionByBlockAndIndex(call, { kind: 'hash', hash }, index),
  }),
  method('eth_getRawTransactionByBlockNumberAndIndex', {
    params: [NUMBER, INDEX_PARAM],
    result: 'network encoding, or 0x',
    run: getRawTransactionByBlockAndIndex,
  }),
  method('eth_getRawTransactionByHash', {
    params: [TRANSACTION_HASH],
    result: 'network encoding, or null',
    run: getRawTransactionByHash,
  }),
  method('eth_getStorageAt', {
    params: [ADDRESS_PARAM, required('slot', SLOT), BLOCK_PARAM],
    result: '32-byte value',
    run: getStorageAt,
  }),
  method('eth_getStorageValues', {
    params: [required('slots', SLOTS_BY_ACCOUNT), BLOCK_PARAM],
    result: '32-byte values by address, in the order of the request; at most 1024',
    run: getStorageValues,
  }),
  method('eth_getTransactionByBlockHashAndIndex', {
    params: [BLOCK_HASH, INDEX_PARAM],
    result: 'transaction record, or null',
    run: (call, hash, index) => getTransactionByBlockAndIndex(call, { kind: 'hash', hash }, index),
  }),
  method('eth_getTransactionByBlockNumberAndIndex', {
    params: [NUMBER, INDEX_PARAM],
    result: 'transaction record, or null',
    run: getTransactionByBlockAndIndex,
  }),
  method('eth_getTransactionByHash', {
    params: [TRANSACTION_HASH],
    result: 'transaction record, mined or waiting, or null',
    run: getTransactionByHash,
  }),
  method('eth_getTransactionCount', {
    params: [ADDRESS_PARAM, BLOCK_PARAM],
    result: 'nonce; with `pending` the next nonce that the pool expects',
    run: getTransactionCount,
  }),
  method('eth_getTransactionReceipt', {
    params: [TRANSACTION_HASH],
    result: 'receipt, or null',
    run: getTransactionReceipt,
  }),
  method('eth_getUncleByBlockHashAndIndex', {
    params: [BLOCK_HASH, INDEX_PARAM],
    result: 'uncle without transactions, or null; always null on a chain of Lockstep',
    run: (call, hash, index) => getUncle(call, { kind: 'hash', hash }, index),
  }),
  method('eth_getUncleByBlockNumberAndIndex', {
    params: [NUMBER, INDEX_PARAM],
    result: 'uncle without transactions, or null; always null on a chain of Lockstep',
    run: getUncle,
  }),
  method('eth_getUncleCountByBlockHash', {
    params: [BLOCK_HASH],
    result: 'number of uncles (0x0 on a chain of Lockstep), or null',
    run: (call, hash) => getUncleCount(call, { kind: 'hash', hash }),
  }),
  method('eth_getUncleCountByBlockNumber', {
    params: [NUMBER],
    result: 'number of uncles (0x0 on a chain of Lockstep), or null',
    run: getUncleCount,
  }),
  method('eth_maxPriorityFeePerGas', {
    params: [],
    result: 'tip with which a transaction gets into the next block, in wei per unit of gas',
    run: maxPriorityFeePerGas,
  }),
  method('eth_newBlockFilter', { params: [], result: 'filter id', run: newBlockFilter }),
  method('eth_newFilter', { params: [QUERY], result: 'filter id', run: newFilter }),
  method('eth_newPendingTransactionFilter', {
    params: [],
    result: 'filter id',
    run: newPendingTransactionFilter,
  }),
  method('eth_pendingTransactions', {
    params: [],
    result:
      'pool transactions from accounts of the node: always empty, because the node holds no keys',
    run: () => [],
  }),
  method('eth_sendRawTransaction', {
    params: [RAW],
    result: 'transaction hash, once the transaction would survive a crash',
    run: sendRawTransaction,
  }),
  method('eth_sendRawTransactionSync', {
    params: [RAW, optional('timeoutMs', COUNT, SYNC_WAIT_MS)],
    result: 'receipt; error 4 with the hash when the transaction is not mined in time',
    run: sendRawTransactionSync,
  }),
  method('eth_simulateV1', {
    params: [required('simulation', SIMULATION), BLOCK_PARAM],
    result:
      'simulated blocks with `calls`, at most 256; on a chain of Lockstep with a stateRoot of zeros, ' +
      'and with the hash of the fields shown',
    run: simulateV1,
  }),
  method('eth_subscribe', {
    params: [
      required('topic', TEXT),
      optional('option', { label: 'filter or boolean', decode: (value) => value }),
    ],
    result:
      'subscription id; topics newHeads, logs, newPendingTransactions, transactionReceipts ' +
      '({transactionHashes}), syncing',
    transports: WS,
    run: subscribe,
  }),
  method('eth_syncing', {
    params: [],
    result:
      'false, or {startingBlock, currentBlock, highestBlock} while a full node catches up with those that it follows',
    run: ({ context }) => syncing(context),
  }),
  method('eth_uninstallFilter', {
    params: [FILTER_ID],
    result: 'true where the filter existed',
    run: uninstallFilter,
  }),
  method('eth_unsubscribe', {
    params: [required('id', TEXT)],
    result: 'true',
    run: unsubscribe,
  }),

  method('debug_getBadBlocks', {
    params: [],
    result: 'refused blocks: always empty, because none is kept',
    run: () => [],
  }),
  method('debug_intermediateRoots', {
    params: [BLOCK_HASH, TRACE],
    result:
      'state roots after each transaction on an imported chain; error -32000 on a chain of Lockstep, ' +
      'whose state is hashed once per block',
    ...TRACING,
    run: getIntermediateRoots,
  }),
  method('debug_traceBlock', {
    params: [required('block', DATA), TRACE],
    result:
      'array as of debug_traceBlockByNumber, for a block of the chain in RLP as debug_getRawBlock gives it',
    ...TRACING,
    run: traceRawBlock,
  }),
  method('debug_traceBlockByHash', {
    params: [BLOCK_HASH, TRACE],
    result: 'array of {txHash, result} or {txHash, error}, streamed',
    ...TRACING,
    run: (call, hash, options) => traceBlock(call, { kind: 'hash', hash }, options),
  }),
  method('debug_traceBlockByNumber', {
    params: [NUMBER, TRACE],
    result: 'array of {txHash, result} or {txHash, error}, streamed',
    ...TRACING,
    run: traceBlock,
  }),
  method('debug_traceBlockStateAccess', {
    params: [NUMBER],
    result: 'object as of debug_traceStateAccess, for all transactions of the block',
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
      'result of the tracer, streamed; options also {stateOverrides, blockOverrides, txIndex}',
    ...TRACING,
    run: traceCall,
  }),
  method('debug_getRawBlock', {
    params: [required('block', BLOCK)],
    result:
      'RLP of the block; on a chain of Lockstep, of the header, transactions and uncles of its record',
    run: getRawBlock,
  }),
  method('debug_getRawHeader', {
    params: [required('block', BLOCK)],
    result:
      'RLP of the header; on a chain of Lockstep, of the fields of its record, which its hash does not cover',
    run: getRawHeader,
  }),
  method('debug_getRawReceipts', {
    params: [required('block', BLOCK)],
    result: 'consensus encodings of the receipts',
    run: getRawReceipts,
  }),
  method('debug_getRawTransaction', {
    params: [TRANSACTION_HASH],
    result: 'network encoding, or null',
    run: getRawTransactionByHash,
  }),
  method('debug_traceStateAccess', {
    params: [TRANSACTION_HASH],
    result:
      '{app, tendermint, receipt, bundle}: the state that the transaction alone read, never cut short, ' +
      'and a bundle with which `lockstep replay` runs it again offline',
    ...TRACING,
    run: traceStateAccess,
  }),
  method('debug_traceTransaction', {
    params: [TRANSACTION_HASH, TRACE],
    result:
      'result of the tracer, streamed; options {tracer, tracerConfig, timeout}. Words of memory and ' +
      'storage in struct logs, here and in the other traces, begin with 0x, as in execution-apis and ' +
      'geth 1.17.10; geth 1.17.0 writes them without',
    ...TRACING,
    run: traceTransaction,
  }),
  method('debug_traceTransactionProfile', {
    params: [TRANSACTION_HASH, TRACE],
    result: '{trace, profile}: result of the tracer, and the nanoseconds that each phase took',
    ...TRACING,
    run: traceTransactionProfile,
  }),

  method('net_listening', { params: [], result: 'true', run: () => true }),
  method('net_peerCount', {
    params: [],
    result: '0x0: the chain has one validator, in one process',
    run: () => '0x0',
  }),
  method('net_version', {
    params: [],
    result: 'chain id in decimal',
    run: ({ context }) => context.rules.chainId.toString(),
  }),

  method('rpc_modules', {
    params: [],
    result: 'namespaces served, each with version 1.0',
    run: () => MODULES,
  }),

  method('txpool_content', {
    params: [],
    result: '{pending, queued}: transaction records by sender and nonce',
    run: content,
  }),
  method('txpool_contentFrom', {
    params: [ADDRESS_PARAM],
    result: '{pending, queued}: transaction records of one sender, by nonce',
    run: contentFrom,
  }),
  method('txpool_inspect', {
    params: [],
    result: '{pending, queued}: one line per transaction, by sender and nonce',
    run: inspect,
  }),
  method('txpool_status', { params: [], result: '{pending, queued}: counts', run: status }),

  method('web3_clientVersion', {
    params: [],
    result: 'name and version of the node',
    run: ({ context }) => context.clientVersion,
  }),
  method('web3_sha3', {
    params: [required('data', DATA)],
    result: 'Keccak-256 of the data',
    run: async (call, data) => formatData(await call.keccak256(data)),
  }),
]

const MODULES: Readonly<Record<string, string>> = Object.fromEntries(
  METHODS.map(({ name }) => [name.slice(0, name.indexOf('_')), '1.0']),
)
