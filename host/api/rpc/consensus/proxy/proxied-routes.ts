import { lookup } from '../../../../base/lookup.ts'
import { sha256 } from '../../../../chain/consensus/comet/sha256.ts'
import type { RouteArguments } from '../arguments.ts'
import { broadcastTxAsync, broadcastTxSync, checkTx, transactionOf } from '../broadcast.ts'
import type { RouteCaller } from '../context.ts'
import { formatBytes } from '../json.ts'
import { lagFailure, lagStatus } from '../lag-status.ts'
import type { ConsensusRoute, Routes } from '../route.ts'
import { CONSENSUS_ROUTES } from '../routes.ts'
import { subscribeToEvents, unsubscribeAll, unsubscribeFromEvents } from '../subscribe.ts'
import type { ProxyContext } from './context.ts'
import {
  booleanParameter,
  hashParameter,
  hexHashParameter,
  hexParameter,
  integerParameter,
  json,
  type RouteParameter,
  readParameters,
  textParameter,
} from './parameters.ts'
import { proxiedStatus } from './status.ts'

type Call = ConsensusRoute<ProxyContext>['call']

const AT_HEIGHT = { height: integerParameter }
const PAGE = { page: integerParameter, per_page: integerParameter }

/** Routes whose responses are relayed from CometBFT unchanged, with their parameters in its JSON. */
const RELAYED: Readonly<Record<string, Readonly<Record<string, RouteParameter>>>> = {
  abci_info: {},
  abci_query: {
    path: textParameter,
    data: hexParameter,
    height: integerParameter,
    prove: booleanParameter,
  },
  block: AT_HEIGHT,
  block_by_hash: { hash: hashParameter },
  block_results: AT_HEIGHT,
  block_search: { query: textParameter, ...PAGE, order_by: textParameter },
  blockchain: { minHeight: integerParameter, maxHeight: integerParameter },
  broadcast_evidence: { evidence: json },
  commit: AT_HEIGHT,
  consensus_params: AT_HEIGHT,
  consensus_state: {},
  dump_consensus_state: {},
  genesis: {},
  genesis_chunked: { chunk: integerParameter },
  header: AT_HEIGHT,
  header_by_hash: { hash: hexHashParameter },
  health: {},
  net_info: {},
  num_unconfirmed_txs: {},
  tx_search: { query: textParameter, prove: booleanParameter, ...PAGE, order_by: textParameter },
  unconfirmed_txs: { limit: integerParameter },
  validators: { ...AT_HEIGHT, ...PAGE },
}

/** Handles /tx: CometBFT knows a transaction only by its SHA-256, this node also by its EVM hash. */
function transaction(
  { relay, transaction: find }: ProxyContext,
  args: RouteArguments,
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
  broadcast_tx_commit: broadcastTxCommitProxied,
  broadcast_tx_sync: broadcastTxSync,
  check_tx: checkTx,
  lag_status: lagStatus,
  status: proxiedStatus,
  subscribe: subscribeToEvents,
  tx: transaction,
  unsubscribe: unsubscribeFromEvents,
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
  [...CONSENSUS_ROUTES].flatMap(
    ([name, { help, params }]): [string, ConsensusRoute<ProxyContext>][] => {
      const call = callOf(name)
      if (call === undefined) return []
      return [[name, { help, params, call, ...(name === 'lag_status' && { check: lagFailure }) }]]
    },
  ),
)

/**
 * Handles /broadcast_tx_commit through CometBFT, which submits the transaction to its mempool and waits with a
 * subscription. The call therefore occupies a subscription slot.
 */
async function broadcastTxCommitProxied(
  { relay, slots }: ProxyContext,
  args: RouteArguments,
  caller: RouteCaller,
): Promise<object> {
  const leave = slots.enter()
  try {
    return await relay.call('broadcast_tx_commit', { tx: formatBytes(transactionOf(args)) }, caller)
  } finally {
    leave()
  }
}
