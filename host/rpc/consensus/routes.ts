import { LockstepError } from '../../base/error.ts'
import type { DecidedBlock } from '../../consensus/embedded/block-store.ts'
import { abciQuery } from './abci-query.ts'
import { appHashAfter } from './app-hash.ts'
import type { Arguments } from './arguments.ts'
import { blockResult } from './block-result.ts'
import { broadcastTxAsync, broadcastTxCommit, broadcastTxSync, checkTx } from './broadcast.ts'
import type { ConsensusRpcContext, RouteCaller } from './context.ts'
import { broadcastEvidence } from './evidence.ts'
import { genesis, genesisChunked } from './genesis.ts'
import { resolveHeight, resolvePage, resolveRange } from './height.ts'
import { blockIdJson, commitJson, formatBytes, headerJson, validatorJson } from './json.ts'
import { lagFailure, lagStatus } from './lag-status.ts'
import type { RpcError, RpcId } from './response.ts'
import { consensusState, dumpConsensusState } from './round-state.ts'
import { searchBlocks, searchTransactions } from './search.ts'
import { NET_INFO, status } from './status.ts'
import { subscribe, unsubscribe, unsubscribeAll } from './subscribe.ts'
import { transaction } from './transaction.ts'
import { executedJson, executedTransactions } from './transaction-result.ts'
import { countUnconfirmed, listUnconfirmed } from './unconfirmed.ts'

export interface Route {
  /** Names in the order of positional params. */
  readonly params: readonly string[]
  readonly call: (
    context: ConsensusRpcContext,
    args: Arguments,
    caller: RouteCaller,
    id: RpcId,
  ) => object | Promise<object>
  /** An error that goes out beside the result. */
  readonly check?: (context: ConsensusRpcContext) => RpcError | undefined
}

/** CometBFT's defaults: evidence expires after this many blocks and nanoseconds. */
const EVIDENCE_PARAMS = {
  max_age_num_blocks: '100000',
  max_age_duration: '172800000000000',
  max_bytes: '1048576',
}

function decidedAt(context: ConsensusRpcContext, args: Arguments): DecidedBlock | undefined {
  const height = resolveHeight(context, args.integer('height'), context.engine.height)
  return context.blockStore.decided(height)
}

function decidedBy(context: ConsensusRpcContext, hash: Uint8Array): DecidedBlock | undefined {
  const height = context.blockStore.heightOf(hash)
  if (height === undefined || height > context.engine.height) return undefined
  return context.blockStore.decided(height)
}

function headerResult(decided: DecidedBlock | undefined): object {
  return { header: decided === undefined ? null : headerJson(decided.block.header) }
}

/** The set and the parameters that the next block will use are known already. */
function heightWithNext(context: ConsensusRpcContext, args: Arguments): number {
  return resolveHeight(context, args.integer('height'), context.engine.height + 1)
}

function validators(context: ConsensusRpcContext, args: Arguments): object {
  const height = heightWithNext(context, args)
  const all = context.chain.validators
  const [start, end] = resolvePage(args.integer('page'), args.integer('per_page'), all.length)
  const page = all.slice(start, end).map(validatorJson)
  return {
    block_height: String(height),
    validators: page,
    count: String(page.length),
    total: String(all.length),
  }
}

function consensusParams(context: ConsensusRpcContext, args: Arguments): object {
  const { application, chain } = context
  return {
    block_height: String(heightWithNext(context, args)),
    consensus_params: {
      block: { max_bytes: String(chain.maxBlockBytes), max_gas: String(chain.maxGas) },
      evidence: EVIDENCE_PARAMS,
      validator: { pub_key_types: ['ed25519'] },
      version: { app: String(application.info().appVersion) },
      abci: { vote_extensions_enable_height: '0' },
    },
  }
}

function blockchain(context: ConsensusRpcContext, args: Arguments): object {
  const [low, high] = resolveRange(context, args.integer('minHeight'), args.integer('maxHeight'))
  const metas: object[] = []
  for (let height = high; height >= low; height--) {
    const decided = context.blockStore.decided(height)
    if (decided === undefined) continue
    metas.push({
      block_id: blockIdJson(decided.blockId),
      block_size: String(decided.encoded.length),
      header: headerJson(decided.block.header),
      num_txs: String(decided.block.transactions.length),
    })
  }
  return { last_height: String(context.engine.height), block_metas: metas }
}

function commit(context: ConsensusRpcContext, args: Arguments): object {
  const decided = decidedAt(context, args)
  if (decided === undefined)
    return { signed_header: { header: null, commit: null }, canonical: false }
  const { header } = decided.block
  return {
    signed_header: { header: headerJson(header), commit: commitJson(decided.commit) },
    // The next block repeats the commit, and from then on it is part of the chain.
    canonical: header.height < context.engine.height,
  }
}

async function blockResults(context: ConsensusRpcContext, args: Arguments): Promise<object> {
  const height = resolveHeight(context, args.integer('height'), context.engine.height)
  const results = executedTransactions(context, height).map((each) => executedJson(each))
  const appHash = await appHashAfter(context, height)
  if (appHash === undefined) {
    throw new LockstepError('NOT_FOUND', `could not find results for height #${height}`)
  }
  return {
    height: String(height),
    txs_results: results,
    finalize_block_events: [],
    validator_updates: [],
    consensus_param_updates: null,
    app_hash: formatBytes(appHash),
  }
}

async function abciInfo(context: ConsensusRpcContext): Promise<object> {
  const info = context.application.info()
  return {
    response: {
      data: info.data,
      version: info.version,
      app_version: String(info.appVersion),
      last_block_height: String(info.lastBlockHeight),
      last_block_app_hash: formatBytes(await info.lastBlockAppHash),
    },
  }
}

/** Every route of the consensus RPC: over GET by path, over POST by method. */
export const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['abci_info', { params: [], call: abciInfo }],
  ['abci_query', { params: ['path', 'data', 'height', 'prove'], call: abciQuery }],
  ['block', { params: ['height'], call: (context, args) => blockResult(decidedAt(context, args)) }],
  [
    'block_by_hash',
    {
      params: ['hash'],
      call: (context, args) => blockResult(decidedBy(context, args.hash('hash'))),
    },
  ],
  ['block_results', { params: ['height'], call: blockResults }],
  ['block_search', { params: ['query', 'page', 'per_page', 'order_by'], call: searchBlocks }],
  ['blockchain', { params: ['minHeight', 'maxHeight'], call: blockchain }],
  ['broadcast_tx', { params: ['tx'], call: broadcastTxSync }],
  ['broadcast_tx_async', { params: ['tx'], call: broadcastTxAsync }],
  ['broadcast_tx_commit', { params: ['tx'], call: broadcastTxCommit }],
  ['broadcast_tx_sync', { params: ['tx'], call: broadcastTxSync }],
  ['check_tx', { params: ['tx'], call: checkTx }],
  ['commit', { params: ['height'], call: commit }],
  ['broadcast_evidence', { params: ['evidence'], call: broadcastEvidence }],
  ['consensus_params', { params: ['height'], call: consensusParams }],
  ['consensus_state', { params: [], call: consensusState }],
  ['dump_consensus_state', { params: [], call: dumpConsensusState }],
  ['genesis', { params: [], call: genesis }],
  ['genesis_chunked', { params: ['chunk'], call: genesisChunked }],
  [
    'header',
    { params: ['height'], call: (context, args) => headerResult(decidedAt(context, args)) },
  ],
  [
    'header_by_hash',
    {
      params: ['hash'],
      call: (context, args) => headerResult(decidedBy(context, args.hash('hash'))),
    },
  ],
  ['health', { params: [], call: () => ({}) }],
  ['lag_status', { params: [], call: lagStatus, check: lagFailure }],
  ['net_info', { params: [], call: () => NET_INFO }],
  ['num_unconfirmed_txs', { params: [], call: countUnconfirmed }],
  ['status', { params: [], call: status }],
  ['subscribe', { params: ['query'], call: subscribe }],
  ['tx', { params: ['hash', 'prove'], call: transaction }],
  [
    'tx_search',
    {
      params: ['query', 'prove', 'page', 'per_page', 'order_by'],
      call: searchTransactions,
    },
  ],
  ['unconfirmed_txs', { params: ['limit'], call: listUnconfirmed }],
  ['unsubscribe', { params: ['query'], call: unsubscribe }],
  ['unsubscribe_all', { params: [], call: unsubscribeAll }],
  ['validators', { params: ['height', 'page', 'per_page'], call: validators }],
])
