/** An answer of the consensus RPC that differs from CometBFT's on purpose. */
export interface CometDifference {
  /** The questions that it is about. */
  readonly where: string
  readonly comet: string
  readonly lockstep: string
  readonly reason: string
}

/**
 * Where the consensus RPC differs from CometBFT 0.38: the comparison with a CometBFT accepts no others
 * (`test/clients/cometbft.slow.test.ts`).
 */
export const COMET_DIFFERENCES = {
  errorStatus: {
    where: 'errors over GET',
    comet: 'status 500',
    lockstep: 'status 200; 400 for arguments that cannot be read',
    reason: "the body tells, as on seid's nodes; 500 is for faults of the server",
  },
  errorData: {
    where: 'data of errors',
    comet: 'sometimes absent',
    lockstep: 'always a text that says what is wrong',
    reason: 'whoever reads it knows what to change',
  },
  heightCode: {
    where: 'heights and pages that are not there',
    comet: '-32603 Internal error',
    lockstep: '-32600 Invalid request',
    reason: "seid's code and words, which clients look for",
  },
  emptyLists: {
    where: 'lists without members',
    comet: 'null, [] or nothing, by the field',
    lockstep: '[]',
    reason: 'one shape for each field',
  },
  writtenDefaults: {
    where: 'results in events of subscriptions',
    comet: 'fields of the value 0 are left out',
    lockstep: 'all fields, as in block_results',
    reason: 'one shape for each type',
  },
  appVersion: {
    where: 'version.app of headers, app_version of abci_info',
    comet: 'left out where it is 0',
    lockstep: 'always a text; behind CometBFT as CometBFT writes it',
    reason: 'one shape for each type',
  },
  seidFields: {
    where: 'status, net_info',
    comet: 'fewer fields',
    lockstep: 'application_info, light_client_info, heights of peers, peer_connections',
    reason: "seid's fields, which its operators read",
  },
  noPeers: {
    where: 'status, net_info',
    comet: 'the address for peers and its channels',
    lockstep: 'port 0, no channels, listening false',
    reason: 'nobody speaks the protocol of peers here',
  },
  shortArrays: {
    where: 'params by position',
    comet: 'as many as the route has',
    lockstep: 'the last ones may be left out',
    reason: 'all of them may be left out by name',
  },
  moreRoutes: {
    where: 'broadcast_tx, events, lag_status',
    comet: '404',
    lockstep: 'served',
    reason: "seid's routes",
  },
  badEnvelope: {
    where: 'requests that are no request',
    comet: '-32700 without id, an empty batch without an answer',
    lockstep: '-32600 with id null',
    reason: 'JSON-RPC 2.0, section 5',
  },
  hashArgument: {
    where: 'hashes that are none',
    comet: 'tx (12) not found',
    lockstep: '-32602 with what a hash looks like',
    reason: 'a typing error is told from a transaction that is not there',
  },
  emptyTransaction: {
    where: 'broadcast_tx_* without a transaction',
    comet: 'hands the application nothing',
    lockstep: '-32602',
    reason: 'nobody means that',
  },
  asyncUnchecked: {
    where: 'broadcast_tx_async with a transaction that waits already',
    comet: '-32603, tx already exists in cache',
    lockstep: 'the hash, as for any other',
    reason: 'it answers before the mempool has looked, which is what async means',
  },
  committedAgain: {
    where: 'broadcast_tx_* with a transaction that a block holds',
    comet: '-32603, tx already exists in cache, for as long as it is remembered',
    lockstep: 'code 1, nonce too low',
    reason: "the rule that it breaks says more, and is geth's",
  },
  precommitsAlone: {
    where: 'subscriptions to Vote',
    comet: 'prevotes too',
    lockstep: 'the precommit that decided the block',
    reason: 'a validator that is alone signs no prevote',
  },
} as const satisfies Record<string, CometDifference>
