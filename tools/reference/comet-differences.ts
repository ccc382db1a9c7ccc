/** An intentional difference between a response of the consensus RPC and CometBFT's. */
export interface CometDifference {
  /** The requests that it concerns. */
  readonly where: string
  readonly comet: string
  readonly lockstep: string
  readonly reason: string
}

/**
 * The differences between the consensus RPC and CometBFT 0.38. The comparison with CometBFT
 * (`test/clients/cometbft.slow.test.ts`) allows only these.
 */
export const COMET_DIFFERENCES = {
  errorStatus: {
    where: 'errors over GET',
    comet: 'status 500',
    lockstep: 'status 200; 400 for invalid arguments',
    reason: "the body contains the error, as on seid's nodes; 500 is for server faults",
  },
  errorData: {
    where: 'data of errors',
    comet: 'sometimes absent',
    lockstep: 'always a message that names the fault',
    reason: 'the caller learns what to change',
  },
  heightCode: {
    where: 'heights and pages that do not exist',
    comet: '-32603 Internal error',
    lockstep: '-32600 Invalid request',
    reason: "seid's code and messages, which clients match",
  },
  emptyLists: {
    where: 'lists without members',
    comet: 'null, [] or omitted, depending on the field',
    lockstep: '[]',
    reason: 'one shape for each field',
  },
  writtenDefaults: {
    where: 'results in events of subscriptions',
    comet: 'fields with the value 0 are omitted',
    lockstep: 'all fields, as in block_results',
    reason: 'one shape for each type',
  },
  appVersion: {
    where: 'version.app of headers, app_version of abci_info',
    comet: 'omitted if it is 0',
    lockstep: 'always a string; in front of CometBFT, as CometBFT encodes it',
    reason: 'one shape for each type',
  },
  seidFields: {
    where: 'status, net_info',
    comet: 'fewer fields',
    lockstep: 'application_info, light_client_info, heights of peers, peer_connections',
    reason: "seid's fields, which operators use",
  },
  noPeers: {
    where: 'status, net_info',
    comet: 'the peer-to-peer address and its channels',
    lockstep: 'port 0, no channels, listening false',
    reason: 'the embedded engine does not speak the peer-to-peer protocol',
  },
  shortArrays: {
    where: 'params by position',
    comet: 'exactly as many as the route has',
    lockstep: 'trailing ones may be omitted',
    reason: 'named params may all be omitted',
  },
  moreRoutes: {
    where: 'broadcast_tx, events, lag_status',
    comet: '404',
    lockstep: 'served',
    reason: "seid's routes",
  },
  badEnvelope: {
    where: 'invalid requests',
    comet: '-32700 without id, an empty batch without a response',
    lockstep: '-32600 with id null',
    reason: 'JSON-RPC 2.0, section 5',
  },
  hashArgument: {
    where: 'invalid hashes',
    comet: 'tx (12) not found',
    lockstep: '-32602 with the format of a hash',
    reason: 'distinguishes a typing error from an unknown transaction',
  },
  emptyTransaction: {
    where: 'broadcast_tx_* without a transaction',
    comet: 'hands the application nothing',
    lockstep: '-32602',
    reason: 'it is a mistake of the client',
  },
  asyncUnchecked: {
    where: 'broadcast_tx_async with a transaction that is already pending',
    comet: '-32603, tx already exists in cache',
    lockstep: 'the hash, as for any other',
    reason: 'it answers before the mempool check, as async implies',
  },
  committedAgain: {
    where: 'broadcast_tx_* with a transaction that is in a block',
    comet: '-32603, tx already exists in cache, while it is cached',
    lockstep: 'code 1, nonce too low',
    reason: "the violated rule is more specific, and is geth's",
  },
  precommitsAlone: {
    where: 'subscriptions to Vote',
    comet: 'prevotes too',
    lockstep: 'the precommit that decided the block',
    reason: 'a single validator signs no prevotes',
  },
} as const satisfies Record<string, CometDifference>
