import { type ConfigFile, key, liveKey, unserved } from './config-key.ts'
import { ENGINE_KEYS, FOLLOW_SERVERS } from './engine-keys.ts'
import { P2P_KEYS } from './p2p-keys.ts'
import {
  bool,
  choice,
  duration,
  integerType,
  listenAddress,
  metricNamespace,
  nodeMode,
  optionalListenAddress,
  optionalSignerAddress,
  textList,
  textType,
  type ValueType,
} from './value-type.ts'

const bytes = (): ValueType<number> => integerType('BYTES', 1)
const count = (): ValueType<number> => integerType('COUNT', 1)

/** The keys of config.toml. Names and defaults are CometBFT's if it has them. */
export const CONSENSUS_KEYS = {
  top: {
    moniker: key(textType('NAME'), 'lockstep', 'name of this node, shown to other nodes'),
    mode: key(
      nodeMode(),
      '',
      'validator: produces and signs blocks with the key that genesis.json names; full: takes blocks from ' +
        'other nodes and never signs. Empty means full, and is refused if the home has a validator key',
    ),
    'priv-validator-laddr': key(
      optionalSignerAddress(),
      '',
      'address at which the node waits for the remote signer that has the key of the validator; ' +
        'empty signs with the key of the home',
    ),
    'log-level': liveKey(
      choice('LEVEL', ['trace', 'debug', 'info', 'warn', 'error']),
      'info',
      'lowest level of log lines to write',
    ),
    'log-format': key(choice('FORMAT', ['plain', 'json']), 'plain', 'format of log lines'),
    'log-file': key(
      textType('FILE'),
      'logs/lockstep.log',
      'log file, written beside stderr; a relative path is below the home; empty means ' +
        'none. SIGUSR1 reopens it, for log rotation',
    ),
    'log-max-bytes': key(
      integerType('BYTES', 0),
      20_000_000,
      'size in bytes at which the log file is renamed to its name with the time; 0 never renames it',
    ),
    'log-max-files': key(
      integerType('COUNT', 0),
      5,
      'latest renamed log files to keep; 0 keeps all',
    ),
  },
  sections: {
    rpc: {
      laddr: key(listenAddress(), 'tcp://127.0.0.1:26657', 'address of the consensus RPC'),
      'lag-threshold': key(
        integerType('BLOCKS', 0),
        300,
        'blocks behind the best peer at which /lag_status answers 417',
      ),
      'max-open-connections': key(count(), 900, 'maximum open connections of the consensus RPC'),
      'max-body-bytes': key(bytes(), 1_000_000, 'maximum size of a request body in bytes'),
      'cors-allowed-origins': key(
        textList('ORIGINS'),
        [],
        'web origins allowed to call and subscribe; a bare host name allows any scheme and port; null is a page opened as a file; * allows any origin',
      ),
      'cors-allowed-methods': key(
        textList('METHODS'),
        ['HEAD', 'GET', 'POST'],
        'methods allowed to those origins',
      ),
      'cors-allowed-headers': key(
        textList('HEADERS'),
        ['Origin', 'Accept', 'Content-Type', 'X-Requested-With', 'X-Server-Time'],
        'headers allowed to those origins',
      ),
      'max-request-batch-size': key(
        integerType('COUNT', 0),
        10,
        'maximum requests in a batch; 0 is unlimited',
      ),
      'max-subscription-clients': key(
        count(),
        100,
        'maximum clients that wait for events: subscribers, and callers of broadcast_tx_commit',
      ),
      'max-subscriptions-per-client': key(count(), 5, 'maximum subscriptions of one client'),
      'event-log-window-size': key(
        duration(),
        '30s',
        'age of the oldest events that /events returns; 0s turns it off',
      ),
      'max-tx-search-results': key(
        count(),
        10_000,
        'maximum transactions or blocks that a search may find; a page shows at most 100 of them',
      ),
      'max-search-scan-budget': key(
        count(),
        100_000,
        'maximum transactions and blocks that a search may examine',
      ),
      'timeout-broadcast-tx-commit': key(
        duration(1),
        '10s',
        'time that broadcast_tx_commit waits for the block of the transaction',
      ),
    },
    p2p: P2P_KEYS,
    mempool: {
      size: key(
        count(),
        131_072,
        'maximum transactions in the mempool; max-txs-bytes can be the lower limit',
      ),
      'max-txs-bytes': key(
        bytes(),
        268_435_456,
        'maximum memory of the mempool in bytes. A transaction takes its own bytes, 2,400 more, and those of its decoded ' +
          'access list and authorizations; a transfer takes 2,510. Queued transactions take at most half',
      ),
      'max-tx-bytes': key(bytes(), 131_072, 'maximum size of a transaction in bytes'),
      'account-slots': key(
        count(),
        16,
        'executable transactions guaranteed to each account in a full mempool',
      ),
      'account-queue': key(
        count(),
        1_024,
        'maximum transactions of one account that wait for an earlier nonce; further ones are refused',
      ),
      'global-queue': key(
        count(),
        65_536,
        'maximum transactions of all accounts that wait for an earlier nonce; beyond it, the account with the most loses one',
      ),
      'price-bump': key(
        count(),
        10,
        'minimum percentage by which both fees of a replacement exceed those of the replaced transaction',
      ),
      lifetime: key(
        duration(),
        '3h0m0s',
        'time that queued transactions stay after the last transaction of their account; 0s keeps them forever',
      ),
      'cache-size': key(
        integerType('COUNT', 0),
        10_000,
        'rejected transactions that keep-invalid-txs-in-cache remembers; pooled ones are always remembered',
      ),
      'keep-invalid-txs-in-cache': key(
        bool(),
        false,
        'remember transactions rejected for their signature or a used nonce, and answer repeats without ' +
          'checking them; true is advised for sync problems',
      ),
      'ttl-duration': key(
        duration(),
        '0s',
        'time after which a transaction is dropped; 0s drops none',
      ),
      'ttl-num-blocks': key(
        integerType('BLOCKS', 0),
        0,
        'blocks after which a transaction is dropped; 0 drops none',
      ),
      recheck: key(
        bool(),
        true,
        'cometbft: ask after each block which gossiped transactions are still pending',
      ),
      'recheck-timeout': key(duration(1), '1s', 'cometbft: time limit of those answers'),
      broadcast: key(bool(), true, 'cometbft: broadcast transactions to peers'),
      'experimental-max-gossip-connections-to-persistent-peers': key(
        integerType('COUNT', 0),
        0,
        'cometbft: maximum persistent peers that transactions are sent to; 0 is all',
      ),
      'experimental-max-gossip-connections-to-non-persistent-peers': key(
        integerType('COUNT', 0),
        0,
        'cometbft: maximum other peers that transactions are sent to; 0 is all',
      ),
    },
    consensus: ENGINE_KEYS,
    follow: {
      'rpc-servers': FOLLOW_SERVERS,
    },
    statesync: {
      enable: key(
        bool(),
        false,
        'start an empty home of mode full from a snapshot of the servers; ignored if the home has blocks',
      ),
      'use-p2p': unserved(
        bool(),
        false,
        'fetch light blocks from peers instead of RPC servers',
        'name the consensus RPC of two nodes in rpc-servers: CometBFT 0.38 does not support this either',
      ),
      'rpc-servers': key(
        textList('URLS'),
        '',
        'consensus RPC of at least two nodes, for snapshots and for the blocks that prove them',
      ),
      'trust-height': key(
        integerType('HEIGHT', 0),
        0,
        'height of the trusted block; with 0 and no trust-hash the servers are trusted, and must agree on the block that ' +
          'is 10,000 behind their latest',
      ),
      'trust-hash': key(textType('HASH'), '', 'hash of the trusted block'),
      'trust-period': key(duration(), '168h0m0s', 'maximum age of the trusted block'),
      'temp-dir': key(
        textType('DIR'),
        '',
        'folder for downloaded chunks; a relative path is below the home; empty means data/state-sync',
      ),
      'discovery-time': key(
        duration(5_000),
        '15s',
        'cometbft: time to ask peers for snapshots before the best one is chosen',
      ),
      'chunk-request-timeout': key(
        duration(5_000),
        '10s',
        'cometbft: time after which a chunk is requested again from another peer',
      ),
      'chunk-fetchers': key(count(), 4, 'cometbft: chunks fetched at a time'),
    },
    'tx-index': {
      indexer: key(
        choice('INDEXER', ['kv', 'null']),
        'kv',
        'transaction index for /tx, /tx_search and /block_search; null keeps none',
      ),
    },
    instrumentation: {
      prometheus: key(bool(), false, 'serve metrics'),
      'prometheus-listen-addr': key(listenAddress(), '127.0.0.1:26660', 'address of /metrics'),
      'cometbft-listen-addr': key(
        optionalListenAddress(),
        '',
        "cometbft: address of CometBFT's own metrics; empty serves none",
      ),
      namespace: key(
        metricNamespace(),
        'cometbft',
        "prefix of the metrics under CometBFT's names; dashboards of Tendermint have tendermint",
      ),
    },
  },
} as const satisfies ConfigFile
