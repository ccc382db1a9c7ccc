import { abciQuery } from './abci-query.ts'
import {
  broadcastTxAsync,
  broadcastTxCommitEmbedded,
  broadcastTxSync,
  checkTx,
} from './broadcast.ts'
import {
  abciInfo,
  block,
  blockByHash,
  blockchain,
  blockResults,
  commit,
  consensusParams,
  header,
  headerByHash,
  validators,
} from './chain-routes.ts'
import type { ConsensusRpcContext } from './context.ts'
import { events } from './event-log.ts'
import { broadcastEvidence } from './evidence.ts'
import { genesis, genesisChunked } from './genesis.ts'
import { lagFailure, lagStatus } from './lag-status.ts'
import { consensusState, dumpConsensusState } from './round-state.ts'
import type { ConsensusRoute, Routes } from './route.ts'
import { searchBlocks, searchTransactions } from './search.ts'
import { embeddedStatus, NET_INFO } from './status.ts'
import { subscribeToEvents, unsubscribeAll, unsubscribeFromEvents } from './subscribe.ts'
import { transaction } from './transaction.ts'
import { countUnconfirmed, listUnconfirmed } from './unconfirmed.ts'

type OwnRoute = ConsensusRoute<ConsensusRpcContext>

function route(params: readonly string[], call: OwnRoute['call'], help: string): OwnRoute {
  return { params, call, help }
}

/** The routes of the consensus RPC with the embedded engine. */
export const CONSENSUS_ROUTES: Routes<ConsensusRpcContext> = new Map<string, OwnRoute>([
  ['abci_info', route([], abciInfo, 'name, version, height and app hash of the application')],
  [
    'abci_query',
    route(
      ['path', 'data', 'height', 'prove'],
      abciQuery,
      'a value of a module store, with its proof',
    ),
  ],
  ['block', route(['height'], block, 'a block with its id; the latest if no height is given')],
  ['block_by_hash', route(['hash'], blockByHash, 'the same, by block hash')],
  [
    'block_results',
    route(['height'], blockResults, 'results of the transactions of a block, with their events'),
  ],
  [
    'block_search',
    route(
      ['query', 'page', 'per_page', 'order_by'],
      searchBlocks,
      'blocks that match a query, latest first',
    ),
  ],
  [
    'blockchain',
    route(['minHeight', 'maxHeight'], blockchain, 'headers of at most 20 blocks, latest first'),
  ],
  [
    'broadcast_evidence',
    route(
      ['evidence'],
      broadcastEvidence,
      'verifies evidence of misbehaviour, and reports why this chain cannot use it',
    ),
  ],
  [
    'broadcast_tx',
    route(['tx'], broadcastTxSync, 'broadcast_tx_sync under the name that seid uses'),
  ],
  [
    'broadcast_tx_async',
    route(['tx'], broadcastTxAsync, 'submits a transaction to the mempool and answers immediately'),
  ],
  [
    'broadcast_tx_commit',
    route(
      ['tx'],
      broadcastTxCommitEmbedded,
      'submits a transaction and answers when a block includes it',
    ),
  ],
  [
    'broadcast_tx_sync',
    route(
      ['tx'],
      broadcastTxSync,
      'submits a transaction and answers with the result of the mempool check',
    ),
  ],
  [
    'check_tx',
    route(['tx'], checkTx, 'the result of the mempool check, without submitting the transaction'),
  ],
  ['commit', route(['height'], commit, 'a header with the signatures of its commit')],
  ['consensus_params', route(['height'], consensusParams, 'the consensus parameters')],
  ['consensus_state', route([], consensusState, 'the current round of the engine')],
  ['dump_consensus_state', route([], dumpConsensusState, 'the same with validators and votes')],
  [
    'events',
    route(
      ['filter', 'maxItems', 'before', 'after', 'waitTime'],
      events,
      'events of the last blocks, latest first; waits for one with waitTime (nanoseconds); only with the embedded engine',
    ),
  ],
  ['genesis', route([], genesis, 'genesis.json, if it is at most 16 MiB')],
  ['genesis_chunked', route(['chunk'], genesisChunked, 'a chunk of genesis.json, 16 MiB each')],
  ['header', route(['height'], header, 'a header')],
  ['header_by_hash', route(['hash'], headerByHash, 'the same, by block hash')],
  ['health', route([], () => ({}), 'an empty result if the node responds')],
  [
    'lag_status',
    {
      ...route(
        [],
        lagStatus,
        'how many blocks the node is behind its peers, as numbers; null without peers; 417 above rpc.lag-threshold',
      ),
      check: lagFailure,
    },
  ],
  ['net_info', route([], () => NET_INFO, 'peers; none with the embedded engine')],
  ['num_unconfirmed_txs', route([], countUnconfirmed, 'number and bytes of pending transactions')],
  ['status', route([], embeddedStatus, 'node, heights and validator')],
  ['subscribe', route(['query'], subscribeToEvents, 'events as they occur; only over /websocket')],
  [
    'tx',
    route(
      ['hash', 'prove'],
      transaction,
      'a transaction by its SHA-256 or its EVM hash, with its proof',
    ),
  ],
  [
    'tx_search',
    route(
      ['query', 'prove', 'page', 'per_page', 'order_by'],
      searchTransactions,
      'transactions that match a query, oldest first',
    ),
  ],
  [
    'unconfirmed_txs',
    route(['limit'], listUnconfirmed, 'pending transactions: 30 by default, at most 100'),
  ],
  ['unsubscribe', route(['query'], unsubscribeFromEvents, 'ends a subscription')],
  ['unsubscribe_all', route([], unsubscribeAll, 'ends all subscriptions of the connection')],
  ['validators', route(['height', 'page', 'per_page'], validators, 'the validators of a height')],
])
