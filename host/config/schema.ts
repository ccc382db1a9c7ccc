import {
  alwaysTrue,
  bool,
  choice,
  duration,
  gasPrice,
  integer,
  listenAddress,
  nodeMode,
  type TomlLiteral,
  text,
  textList,
  type ValueType,
} from './value-type.ts'

/** One configuration key. */
export interface ConfigKey<T> {
  readonly type: ValueType<T>
  /** The default, as the file writes it. */
  readonly fallback: TomlLiteral
  readonly help: string
  /** Of a key that only its default can be served for: what to use instead of another value. */
  readonly instead?: string
  /** Flags of keys beside which another value is taken all the same: they do what it is for. */
  readonly unless?: readonly string[]
}

function key<T>(type: ValueType<T>, fallback: TomlLiteral, help: string): ConfigKey<T> {
  return { type, fallback, help }
}

/**
 * A key that operators know and this release cannot serve: another value than the default is refused, since
 * the node would do something else than what was asked for.
 */
function unserved<T>(
  type: ValueType<T>,
  fallback: TomlLiteral,
  help: string,
  instead: string,
  unless: readonly string[] = [],
): ConfigKey<T> {
  return { type, fallback, help, instead, unless }
}

const NO_PEERS = 'nodes of this release have no peer-to-peer network'

/** Where a node that follows others is told of them. */
const SERVERS = ['follow.rpc-servers', 'statesync.rpc-servers']

const FOLLOW = `${NO_PEERS}: name the consensus RPC of another node in rpc-servers of [follow]`

/** Origins of pages that this machine serves. */
const LOOPBACK_NAMES = 'localhost, 127.0.0.1, [::1]'

const bytes = (): ValueType<number> => integer('BYTES', 1)
const count = (): ValueType<number> => integer('COUNT', 1)
const port = (): ValueType<number> => integer('PORT', 0, 65_535)

/**
 * Every key of the two configuration files: the one place from which the files, the flags, the
 * environment variables, the help, the reference page and the `Config` type come. Names and defaults
 * are those of CometBFT (config.toml) and of the chain's operator guides (app.toml) where they exist.
 */
export const CONFIG_FILES = {
  'config.toml': {
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
  },
  'app.toml': {
    top: {
      'minimum-gas-prices': key(
        gasPrice(),
        '0wei',
        'lowest price per unit of gas that the mempool takes',
      ),
      'min-retain-blocks': key(
        integer('BLOCKS', 0),
        0,
        'recent blocks, receipts and their indexes to keep; 0 keeps all. ' +
          'Tracing the states of ss-keep-recent needs the blocks of those heights and 255 before them: ' +
          'they are kept too',
      ),
      'halt-height': key(
        integer('HEIGHT', 0),
        0,
        'height after whose block the node stops, with exit code 0; 0 sets no such height',
      ),
    },
    sections: {
      evm: {
        http_enabled: key(bool(), true, 'serve the EVM JSON-RPC'),
        http_address: key(text('HOST'), '127.0.0.1', 'address of the EVM JSON-RPC'),
        http_port: key(port(), 8_545, 'port of the EVM JSON-RPC; 0 takes a free one'),
        ws_enabled: key(bool(), true, 'take WebSocket connections, on http_port and on ws_port'),
        ws_port: key(
          port(),
          8_546,
          'port for WebSocket alone, beside http_port, which serves it too; 0 takes a free one, as the default ' +
            'does where http_port is 0, and a default that another process has is left out',
        ),
        rpc_server: key(
          choice('SERVER', ['auto', 'uws', 'node']),
          'auto',
          'HTTP server: uWebSockets.js, node:http, or the first that loads',
        ),
        http_compression: key(
          choice('PEERS', ['remote', 'all', 'none']),
          'remote',
          'clients whose answers are compressed (zstd, gzip) where they accept it',
        ),
        virtual_hosts: key(
          textList('HOSTS'),
          'localhost',
          'names that the Host header of a request may have, over WebSocket and at the consensus RPC ' +
            'too; an address is always taken; * is any name',
        ),
        cors_origins: key(
          textList('ORIGINS'),
          LOOPBACK_NAMES,
          'web origins that may call; a name alone stands for any scheme and port of that host; null is a page opened as a file; * is any origin',
        ),
        ws_origins: key(
          textList('ORIGINS'),
          LOOPBACK_NAMES,
          'web origins that may connect; a name alone stands for any scheme and port of that host; null is a page opened as a file; * is any origin',
        ),
        deny_list: key(textList('METHODS'), [], 'methods that are not served'),
        max_open_connections: key(count(), 2_000, 'most connections open at a time'),
        max_request_body_bytes: key(bytes(), 5_242_880, 'bytes of the largest request body'),
        max_request_values: key(
          count(),
          40_000,
          'most values in a request: its members, elements and opened brackets',
        ),
        max_client_bytes: key(
          bytes(),
          268_435_456,
          'most bytes held for all clients: requests that arrive or are worked on, answers not yet read',
        ),
        body_read_idle_timeout: key(
          duration(1),
          '10s',
          'pause after which a request body that has not ended is given up',
        ),
        write_timeout: key(duration(1), '30s', 'time a method may take before error -32002'),
        batch_request_limit: key(count(), 1_000, 'most requests in a batch'),
        batch_response_max_size: key(bytes(), 25_000_000, 'most bytes in the answer to a batch'),
        max_log_no_block: key(
          integer('COUNT', 0),
          10_000,
          'most logs that eth_getLogs gives for a range; 0 is any number; a single block is always given whole',
        ),
        max_blocks_for_log: key(
          integer('BLOCKS', 0),
          0,
          'most blocks that eth_getLogs searches; 0 is any number',
        ),
        max_subscriptions_new_head: key(count(), 10_000, 'most subscriptions to newHeads'),
        max_subscriptions_logs: key(count(), 1_000, 'most subscriptions to logs'),
        filter_timeout: key(duration(1), '2m0s', 'time after which an unread filter is removed'),
        simulation_gas_limit: key(
          integer('GAS', 0),
          50_000_000,
          'most gas of a simulated call or trace, and its gas where it names none; 0 is the gas limit of its block',
        ),
        simulation_evm_timeout: key(duration(1), '1m0s', 'time that a simulation may take'),
        max_concurrent_simulation_calls: key(count(), 64, 'most simulations at a time'),
        max_state_override_accounts: key(count(), 100, 'most accounts in a state override'),
        max_state_override_slots: key(
          count(),
          1_000,
          'most slots of an account in a state override',
        ),
        trace_timeout: key(
          duration(1),
          '30s',
          'time that a trace may take from its start to its last byte; it may wait as long for a thread before',
        ),
        max_trace_lookback_blocks: key(
          integer('BLOCKS', -1),
          10_000,
          'age in blocks of the oldest block that is traced; -1 is any age',
        ),
        max_concurrent_trace_calls: key(
          integer('COUNT', 0),
          10,
          'most traces of one client that run or wait; 0 is any number',
        ),
        max_trace_struct_log_bytes: key(
          integer('BYTES', 0),
          0,
          'most bytes that the struct logger writes about a transaction; ' +
            '0 is any number on a loopback http_address, and 1 GiB elsewhere',
        ),
        max_trace_kept_bytes: key(
          bytes(),
          134_217_728,
          'most bytes of calls, logs and accounts that a tracer keeps of a transaction until it ends',
        ),
        trace_allow_js_tracers: key(bool(), true, 'run tracers that are sent as JavaScript source'),
        max_trace_script_bytes: key(
          integer('BYTES', 33_554_432),
          268_435_456,
          'most bytes that all script tracers together take; each has an equal share, of at most 128 MiB',
        ),
        trace_workers: key(
          integer('COUNT', 1, 64),
          2,
          'threads that traces run on; script tracers have as many more threads, each of which runs one at a time',
        ),
        trace_cache_bytes: key(
          integer('BYTES', 0),
          67_108_864,
          'most bytes of trace results that are kept for later requests; 0 keeps none',
        ),
      },
      explorer: {
        enable: key(
          bool(),
          true,
          'serve the explorer, a page that opens and steps through transactions, at /explorer of http_port',
        ),
        public: key(
          bool(),
          false,
          'serve it on any http_address; otherwise on a loopback one alone',
        ),
      },
      'state-sync': {
        'snapshot-interval': key(
          integer('BLOCKS', 0),
          0,
          'blocks between two snapshots that the running node exports; 0 exports none',
        ),
        'snapshot-keep-recent': key(
          integer('COUNT', 0),
          2,
          'newest snapshots that are kept when another one is exported; 0 keeps all',
        ),
        'snapshot-directory': key(
          text('DIR'),
          '',
          'folder of the snapshots; a relative one is below the home, and empty means data/snapshots',
        ),
      },
      'state-commit': {
        'sc-enable': key(alwaysTrue(), true, 'keep the state commit; must stay true'),
        'sc-keep-recent': key(
          integer('BLOCKS', 0),
          10_000,
          'recent heights whose module stores /abci_query reads and proves; 0 keeps all',
        ),
      },
      'state-store': {
        'ss-enable': key(alwaysTrue(), true, 'keep the state store; must stay true'),
        'ss-backend': key(
          choice('BACKEND', ['pebbledb', 'rocksdb', 'lmdb']),
          'pebbledb',
          'databases of the state store; pebbledb is served by LMDB and the same as lmdb, rocksdb needs a package',
        ),
        'ss-keep-recent': key(
          integer('BLOCKS', 0),
          100_000,
          'recent heights whose state can be read; 0 keeps all',
        ),
        'ss-prune-interval': key(
          integer('SECONDS', 0),
          600,
          'seconds between two prunings; 0 never prunes',
        ),
        'evm-ss-split': key(
          bool(),
          false,
          'keep EVM state in a store of its own; change it only together with a state sync',
        ),
        'evm-ss-separate-dbs': key(
          bool(),
          true,
          'use one database for each kind of EVM data instead of one for all',
        ),
      },
    },
  },
} as const satisfies Record<string, ConfigFile>

interface ConfigFile {
  readonly top: Readonly<Record<string, ConfigKey<unknown>>>
  readonly sections: Readonly<Record<string, Readonly<Record<string, ConfigKey<unknown>>>>>
}

export type ConfigFileName = keyof typeof CONFIG_FILES

/** Keys of older releases, with what stands in their place. */
export const REPLACED_KEYS: ReadonlyMap<string, string> = new Map([
  [
    'evm-ss-write-mode',
    'write evm-ss-split = true for split_write (after a state sync) or false for cosmos_only',
  ],
  [
    'evm-ss-read-mode',
    'write evm-ss-split = true for split_read (after a state sync) or false for cosmos_only',
  ],
])

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name extends `${infer Head}_${infer Tail}`
    ? `${Head}${Capitalize<CamelCase<Tail>>}`
    : Name

type SectionConfig<Section> = {
  readonly [Name in keyof Section & string as CamelCase<Name>]: Section[Name] extends ConfigKey<
    infer Value
  >
    ? Value
    : never
}

type FileConfig<File extends ConfigFile> = SectionConfig<File['top']> & {
  readonly [Name in keyof File['sections'] & string as CamelCase<Name>]: SectionConfig<
    File['sections'][Name]
  >
}

/**
 * The effective configuration: keys above the sections at the root, the others by section, all in
 * camel case (`config.logLevel`, `config.evm.httpPort`). Durations are milliseconds.
 */
export type Config = FileConfig<(typeof CONFIG_FILES)['config.toml']> &
  FileConfig<(typeof CONFIG_FILES)['app.toml']>

/** A key with its place, for code that walks the table. */
export interface ConfigEntry extends ConfigKey<unknown> {
  readonly file: ConfigFileName
  /** Empty for the keys above the sections. */
  readonly section: string
  /** The key's name as the file writes it. */
  readonly name: string
  /** Flag without the dashes, also the key's identity: `evm.http-port`, `log-level`. */
  readonly flag: string
  /** `LOCKSTEP_EVM_HTTP_PORT` */
  readonly variable: string
}

/** The spelling by which names are compared: hyphen and underscore are the same. */
export function normalizeName(name: string): string {
  return name.replaceAll('_', '-')
}

/** The spelling of a name in `Config`. */
export function camelCase(name: string): string {
  return name.replace(/[-_](.)/g, (_, letter: string) => letter.toUpperCase())
}

function entriesOf(
  file: ConfigFileName,
  section: string,
  keys: Readonly<Record<string, ConfigKey<unknown>>>,
): ConfigEntry[] {
  return Object.entries(keys).map(([name, row]) => {
    const flag = normalizeName(section === '' ? name : `${section}.${name}`)
    const variable = `LOCKSTEP_${flag.replace(/[-.]/g, '_').toUpperCase()}`
    return { ...row, file, section, name, flag, variable }
  })
}

/** Every key, in the order of the files. */
export const CONFIG_ENTRIES: readonly ConfigEntry[] = Object.entries(CONFIG_FILES).flatMap(
  ([file, { top, sections }]) => [
    ...entriesOf(file as ConfigFileName, '', top),
    ...Object.entries(sections).flatMap(([section, keys]) =>
      entriesOf(file as ConfigFileName, section, keys),
    ),
  ],
)
