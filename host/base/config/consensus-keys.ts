import { type ConfigFile, key, unserved } from './config-key.ts'
import { ENGINE_KEYS, FOLLOW_SERVERS } from './engine-keys.ts'
import { P2P_KEYS } from './p2p-keys.ts'
import {
  bool,
  choice,
  duration,
  integer,
  listenAddress,
  nodeMode,
  optionalListenAddress,
  text,
  textList,
  type ValueType,
} from './value-type.ts'

const bytes = (): ValueType<number> => integer('BYTES', 1)
const count = (): ValueType<number> => integer('COUNT', 1)

/** The keys of config.toml. Names and defaults are CometBFT's where it has them. */
export const CONSENSUS_KEYS = {
  top: {
    moniker: key(text('NAME'), 'lockstep', 'name of this node, as other nodes see it'),
    mode: key(
      nodeMode(),
      '',
      'validator: makes and signs blocks, with the key that genesis.json names; full: takes them from ' +
        'other nodes and never signs. Empty is full, and is refused beside the key of a validator',
    ),
    'log-level': key(
      choice('LEVEL', ['trace', 'debug', 'info', 'warn', 'error']),
      'info',
      'lowest level of log lines that are written',
    ),
    'log-format': key(choice('FORMAT', ['plain', 'json']), 'plain', 'form of a log line'),
    'log-file': key(
      text('FILE'),
      'logs/lockstep.log',
      'file that the node writes its log to, beside stderr; a relative one is below the home, and empty means ' +
        'none. SIGUSR1 opens it anew, for programs that rotate logs',
    ),
    'log-max-bytes': key(
      integer('BYTES', 0),
      20_000_000,
      'bytes from which the log file is put aside under its name with the time; 0 never puts it aside',
    ),
    'log-max-files': key(
      integer('COUNT', 0),
      5,
      'newest log files that are kept of those put aside; 0 keeps all',
    ),
  },
  sections: {
    rpc: {
      laddr: key(listenAddress(), 'tcp://127.0.0.1:26657', 'address of the consensus RPC'),
      'lag-threshold': key(
        integer('BLOCKS', 0),
        300,
        'blocks behind the best peer from which /lag_status answers 417',
      ),
      'max-open-connections': key(
        count(),
        900,
        'most connections of the consensus RPC open at a time',
      ),
      'max-body-bytes': key(bytes(), 1_000_000, 'bytes of the largest request body'),
      'cors-allowed-origins': key(
        textList('ORIGINS'),
        [],
        'web origins that may call and subscribe; a name alone stands for any scheme and port of that host; null is a page opened as a file; * is any origin',
      ),
      'cors-allowed-methods': key(
        textList('METHODS'),
        ['HEAD', 'GET', 'POST'],
        'methods that those origins may use',
      ),
      'cors-allowed-headers': key(
        textList('HEADERS'),
        ['Origin', 'Accept', 'Content-Type', 'X-Requested-With', 'X-Server-Time'],
        'headers that those origins may send',
      ),
      'max-request-batch-size': key(
        integer('COUNT', 0),
        10,
        'most requests in a batch; 0 is any number',
      ),
      'max-subscription-clients': key(
        count(),
        100,
        'most clients that wait for events: subscribers, and callers of broadcast_tx_commit',
      ),
      'max-subscriptions-per-client': key(count(), 5, 'most subscriptions of one client'),
      'event-log-window-size': key(
        duration(),
        '30s',
        'age of the oldest events that /events gives; 0s turns it off',
      ),
      'max-tx-search-results': key(
        count(),
        10_000,
        'most transactions or blocks that a search may find; a page shows at most 100 of them',
      ),
      'max-search-scan-budget': key(
        count(),
        100_000,
        'most transactions and blocks that a search may look at',
      ),
      'timeout-broadcast-tx-commit': key(
        duration(1),
        '10s',
        'time that broadcast_tx_commit waits for a block with the transaction',
      ),
    },
    p2p: P2P_KEYS,
    mempool: {
      size: key(
        count(),
        131_072,
        'most transactions in the mempool; of small ones max-txs-bytes bounds fewer',
      ),
      'max-txs-bytes': key(
        bytes(),
        268_435_456,
        'most bytes of memory that the transactions in the mempool take: each its own bytes and 2,400 more, and what its ' +
          'access list and authorizations take decoded; a transfer takes 2,510. Queued transactions take at most half',
      ),
      'max-tx-bytes': key(bytes(), 131_072, 'bytes of the largest transaction'),
      'account-slots': key(
        count(),
        16,
        'executable transactions that a full mempool keeps of each account before it drops any',
      ),
      'account-queue': key(
        count(),
        1_024,
        'most transactions of one account that wait for an earlier nonce; further ones are refused',
      ),
      'global-queue': key(
        count(),
        65_536,
        'most transactions of all accounts that wait for an earlier nonce; beyond, the account with most of them loses one',
      ),
      'price-bump': key(
        count(),
        10,
        'least percentage by which both fees of a replacement exceed those of the replaced transaction',
      ),
      lifetime: key(
        duration(),
        '3h0m0s',
        'time that queued transactions stay after the last transaction of their account; 0s keeps them for ever',
      ),
      'cache-size': key(
        integer('COUNT', 0),
        10_000,
        'refused transactions that keep-invalid-txs-in-cache remembers; those of the pool always are',
      ),
      'keep-invalid-txs-in-cache': key(
        bool(),
        false,
        'remember transactions refused for their signature or a used nonce, and answer repeats without ' +
          'checking them; advised true for sync problems',
      ),
      'ttl-duration': key(
        duration(),
        '0s',
        'time after which a transaction is dropped; 0s drops none',
      ),
      'ttl-num-blocks': key(
        integer('BLOCKS', 0),
        0,
        'blocks after which a transaction is dropped; 0 drops none',
      ),
      recheck: key(
        bool(),
        true,
        'cometbft: ask after each block which transactions of its gossip still wait',
      ),
      'recheck-timeout': key(duration(1), '1s', 'cometbft: time that those answers may take'),
      broadcast: key(bool(), true, 'cometbft: hand transactions on to peers'),
      'experimental-max-gossip-connections-to-persistent-peers': key(
        integer('COUNT', 0),
        0,
        'cometbft: most persistent peers that transactions are handed to; 0 is all',
      ),
      'experimental-max-gossip-connections-to-non-persistent-peers': key(
        integer('COUNT', 0),
        0,
        'cometbft: most other peers that transactions are handed to; 0 is all',
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
        'begin an empty home of mode full with a snapshot that the servers have; ignored where it has blocks',
      ),
      'use-p2p': unserved(
        bool(),
        false,
        'fetch light blocks from peers instead of RPC servers',
        'name the consensus RPC of two nodes in rpc-servers: CometBFT 0.38 has no such way either',
      ),
      'rpc-servers': key(
        textList('URLS'),
        '',
        'consensus RPC of at least two nodes, for snapshots and for the blocks that prove them',
      ),
      'trust-height': key(
        integer('HEIGHT', 0),
        0,
        'height of the trusted block; with 0 and no trust-hash the servers are trusted, which must agree on the block that ' +
          'is 10,000 behind their newest',
      ),
      'trust-hash': key(text('HASH'), '', 'hash of the trusted block'),
      'trust-period': key(duration(), '168h0m0s', 'age up to which the trusted block is trusted'),
      'temp-dir': key(
        text('DIR'),
        '',
        'folder in which chunks are kept while they arrive; a relative one is below the home, and empty means data/state-sync',
      ),
      'discovery-time': key(
        duration(5_000),
        '15s',
        'cometbft: time to ask peers for snapshots before the best is taken',
      ),
      'chunk-request-timeout': key(
        duration(5_000),
        '10s',
        'cometbft: time after which a chunk is asked for again, of another peer',
      ),
      'chunk-fetchers': key(count(), 4, 'cometbft: chunks that are fetched at a time'),
    },
    'tx-index': {
      indexer: key(
        choice('INDEXER', ['kv', 'null']),
        'kv',
        'index of transactions for /tx, /tx_search and /block_search; null keeps none',
      ),
    },
    instrumentation: {
      prometheus: key(bool(), false, 'serve metrics'),
      'prometheus-listen-addr': key(listenAddress(), '127.0.0.1:26660', 'address of /metrics'),
      'cometbft-listen-addr': key(
        optionalListenAddress(),
        '',
        'cometbft: address of the metrics that CometBFT itself has; empty serves none',
      ),
    },
  },
} as const satisfies ConfigFile
