import { BLOCK } from '../argument/block-argument.ts'
import { BLOCK_OVERRIDES, STATE_OVERRIDES } from '../argument/call-argument.ts'
import { BLOCK_PARAM, CALL_PARAM, TRANSACTION_HASH } from '../argument/method-parameters.ts'
import { DATA, optional, required } from '../argument/parameter.ts'
import { type Method, method } from '../call/method.ts'
import { parityTraceBlock, replayBlockTransactions } from './block.ts'
import { parityTraceCall, traceCallMany, traceRawTransaction } from './call.ts'
import { traceFilter } from './filter.ts'
import { TRACE_FILTER } from './filter-argument.ts'
import { ASKED_CALLS, TRACE_ADDRESS, TRACE_TYPE_LIST } from './trace-types.ts'
import { parityTraceTransaction, replayTransaction, traceGet } from './transaction.ts'

const TYPES = required('traceTypes', TRACE_TYPE_LIST)
const BLOCK_ARGUMENT = required('block', BLOCK)

/** Traces are limited by `evm.trace_timeout`, and those of one batch share one slot. */
const TRACING = { hasOwnTimeLimit: true, isSerialInBatch: true } as const

/** Parity's `trace` namespace. */
export const TRACE_METHODS: readonly Method[] = [
  method('trace_block', {
    params: [BLOCK_ARGUMENT],
    result:
      'array of traces: the frames of all transactions and, on an imported chain before the merge, the ' +
      'rewards; null if the block does not exist; streamed',
    ...TRACING,
    run: parityTraceBlock,
  }),
  method('trace_call', {
    params: [
      CALL_PARAM,
      TYPES,
      BLOCK_PARAM,
      optional('stateOverrides', STATE_OVERRIDES, []),
      optional('blockOverrides', BLOCK_OVERRIDES),
    ],
    result:
      '{output, stateDiff, trace, vmTrace}, streamed; traceTypes selects members, the others ' +
      'are null, `trace` empty. Overrides as in debug_traceCall',
    ...TRACING,
    run: parityTraceCall,
  }),
  method('trace_callMany', {
    params: [required('calls', ASKED_CALLS), BLOCK_PARAM],
    result: 'array of results as in trace_call, each on the state after the previous call',
    ...TRACING,
    run: traceCallMany,
  }),
  method('trace_filter', {
    params: [required('filter', TRACE_FILTER)],
    result:
      'array of traces as in trace_block, in chain order, streamed: {fromBlock, toBlock, fromAddress, ' +
      'toAddress, after, count, mode}. `mode` selects traces that match either address list ' +
      '(`union`, the default as in Erigon and reth) or both (`intersection`, as in Parity)',
    ...TRACING,
    run: traceFilter,
  }),
  method('trace_get', {
    params: [TRANSACTION_HASH, required('traceAddress', TRACE_ADDRESS)],
    result:
      'the trace of a transaction at a `traceAddress`, as in Parity; null if there is none. Erigon and reth ' +
      'expect one number instead, which counts the traces after the first',
    ...TRACING,
    run: traceGet,
  }),
  method('trace_rawTransaction', {
    params: [required('data', DATA), TYPES, BLOCK_PARAM],
    result:
      'object as in trace_call for a signed transaction, which is not sent; charges its fees, accepts any nonce',
    ...TRACING,
    run: traceRawTransaction,
  }),
  method('trace_replayBlockTransactions', {
    params: [BLOCK_ARGUMENT, TYPES],
    result:
      'array of objects as in trace_replayTransaction, each with its transactionHash; streamed',
    ...TRACING,
    run: replayBlockTransactions,
  }),
  method('trace_replayTransaction', {
    params: [TRANSACTION_HASH, TYPES],
    result: 'object as in trace_call for a mined transaction',
    ...TRACING,
    run: replayTransaction,
  }),
  method('trace_transaction', {
    params: [TRANSACTION_HASH],
    result: 'array of the frames of a mined transaction; null if it does not exist',
    ...TRACING,
    run: parityTraceTransaction,
  }),
]
