import { equalBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { formatTime } from '../../base/time.ts'
import { BLOCK_PROTOCOL } from '../../consensus/comet/header.ts'
import type { DecidedBlock } from '../../consensus/embedded/block-store.ts'
import { abciQuery } from './abci-query.ts'
import { appHashAfter } from './app-hash.ts'
import type { Arguments } from './arguments.ts'
import { broadcastTxAsync, broadcastTxCommit, broadcastTxSync, checkTx } from './broadcast.ts'
import type { ConsensusRpcContext, RouteCaller } from './context.ts'
import { resolveHeight, resolvePage, resolveRange } from './height.ts'
import {
  blockIdJson,
  blockJson,
  commitJson,
  formatBytes,
  formatHash,
  headerJson,
  publicKeyJson,
} from './json.ts'
import { lagFailure, lagStatus } from './lag-status.ts'
import type { RpcError, RpcId } from './response.ts'
import { subscribe, unsubscribe, unsubscribeAll } from './subscribe.ts'
import { executedJson, executedTransactions } from './transaction-result.ts'

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

const P2P_PROTOCOL = '8'

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

/** The answer of /block. */
export function blockResult(decided: DecidedBlock | undefined): object {
  if (decided === undefined) {
    return { block_id: { hash: '', parts: { total: 0, hash: '' } }, block: null }
  }
  return { block_id: blockIdJson(decided.blockId), block: blockJson(decided.block) }
}

function headerResult(decided: DecidedBlock | undefined): object {
  return { header: decided === undefined ? null : headerJson(decided.block.header) }
}

function syncPoint(prefix: 'latest' | 'earliest', decided: DecidedBlock | undefined): object {
  const header = decided?.block.header
  return {
    [`${prefix}_block_hash`]: decided === undefined ? '' : formatHash(decided.blockId.hash),
    [`${prefix}_app_hash`]: header === undefined ? '' : formatHash(header.appHash),
    [`${prefix}_block_height`]: String(header?.height ?? 0),
    [`${prefix}_block_time`]: formatTime(header?.time ?? 0n),
  }
}

/** Stands for the key of a node that never signs: clients of CometBFT want one. */
const NO_VALIDATOR = { publicKey: new Uint8Array(32), address: new Uint8Array(20) }

/** 0 where the node's key is not that of a validator. */
function powerOf({ chain, validator }: ConsensusRpcContext): number {
  const { address } = validator ?? NO_VALIDATOR
  return chain.validators.find((each) => equalBytes(each.address, address))?.power ?? 0
}

function status(context: ConsensusRpcContext): object {
  const { application, blockStore, chain, engine, node, validator = NO_VALIDATOR } = context
  const info = application.info()
  const height = String(engine.height)
  return {
    node_info: {
      protocol_version: {
        p2p: P2P_PROTOCOL,
        block: String(BLOCK_PROTOCOL),
        app: String(info.appVersion),
      },
      id: node.id,
      listen_addr: node.listenAddress,
      network: chain.id,
      version: node.version,
      channels: '',
      moniker: node.moniker,
      other: { tx_index: 'off', rpc_address: node.rpcAddress },
    },
    application_info: { version: info.version },
    sync_info: {
      ...syncPoint('latest', blockStore.decided(engine.height)),
      last_committed_block_height: height,
      ...syncPoint('earliest', blockStore.decided(blockStore.base)),
      max_peer_block_height: String(engine.sync.maxPeerHeight),
      catching_up: engine.sync.isCatchingUp,
      total_synced_time: '0',
      remaining_time: '0',
      total_snapshots: '0',
      chunk_process_avg_time: '0',
      snapshot_height: '0',
      snapshot_chunks_count: '0',
      snapshot_chunks_total: '0',
      backfilled_blocks: '0',
      backfill_blocks_total: '0',
    },
    validator_info: {
      address: formatHash(validator.address),
      pub_key: publicKeyJson(validator.publicKey),
      voting_power: String(powerOf(context)),
    },
    light_client_info: {},
  }
}

/** The set and the parameters that the next block will use are known already. */
function heightWithNext(context: ConsensusRpcContext, args: Arguments): number {
  return resolveHeight(context, args.integer('height'), context.engine.height + 1)
}

function validators(context: ConsensusRpcContext, args: Arguments): object {
  const height = heightWithNext(context, args)
  const all = context.chain.validators
  const [start, end] = resolvePage(args.integer('page'), args.integer('per_page'), all.length)
  const page = all.slice(start, end).map((validator) => ({
    address: formatHash(validator.address),
    pub_key: publicKeyJson(validator.publicKey),
    voting_power: String(validator.power),
    proposer_priority: '0',
  }))
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

function unconfirmed(context: ConsensusRpcContext): object {
  const { count, bytes } = context.unconfirmedTransactions()
  return { n_txs: String(count), total: String(count), total_bytes: String(bytes), txs: null }
}

/** The embedded engine has no peers. */
const NET_INFO = {
  listening: false,
  listeners: [],
  n_peers: '0',
  peers: [],
  peer_connections: [],
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
  ['blockchain', { params: ['minHeight', 'maxHeight'], call: blockchain }],
  ['broadcast_tx', { params: ['tx'], call: broadcastTxSync }],
  ['broadcast_tx_async', { params: ['tx'], call: broadcastTxAsync }],
  ['broadcast_tx_commit', { params: ['tx'], call: broadcastTxCommit }],
  ['broadcast_tx_sync', { params: ['tx'], call: broadcastTxSync }],
  ['check_tx', { params: ['tx'], call: checkTx }],
  ['commit', { params: ['height'], call: commit }],
  ['consensus_params', { params: ['height'], call: consensusParams }],
  ['genesis', { params: [], call: (context) => ({ genesis: context.genesisDocument }) }],
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
  ['num_unconfirmed_txs', { params: [], call: unconfirmed }],
  ['status', { params: [], call: status }],
  ['subscribe', { params: ['query'], call: subscribe }],
  ['unsubscribe', { params: ['query'], call: unsubscribe }],
  ['unsubscribe_all', { params: [], call: unsubscribeAll }],
  ['validators', { params: ['height', 'page', 'per_page'], call: validators }],
])
