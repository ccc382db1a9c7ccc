import { type ConfigFile, key, unserved } from './config-key.ts'
import {
  bool,
  choice,
  duration,
  integer,
  listenAddress,
  nodeMode,
  text,
  textList,
  type ValueType,
} from './value-type.ts'

const NO_PEERS = 'nodes of this release have no peer-to-peer network'

/** Where a node that follows others is told of them. */
const SERVERS = ['follow.rpc-servers', 'statesync.rpc-servers']

const FOLLOW = `${NO_PEERS}: name the consensus RPC of another node in rpc-servers of [follow]`

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
    p2p: {
      laddr: unserved(
        listenAddress(),
        'tcp://0.0.0.0:26656',
        'address that other nodes connect to',
        `${NO_PEERS}: remove the line; they reach this one at laddr of [rpc]`,
      ),
      'external-address': unserved(
        text('ADDRESS'),
        '',
        'address told to other nodes',
        `${NO_PEERS}: remove the line; they reach this one at laddr of [rpc]`,
      ),
      'persistent-peers': unserved(
        textList('PEERS'),
        '',
        'peers to stay connected to: <node_id>@<host>:<port>, separated by commas; ' +
          'taken beside rpc-servers, by which blocks come',
        FOLLOW,
        SERVERS,
      ),
      'bootstrap-peers': unserved(
        textList('PEERS'),
        '',
        'peers to ask for other peers; taken beside rpc-servers, by which blocks come',
        FOLLOW,
        SERVERS,
      ),
      'max-connections': key(count(), 100, 'most peers connected at a time; there are none'),
      'max-packet-msg-payload-size': key(
        bytes(),
        102_400,
        'largest payload of a packet between peers; 1024000 is advised for large blocks',
      ),
      pex: key(bool(), true, 'exchange peer addresses with peers; there are none'),
    },
    mempool: {
      size: key(count(), 65_536, 'most transactions in the mempool'),
      'max-txs-bytes': key(
        bytes(),
        134_217_728,
        'most bytes of transactions in the mempool; queued transactions take at most a quarter of them',
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
        8_192,
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
    },
    consensus: {
      'block-time': key(duration(1), '400ms', 'time from one block to the next'),
      'create-empty-blocks': key(bool(), true, 'make blocks when no transaction waits'),
      'create-empty-blocks-interval': key(
        duration(),
        '0s',
        'time between empty blocks; 0s is the block time',
      ),
      'double-sign-check-servers': key(
        textList('URLS'),
        '',
        'consensus RPC of nodes that follow this validator: it does not start where one of them has a block ' +
          'with its signature that this home has not, or none answers',
      ),
    },
    follow: {
      'rpc-servers': key(
        textList('URLS'),
        '',
        'consensus RPC of the nodes that a full node takes blocks from and hands transactions to; ' +
          'empty takes rpc-servers of [statesync]',
      ),
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
        `${NO_PEERS}: name the consensus RPC of two nodes in rpc-servers`,
      ),
      'rpc-servers': key(
        textList('URLS'),
        '',
        'consensus RPC of at least two nodes, for snapshots and for the blocks that prove them',
      ),
      'trust-height': key(integer('HEIGHT', 0), 0, 'height of the trusted block'),
      'trust-hash': key(text('HASH'), '', 'hash of the trusted block'),
      'trust-period': key(duration(), '168h0m0s', 'age up to which the trusted block is trusted'),
      'temp-dir': key(
        text('DIR'),
        '',
        'folder in which chunks are kept while they arrive; a relative one is below the home, and empty means data/state-sync',
      ),
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
    },
  },
} as const satisfies ConfigFile
