import { basename, dirname, join } from 'node:path'
import { formatListenAddress } from '../../base/config/listen-address.ts'
import type { Config } from '../../base/config/schema.ts'
import { formatSignerAddress } from '../../base/config/signer-address.ts'
import { formatDuration } from '../../base/duration.ts'
import type { CometConfig } from '../../chain/consensus/cometbft/comet-config.ts'
import type { CometFolder } from '../../chain/consensus/cometbft/comet-folder.ts'
import { cometLogLevel } from '../../chain/consensus/cometbft/comet-log.ts'
import type { TrustedBlock } from '../../chain/snapshot/sync/trusted-block.ts'
import type { Home } from '../home/home.ts'

/** Time reserved in each block interval for proposal and votes: this share, up to a maximum in ms. */
const ROUND_SHARE = 0.25
const ROUND_MS = 100

/**
 * CometBFT's list holds twice the node's pool. Until the recheck after a block it also has what the pool has dropped,
 * and a full list silently drops transactions that the pool has accepted.
 */
const LIST_SHARE = 2

/** Maximum bytes of the node's own requests: a batch of transactions, as JSON. */
const MAX_BODY_BYTES = 32_000_000

/** Events buffered per subscriber: those of a block arrive at once, and a slow subscriber is disconnected. */
const EVENT_BUFFER = 5_000

/** The node's own connections to CometBFT's RPC, in addition to proxied ones. */
const OWN_CONNECTIONS = 100

export interface CometConfigOptions {
  readonly home: Home
  readonly config: Config
  readonly folder: CometFolder
  /** Undefined without state sync. */
  readonly trust: TrustedBlock | undefined
}

function peers(list: readonly string[]): string {
  return list.join(',')
}

/** Returns how long CometBFT waits after a decision, ms. */
function pauseOf({ timeoutCommit, blockTime }: Config['consensus']): number {
  if (timeoutCommit > 0) return timeoutCommit
  return Math.round(blockTime - Math.min(blockTime * ROUND_SHARE, ROUND_MS))
}

/**
 * Returns the path of CometBFT's RPC socket, relative to its working folder if possible. CometBFT sends it to its
 * peers, which refuse a text that is not ASCII.
 */
function pathForPeers({ root, rpcSocket }: CometFolder): string {
  return dirname(rpcSocket) === root ? basename(rpcSocket) : rpcSocket
}

/** Returns CometBFT's configuration, derived from the node's: every key of CometBFT 0.38. */
export function cometConfig({ home, config, folder, trust }: CometConfigOptions): CometConfig {
  const { rpc, p2p, mempool, consensus, statesync, instrumentation } = config
  const [metrics] = instrumentation.cometbftListenAddr
  const [signer] = config.privValidatorLaddr
  // With a remote signer CometBFT still wants a key file, and does not sign with it.
  const signs = config.mode === 'validator' && signer === undefined
  return {
    // The release whose keys these are.
    version: '0.38.19',
    proxy_app: `unix://${folder.appSocket}`,
    moniker: config.moniker,
    db_backend: 'goleveldb',
    db_dir: 'data',
    log_level: cometLogLevel(config.logLevel),
    log_format: 'json',
    genesis_file: home.config.genesis,
    priv_validator_key_file: signs ? home.config.validatorKey : folder.ownKey,
    priv_validator_state_file: signs ? home.data.validatorState : folder.ownKeyState,
    priv_validator_laddr: signer === undefined ? '' : formatSignerAddress(signer),
    node_key_file: home.config.nodeKey,
    abci: 'socket',
    filter_peers: false,
    rpc: {
      laddr: `unix://${pathForPeers(folder)}`,
      // Origins, headers and batches are checked before a request is proxied.
      cors_allowed_origins: [],
      cors_allowed_methods: ['HEAD', 'GET', 'POST'],
      cors_allowed_headers: [
        'Origin',
        'Accept',
        'Content-Type',
        'X-Requested-With',
        'X-Server-Time',
      ],
      grpc_laddr: '',
      grpc_max_open_connections: 900,
      unsafe: false,
      max_open_connections: rpc.maxOpenConnections + OWN_CONNECTIONS,
      // CometBFT sees all connections as one client: the server in front enforces the limits per client.
      max_subscription_clients: rpc.maxSubscriptionClients,
      max_subscriptions_per_client:
        rpc.maxSubscriptionClients * (rpc.maxSubscriptionsPerClient + 1),
      experimental_subscription_buffer_size: EVENT_BUFFER,
      experimental_websocket_write_buffer_size: EVENT_BUFFER,
      experimental_close_on_slow_client: true,
      timeout_broadcast_tx_commit: formatDuration(rpc.timeoutBroadcastTxCommit),
      max_request_batch_size: 0,
      max_body_bytes: Math.max(rpc.maxBodyBytes, MAX_BODY_BYTES),
      max_header_bytes: 1_048_576,
      tls_cert_file: '',
      tls_key_file: '',
      pprof_laddr: '',
    },
    p2p: {
      laddr: formatListenAddress(p2p.laddr),
      external_address: p2p.externalAddress,
      seeds: peers([...p2p.seeds, ...p2p.bootstrapPeers]),
      persistent_peers: peers(p2p.persistentPeers),
      addr_book_file: home.data.addressBook,
      addr_book_strict: p2p.addrBookStrict,
      max_num_inbound_peers: p2p.maxNumInboundPeers,
      max_num_outbound_peers: p2p.maxNumOutboundPeers,
      unconditional_peer_ids: peers(p2p.unconditionalPeerIds),
      persistent_peers_max_dial_period: formatDuration(p2p.persistentPeersMaxDialPeriod),
      flush_throttle_timeout: formatDuration(p2p.flushThrottleTimeout),
      max_packet_msg_payload_size: p2p.maxPacketMsgPayloadSize,
      send_rate: p2p.sendRate,
      recv_rate: p2p.recvRate,
      pex: p2p.pex,
      seed_mode: p2p.seedMode,
      private_peer_ids: peers(p2p.privatePeerIds),
      allow_duplicate_ip: p2p.allowDuplicateIp,
      handshake_timeout: formatDuration(p2p.handshakeTimeout),
      dial_timeout: formatDuration(p2p.dialTimeout),
    },
    mempool: {
      type: 'flood',
      recheck: mempool.recheck,
      recheck_timeout: formatDuration(mempool.recheckTimeout),
      broadcast: mempool.broadcast,
      // The node has its own pool journal.
      wal_dir: '',
      size: LIST_SHARE * mempool.size,
      max_txs_bytes: LIST_SHARE * mempool.maxTxsBytes,
      // A cache smaller than the list would recheck transactions that are in the list.
      cache_size: Math.max(LIST_SHARE * mempool.size, mempool.cacheSize),
      // The node's pool remembers permanently invalid transactions; others may become valid later.
      'keep-invalid-txs-in-cache': false,
      max_tx_bytes: mempool.maxTxBytes,
      max_batch_bytes: 0,
      experimental_max_gossip_connections_to_persistent_peers:
        mempool.experimentalMaxGossipConnectionsToPersistentPeers,
      experimental_max_gossip_connections_to_non_persistent_peers:
        mempool.experimentalMaxGossipConnectionsToNonPersistentPeers,
    },
    statesync: {
      enable: trust !== undefined,
      rpc_servers: peers(statesync.rpcServers),
      trust_height: trust?.height ?? 0,
      trust_hash: trust?.hash ?? '',
      trust_period: formatDuration(statesync.trustPeriod),
      discovery_time: formatDuration(statesync.discoveryTime),
      // A snapshot is stored here as a whole until it is applied: too large for a folder in memory.
      temp_dir: join(folder.root, 'data'),
      chunk_request_timeout: formatDuration(statesync.chunkRequestTimeout),
      chunk_fetchers: String(statesync.chunkFetchers),
    },
    blocksync: { version: 'v0' },
    consensus: {
      wal_file: 'data/cs.wal/wal',
      timeout_propose: formatDuration(consensus.timeoutPropose),
      timeout_propose_delta: formatDuration(consensus.timeoutProposeDelta),
      timeout_prevote: formatDuration(consensus.timeoutPrevote),
      timeout_prevote_delta: formatDuration(consensus.timeoutPrevoteDelta),
      timeout_precommit: formatDuration(consensus.timeoutPrecommit),
      timeout_precommit_delta: formatDuration(consensus.timeoutPrecommitDelta),
      timeout_commit: formatDuration(pauseOf(consensus)),
      double_sign_check_height: consensus.doubleSignCheckHeight,
      skip_timeout_commit: consensus.skipTimeoutCommit,
      create_empty_blocks: consensus.createEmptyBlocks,
      create_empty_blocks_interval: formatDuration(consensus.createEmptyBlocksInterval),
      peer_gossip_sleep_duration: formatDuration(consensus.peerGossipSleepDuration),
      peer_query_maj23_sleep_duration: formatDuration(consensus.peerQueryMaj23SleepDuration),
    },
    // Needed for /block_results and for events of the index.
    storage: { discard_abci_responses: false },
    tx_index: { indexer: config.txIndex.indexer, 'psql-conn': '' },
    instrumentation: {
      prometheus: metrics !== undefined,
      prometheus_listen_addr:
        metrics === undefined ? ':26660' : formatListenAddress(metrics).slice('tcp://'.length),
      max_open_connections: 3,
      namespace: instrumentation.namespace,
    },
  }
}
