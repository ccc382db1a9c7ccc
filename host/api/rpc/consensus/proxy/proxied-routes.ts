import { lookup } from '../../../../base/lookup.ts'
import { sha256 } from '../../../../chain/consensus/comet/sha256.ts'
import type { Arguments } from '../arguments.ts'
import { broadcastTxAsync, broadcastTxSync, checkTx } from '../broadcast.ts'
import type { RouteCaller } from '../context.ts'
import { formatBytes } from '../json.ts'
import { lagFailure, lagStatus } from '../lag-status.ts'
import type { Route, Routes } from '../route.ts'
import { ROUTES } from '../routes.ts'
import { subscribe, unsubscribe, unsubscribeAll } from '../subscribe.ts'
import { broadcastTxCommit } from './broadcast.ts'
import type { ProxyContext } from './context.ts'
import {
  boolean,
  hash,
  hex,
  hexHash,
  integer,
  json,
  type Parameter,
  readParameters,
  text,
} from './parameters.ts'
import { status } from './status.ts'

type Call = Route<ProxyContext>['call']

const AT_HEIGHT = { height: integer }
const PAGE = { page: integer, per_page: integer }

/** Routes whose responses are relayed from CometBFT unchanged, with their parameters in its JSON. */
const RELAYED: Readonly<Record<string, Readonly<Record<string, Parameter>>>> = {
  abci_info: {},
  abci_query: { path: text, data: hex, height: integer, prove: boolean },
  block: AT_HEIGHT,
  block_by_hash: { hash },
  block_results: AT_HEIGHT,
  block_search: { query: text, ...PAGE, order_by: text },
  blockchain: { minHeight: integer, maxHeight: integer },
  broadcast_evidence: { evidence: json },
  commit: AT_HEIGHT,
  consensus_params: AT_HEIGHT,
  consensus_state: {},
  dump_consensus_state: {},
  genesis: {},
  genesis_chunked: { chunk: integer },
  header: AT_HEIGHT,
  header_by_hash: { hash: hexHash },
  health: {},
  net_info: {},
  num_unconfirmed_txs: {},
  tx_search: { query: text, prove: boolean, ...PAGE, order_by: text },
  unconfirmed_txs: { limit: integer },
  validators: { ...AT_HEIGHT, ...PAGE },
}

/** Handles /tx: CometBFT knows a transaction only by its SHA-256, this node also by its EVM hash. */
function transaction(
  { relay, transaction: find }: ProxyContext,
  args: Arguments,
  caller: RouteCaller,
): Promise<object> {
  const asked = args.hash('hash')
  const raw = find(asked)
  const params = {
    hash: formatBytes(raw === undefined ? asked : sha256(raw)),
    prove: args.boolean('prove'),
  }
  return relay.call('tx', params, caller)
}

/** Routes that this node answers itself, or whose request or response it modifies. */
const OWN: Readonly<Record<string, Call>> = {
  broadcast_tx: broadcastTxSync,
  broadcast_tx_async: broadcastTxAsync,
  broadcast_tx_commit: broadcastTxCommit,
  broadcast_tx_sync: broadcastTxSync,
  check_tx: checkTx,
  lag_status: lagStatus,
  status,
  subscribe,
  tx: transaction,
  unsubscribe,
  unsubscribe_all: unsubscribeAll,
}

function callOf(name: string): Call | undefined {
  const parameters = lookup(RELAYED, name)
  if (parameters === undefined) return lookup(OWN, name)
  return ({ relay }, args, caller) => relay.call(name, readParameters(parameters, args), caller)
}

/**
 * The routes of the consensus RPC in front of CometBFT: the same names, parameters and help as with the embedded
 * engine.
 */
export const PROXIED_ROUTES: Routes<ProxyContext> = new Map(
  [...ROUTES].flatMap(([name, { help, params }]): [string, Route<ProxyContext>][] => {
    const call = callOf(name)
    if (call === undefined) return []
    return [[name, { help, params, call, ...(name === 'lag_status' && { check: lagFailure }) }]]
  }),
)
