import { abciQuery } from './abci-query.ts'
import { broadcastTxAsync, broadcastTxCommit, broadcastTxSync, checkTx } from './broadcast.ts'
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
import type { Route, Routes } from './route.ts'
import { searchBlocks, searchTransactions } from './search.ts'
import { NET_INFO, status } from './status.ts'
import { subscribe, unsubscribe, unsubscribeAll } from './subscribe.ts'
import { transaction } from './transaction.ts'
import { countUnconfirmed, listUnconfirmed } from './unconfirmed.ts'

type OwnRoute = Route<ConsensusRpcContext>

function route(params: readonly string[], call: OwnRoute['call'], help: string): OwnRoute {
  return { params, call, help }
}

/** Every route of the consensus RPC of the embedded engine. */
export const ROUTES: Routes<ConsensusRpcContext> = new Map<string, OwnRoute>([
  ['abci_info', route([], abciInfo, 'name, version, height and app hash of the application')],
  [
    'abci_query',
    route(
      ['path', 'data', 'height', 'prove'],
      abciQuery,
      'a value of a module store, and its proof',
    ),
  ],
  ['block', route(['height'], block, 'a block with its id; the newest where no height is given')],
  ['block_by_hash', route(['hash'], blockByHash, 'the same, by the hash of the block')],
  [
    'block_results',
    route(['height'], blockResults, 'what the transactions of a block came to, with their events'),
  ],
  [
    'block_search',
    route(
      ['query', 'page', 'per_page', 'order_by'],
      searchBlocks,
      'blocks that a query finds, the newest first',
    ),
  ],
  [
    'blockchain',
    route(['minHeight', 'maxHeight'], blockchain, 'headers of at most 20 blocks, the newest first'),
  ],
  [
    'broadcast_evidence',
    route(
      ['evidence'],
      broadcastEvidence,
      'checks evidence of misbehaviour, and says why this chain cannot use it',
    ),
  ],
  ['broadcast_tx', route(['tx'], broadcastTxSync, "broadcast_tx_sync under seid's name")],
  [
    'broadcast_tx_async',
    route(['tx'], broadcastTxAsync, 'hands a transaction to the mempool and answers at once'),
  ],
  [
    'broadcast_tx_commit',
    route(['tx'], broadcastTxCommit, 'hands it over and answers with the block that holds it'),
  ],
  [
    'broadcast_tx_sync',
    route(['tx'], broadcastTxSync, 'hands it over and answers with what the mempool says'),
  ],
  ['check_tx', route(['tx'], checkTx, 'what the mempool would say of a transaction')],
  ['commit', route(['height'], commit, 'a header with the signatures that decided it')],
  ['consensus_params', route(['height'], consensusParams, 'the parameters of consensus')],
  ['consensus_state', route([], consensusState, 'the round that the engine is in')],
  ['dump_consensus_state', route([], dumpConsensusState, 'the same with validators and votes')],
  [
    'events',
    route(
      ['filter', 'maxItems', 'before', 'after', 'waitTime'],
      events,
      'events of the last blocks, the newest first; with waitTime (nanoseconds) it waits for one; by the embedded engine alone',
    ),
  ],
  ['genesis', route([], genesis, 'genesis.json, where it has at most 16 MiB')],
  ['genesis_chunked', route(['chunk'], genesisChunked, 'a piece of genesis.json, 16 MiB each')],
  ['header', route(['height'], header, 'a header')],
  ['header_by_hash', route(['hash'], headerByHash, 'the same, by the hash of the block')],
  ['health', route([], () => ({}), 'nothing: the node answers')],
  [
    'lag_status',
    {
      ...route(
        [],
        lagStatus,
        'how far the node is behind its peers, in numbers; null without peers; 417 above rpc.lag-threshold',
      ),
      check: lagFailure,
    },
  ],
  ['net_info', route([], () => NET_INFO, 'peers; none with the embedded engine')],
  [
    'num_unconfirmed_txs',
    route([], countUnconfirmed, 'number and bytes of the transactions that wait'),
  ],
  ['status', route([], status, 'node, heights and validator')],
  ['subscribe', route(['query'], subscribe, 'events as they come, over /websocket alone')],
  [
    'tx',
    route(
      ['hash', 'prove'],
      transaction,
      'a transaction by its SHA-256 or its hash of the EVM JSON-RPC, and its proof',
    ),
  ],
  [
    'tx_search',
    route(
      ['query', 'prove', 'page', 'per_page', 'order_by'],
      searchTransactions,
      'transactions that a query finds, the oldest first',
    ),
  ],
  [
    'unconfirmed_txs',
    route(
      ['limit'],
      listUnconfirmed,
      'transactions that wait, 30 where no limit is given and at most 100',
    ),
  ],
  ['unsubscribe', route(['query'], unsubscribe, 'ends a subscription')],
  ['unsubscribe_all', route([], unsubscribeAll, 'ends all of the connection')],
  ['validators', route(['height', 'page', 'per_page'], validators, 'the validators of a height')],
])
