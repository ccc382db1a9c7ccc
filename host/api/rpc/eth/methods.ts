import { AMOUNT } from '../argument/amount.ts'
import { BLOCK, BLOCK_NUMBER } from '../argument/block-argument.ts'
import { LOG_QUERY } from '../argument/log-filter.ts'
import { ADDRESS_PARAM, BLOCK_HASH, BLOCK_PARAM, NUMBER } from '../argument/method-parameters.ts'
import { COUNT, DATA, INDEX, optional, required, TEXT } from '../argument/parameter.ts'
import { type Method, method } from '../call/method.ts'
import type { RpcTransport } from '../call/rpc-call.ts'
import { getAccount } from './account.ts'
import { accounts } from './accounts.ts'
import { capabilities, getUncle, getUncleCount } from './block.ts'
import { getBlockAccessList } from './block-access-list.ts'
import { config } from './config.ts'
import { feeHistory, PERCENTILES } from './fee.ts'
import { fillTransaction, PARTIAL_TRANSACTION } from './fill.ts'
import {
  getFilterChanges,
  getFilterLogs,
  newBlockFilter,
  newFilter,
  newPendingTransactionFilter,
  uninstallFilter,
} from './filter.ts'
import { pendingOfAccounts } from './pending.ts'
import { getMultiProof, getProof, PROOF_KEYS, PROOF_TARGETS } from './proof.ts'
import { getTransactionBySenderAndNonce } from './sender-nonce.ts'
import { SIMULATION, simulateV1 } from './simulate.ts'
import { ethSubscribe, ethUnsubscribe } from './subscribe.ts'
import { syncing } from './syncing.ts'
import { SYNC_WAIT_MS, sendRawTransactionSync } from './transaction.ts'

const INDEX_PARAM = required('index', INDEX)

const RAW = required('transaction', DATA)

const QUERY = required('filter', LOG_QUERY)

const FILTER_ID = required('id', TEXT)

const WS: readonly RpcTransport[] = ['ws']

/** The `eth` methods that are not in `read-methods.ts` or `../worker-methods.ts`. */
export const ETH_METHODS: readonly Method[] = [
  method('eth_accounts', {
    params: [],
    result:
      'accounts that the node signs for: those of a development chain and impersonated ones under --dev, ' +
      'otherwise none, because the node has no keys',
    run: accounts,
  }),
  method('eth_capabilities', {
    params: [],
    result: 'latest block, and the oldest available block of each kind of history',
    run: capabilities,
  }),
  method('eth_config', {
    params: [],
    result:
      '{current, next, last}: forks of an imported chain (EIP-7910); error -32000 on a native chain',
    run: config,
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
  method('eth_getAccount', {
    params: [ADDRESS_PARAM, BLOCK_PARAM],
    result:
      '{balance, codeHash, nonce, storageRoot} on an imported chain, or null; on a development chain of its latest ' +
      'or pending state, with the trie of eth_getProof; error -32000 on other native chains',
    run: getAccount,
  }),
  method('eth_getBlockAccessList', {
    params: [required('block', BLOCK)],
    result:
      'access list of the block (EIP-7928), or null; error -32001 before Amsterdam, -32000 on a native chain. ' +
      'The block is executed again within the time limit of a simulation',
    run: getBlockAccessList,
  }),
  ...['eth_getBlockAccessListByHash', 'eth_getBlockAccessListByBlockHash'].map((name) =>
    method(name, {
      params: [BLOCK_HASH],
      result: 'array as in eth_getBlockAccessList',
      run: (call, hash) => getBlockAccessList(call, { kind: 'hash', hash }),
    }),
  ),
  ...['eth_getBlockAccessListByNumber', 'eth_getBlockAccessListByBlockNumber'].map((name) =>
    method(name, {
      params: [NUMBER],
      result: 'array as in eth_getBlockAccessList',
      run: getBlockAccessList,
    }),
  ),
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
  method('eth_getMultiProof', {
    params: [required('targets', PROOF_TARGETS), BLOCK_PARAM],
    result: 'array of objects as in eth_getProof, in the order of the request; at most 1024 slots',
    run: getMultiProof,
  }),
  method('eth_getProof', {
    params: [ADDRESS_PARAM, required('slots', PROOF_KEYS), BLOCK_PARAM],
    result:
      'account, slots and their proofs on an imported chain (EIP-1186), and of the latest or pending state of a development chain, ' +
      'whose trie is built for it; error -32000 on another native chain, whose state root has another form: the error ' +
      'names what /abci_query proves there',
    run: getProof,
  }),
  method('eth_getTransactionBySenderAndNonce', {
    params: [ADDRESS_PARAM, required('nonce', AMOUNT)],
    result:
      'transaction record, mined or pending, or null. Without evm.address_index a binary search over the nonces of the ' +
      'retained states finds its block',
    run: getTransactionBySenderAndNonce,
  }),
  method('eth_getUncleByBlockHashAndIndex', {
    params: [BLOCK_HASH, INDEX_PARAM],
    result: 'uncle without transactions, or null; always null on a native chain',
    run: (call, hash, index) => getUncle(call, { kind: 'hash', hash }, index),
  }),
  method('eth_getUncleByBlockNumberAndIndex', {
    params: [NUMBER, INDEX_PARAM],
    result: 'uncle without transactions, or null; always null on a native chain',
    run: getUncle,
  }),
  method('eth_getUncleCountByBlockHash', {
    params: [BLOCK_HASH],
    result: 'number of uncles (0x0 on a native chain), or null',
    run: (call, hash) => getUncleCount(call, { kind: 'hash', hash }),
  }),
  method('eth_getUncleCountByBlockNumber', {
    params: [NUMBER],
    result: 'number of uncles (0x0 on a native chain), or null',
    run: getUncleCount,
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
      'pending transactions of the accounts of the node: unlocked and impersonated ones under --dev, otherwise none',
    run: pendingOfAccounts,
  }),
  method('eth_sendRawTransactionSync', {
    params: [RAW, optional('timeoutMs', COUNT, SYNC_WAIT_MS)],
    result: 'receipt; error 4 with the hash if the transaction is not mined in time',
    run: sendRawTransactionSync,
  }),
  method('eth_simulateV1', {
    params: [required('simulation', SIMULATION), BLOCK_PARAM],
    result:
      'simulated blocks with `calls`, at most 256; on a native chain with a stateRoot of zeros, ' +
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
    run: ethSubscribe,
  }),
  method('eth_syncing', {
    params: [],
    result:
      'false, or {startingBlock, currentBlock, highestBlock} while a full node catches up with its peers',
    run: ({ context }) => syncing(context),
  }),
  method('eth_uninstallFilter', {
    params: [FILTER_ID],
    result: 'true if the filter existed',
    run: uninstallFilter,
  }),
  method('eth_unsubscribe', {
    params: [required('id', TEXT)],
    result: 'true',
    run: ethUnsubscribe,
  }),
]
