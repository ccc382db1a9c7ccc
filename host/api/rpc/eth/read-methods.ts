import { BLOCK } from '../argument/block-argument.ts'
import { BLOCK_OVERRIDES, STATE_OVERRIDES } from '../argument/call-argument.ts'
import { LOG_QUERY } from '../argument/log-filter.ts'
import {
  ADDRESS_PARAM,
  BLOCK_HASH,
  BLOCK_PARAM,
  CALL_PARAM,
  NUMBER,
  TRANSACTION_HASH,
} from '../argument/method-parameters.ts'
import { FLAG, INDEX, optional, required, SLOT_TYPE } from '../argument/parameter.ts'
import type { ReadContext } from '../call/context.ts'
import { type Method, readMethod } from '../call/method.ts'
import { getAccountInfo } from './account.ts'
import {
  getBlock,
  getBlockByHash,
  getBlockReceipts,
  getHeader,
  getTransactionCountOfBlock,
} from './block.ts'
import { createAccessList, estimateGas, ethCall } from './call.ts'
import {
  baseFee,
  coinbase,
  latestBlobBaseFee,
  maxPriorityFeePerGas,
  suggestedGasPrice,
} from './fee.ts'
import { getLogs } from './filter.ts'
import {
  getBalance,
  getCode,
  getStorageAt,
  getStorageValues,
  getTransactionCount,
  SLOTS_BY_ACCOUNT,
} from './state.ts'
import {
  getRawTransactionByBlockAndIndex,
  getRawTransactionByHash,
  getTransactionByBlockAndIndex,
  getTransactionByHash,
  getTransactionReceipt,
} from './transaction.ts'

const INDEX_PARAM = required('index', INDEX)

const FULL = optional('full', FLAG, false)

const OVERRIDES = optional('stateOverrides', STATE_OVERRIDES, [])

const BLOCK_OVERRIDES_PARAM = optional('blockOverrides', BLOCK_OVERRIDES)

/** The `eth` methods that read finished blocks and their states. */
export const ETH_READ_METHODS: readonly Method<ReadContext>[] = [
  readMethod('eth_baseFee', {
    params: [],
    result: 'base fee of the block after the latest, in wei per unit of gas',
    run: baseFee,
  }),
  readMethod('eth_blobBaseFee', {
    params: [],
    result:
      'blob base fee of the latest block, in wei per unit of blob gas; error -32000 if the chain does not support blobs',
    run: latestBlobBaseFee,
  }),
  readMethod('eth_call', {
    params: [CALL_PARAM, BLOCK_PARAM, OVERRIDES, BLOCK_OVERRIDES_PARAM],
    result: 'output; error 3 with the revert data if the call reverts',
    run: ethCall,
  }),
  readMethod('eth_coinbase', {
    params: [],
    result: 'address that received the fees of the latest block',
    run: coinbase,
  }),
  readMethod('eth_createAccessList', {
    params: [CALL_PARAM, BLOCK_PARAM, OVERRIDES],
    result: '{accessList, gasUsed, error?}',
    run: createAccessList,
  }),
  readMethod('eth_estimateGas', {
    params: [CALL_PARAM, optional('block', BLOCK), OVERRIDES, BLOCK_OVERRIDES_PARAM],
    result:
      'least gas with which the call succeeds; without a block in the latest one, under --dev in the pending one',
    run: estimateGas,
  }),
  readMethod('eth_gasPrice', {
    params: [],
    result: 'gas price that gets a transaction into the next block, in wei per unit of gas',
    run: suggestedGasPrice,
  }),
  readMethod('eth_getAccountInfo', {
    params: [ADDRESS_PARAM, BLOCK_PARAM],
    result: '{balance, nonce, code}',
    run: getAccountInfo,
  }),
  readMethod('eth_getBalance', {
    params: [ADDRESS_PARAM, BLOCK_PARAM],
    result: 'wei',
    run: getBalance,
  }),
  readMethod('eth_getBlockByHash', {
    params: [BLOCK_HASH, FULL],
    result: 'block, or null',
    run: getBlockByHash,
  }),
  readMethod('eth_getBlockByNumber', {
    params: [NUMBER, FULL],
    result:
      'block, or null; `pending` is the next block with the current pool, with null as hash, nonce and miner',
    run: getBlock,
  }),
  readMethod('eth_getBlockReceipts', {
    params: [required('block', BLOCK)],
    result:
      'receipts of the block, or null; those of `pending` and their logs have null as blockHash',
    run: getBlockReceipts,
  }),
  readMethod('eth_getBlockTransactionCountByHash', {
    params: [BLOCK_HASH],
    result: 'number of transactions, or null',
    run: (call, hash) => getTransactionCountOfBlock(call, { kind: 'hash', hash }),
  }),
  readMethod('eth_getBlockTransactionCountByNumber', {
    params: [NUMBER],
    result: 'number of transactions, or null',
    run: getTransactionCountOfBlock,
  }),
  readMethod('eth_getCode', {
    params: [ADDRESS_PARAM, BLOCK_PARAM],
    result: 'bytecode',
    run: getCode,
  }),
  readMethod('eth_getHeaderByHash', {
    params: [BLOCK_HASH],
    result: 'header in the format of newHeads, or null',
    run: (call, hash) => getHeader(call, { kind: 'hash', hash }),
  }),
  readMethod('eth_getHeaderByNumber', {
    params: [NUMBER],
    result: 'header in the format of newHeads, or null',
    run: getHeader,
  }),
  readMethod('eth_getLogs', {
    params: [required('filter', LOG_QUERY)],
    result: 'logs in chain order',
    run: getLogs,
  }),
  readMethod('eth_getRawTransactionByBlockHashAndIndex', {
    params: [BLOCK_HASH, INDEX_PARAM],
    result: 'network encoding, or 0x',
    run: (call, hash, index) =>
      getRawTransactionByBlockAndIndex(call, { kind: 'hash', hash }, index),
  }),
  readMethod('eth_getRawTransactionByBlockNumberAndIndex', {
    params: [NUMBER, INDEX_PARAM],
    result: 'network encoding, or 0x',
    run: getRawTransactionByBlockAndIndex,
  }),
  readMethod('eth_getRawTransactionByHash', {
    params: [TRANSACTION_HASH],
    result: 'network encoding, or 0x',
    mayForwardLate: true,
    run: getRawTransactionByHash,
  }),
  readMethod('eth_getStorageAt', {
    params: [ADDRESS_PARAM, required('slot', SLOT_TYPE), BLOCK_PARAM],
    result: '32-byte value',
    run: getStorageAt,
  }),
  readMethod('eth_getStorageValues', {
    params: [required('slots', SLOTS_BY_ACCOUNT), BLOCK_PARAM],
    result: '32-byte values by address, in request order; at most 1024',
    run: getStorageValues,
  }),
  readMethod('eth_getTransactionByBlockHashAndIndex', {
    params: [BLOCK_HASH, INDEX_PARAM],
    result: 'transaction record, or null',
    run: (call, hash, index) => getTransactionByBlockAndIndex(call, { kind: 'hash', hash }, index),
  }),
  readMethod('eth_getTransactionByBlockNumberAndIndex', {
    params: [NUMBER, INDEX_PARAM],
    result: 'transaction record, or null',
    run: getTransactionByBlockAndIndex,
  }),
  readMethod('eth_getTransactionByHash', {
    params: [TRANSACTION_HASH],
    result: 'transaction record, mined or pending, or null',
    mayForwardLate: true,
    run: getTransactionByHash,
  }),
  readMethod('eth_getTransactionCount', {
    params: [ADDRESS_PARAM, BLOCK_PARAM],
    result: 'nonce; with `pending` the next nonce that the pool expects',
    run: getTransactionCount,
  }),
  readMethod('eth_getTransactionReceipt', {
    params: [TRANSACTION_HASH],
    result: 'receipt, or null',
    run: getTransactionReceipt,
  }),
  readMethod('eth_maxPriorityFeePerGas', {
    params: [],
    result: 'tip that gets a transaction into the next block, in wei per unit of gas',
    run: maxPriorityFeePerGas,
  }),
]
