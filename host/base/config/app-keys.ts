import { type ConfigFile, key, liveKey } from './config-key.ts'
import { DEV_KEYS } from './dev-keys.ts'
import { PAYMENTS_KEYS } from './payments-keys.ts'
import { RESOURCE_LIST } from './resource-list.ts'
import {
  alwaysTrue,
  bool,
  choice,
  duration,
  gasPriceType,
  integerType,
  textList,
  textType,
  upgradePlanList,
  type ValueType,
} from './value-type.ts'
import { WALLET_CHAIN_LIST } from './wallet-chain-list.ts'
import { WALLETS_KEYS } from './wallets-keys.ts'

/** Host names of pages that this machine serves. */
const LOOPBACK_NAMES = 'localhost, 127.0.0.1, [::1]'

const bytes = (): ValueType<number> => integerType('BYTES', 1)
const count = (): ValueType<number> => integerType('COUNT', 1)
const port = (): ValueType<number> => integerType('PORT', 0, 65_535)

export const MAX_SERVING_THREADS = 16

/** The keys of app.toml. Names and defaults follow the chain's operator guides if they have them. */
export const APP_KEYS = {
  top: {
    'minimum-gas-prices': liveKey(
      gasPriceType(),
      '0wei',
      'lowest gas price that the mempool accepts',
    ),
    'min-retain-blocks': key(
      integerType('BLOCKS', 0),
      0,
      'recent blocks, receipts and their indexes to keep; 0 keeps all. ' +
        'Tracing the states of ss-keep-recent needs the blocks of those heights and 255 before them: ' +
        'these are kept too',
    ),
    'halt-height': key(
      integerType('HEIGHT', 0),
      0,
      'height after whose block the node stops with exit code 0; 0 never stops',
    ),
    'halt-time': key(
      integerType('SECONDS', 0),
      0,
      'Unix time in seconds: the node stops with exit code 0 after the first block of that time or later; 0 never stops',
    ),
    'upgrade-plans': key(
      upgradePlanList(),
      [],
      'upgrades as name@height, the same on all validators. A release without the upgrade executes no block from that ' +
        'height on: it writes data/upgrade-info.json and waits to be replaced, as cosmovisor does',
    ),
  },
  sections: {
    evm: {
      http_enabled: key(bool(), true, 'serve the EVM JSON-RPC'),
      http_address: key(textType('HOST'), '127.0.0.1', 'address of the EVM JSON-RPC'),
      http_port: key(port(), 8_545, 'port of the EVM JSON-RPC; 0 picks a free one'),
      ws_enabled: key(bool(), true, 'accept WebSocket connections, on http_port and on ws_port'),
      ws_port: key(
        port(),
        8_546,
        'WebSocket-only port; http_port serves WebSocket too. 0 picks a free one, and so does the default ' +
          'if http_port is 0. A default port that another process uses is skipped',
      ),
      ipc_path: key(
        textType('FILE'),
        '',
        'Unix socket of the EVM JSON-RPC with subscriptions, which only this user may open; a relative path is below the ' +
          'home; empty serves none',
      ),
      rpc_server: key(
        choice('SERVER', ['auto', 'uws', 'node']),
        'auto',
        'HTTP server of the JSON-RPC and the metrics: uWebSockets.js, which rejects chunked bodies, node:http, or the ' +
          'first that loads',
      ),
      serving_threads: key(
        integerType('COUNT', -1, MAX_SERVING_THREADS),
        -1,
        'RPC workers that serve HTTP and WebSocket, with uWebSockets.js; -1 starts one per processor if there are several; ' +
          'with 0, and on development chains, the main thread serves',
      ),
      http_compression: key(
        choice('PEERS', ['remote', 'all', 'none']),
        'remote',
        'clients whose responses are compressed (zstd, gzip) if they accept it',
      ),
      virtual_hosts: key(
        textList('HOSTS'),
        'localhost',
        'host names accepted in the Host header, over WebSocket and at the consensus RPC ' +
          'too; an IP address is always accepted; * accepts any name',
      ),
      cors_origins: liveKey(
        textList('ORIGINS'),
        LOOPBACK_NAMES,
        'web origins allowed to call; a bare host name allows any scheme and port; null is a page opened as a file; * allows any origin',
      ),
      ws_origins: key(
        textList('ORIGINS'),
        LOOPBACK_NAMES,
        'web origins allowed to connect; a bare host name allows any scheme and port; null is a page opened as a file; * allows any origin',
      ),
      deny_list: key(textList('METHODS'), [], 'methods that are not served'),
      max_open_connections: key(count(), 2_000, 'maximum open connections'),
      max_request_body_bytes: key(bytes(), 5_242_880, 'maximum size of a request body in bytes'),
      max_request_values: liveKey(
        count(),
        40_000,
        'maximum JSON values in a request: members, elements and opened brackets',
      ),
      max_client_bytes: key(
        bytes(),
        268_435_456,
        'maximum bytes held for all clients: requests that arrive or are in progress, responses not yet read',
      ),
      body_read_idle_timeout: key(
        duration(1),
        '10s',
        'pause after which an unfinished request body is dropped',
      ),
      write_timeout: liveKey(
        duration(1),
        '30s',
        'time limit of a method; then it fails with error -32002',
      ),
      slow_request: liveKey(
        duration(),
        '0s',
        'time after which a request is logged as slow, with its method; at most ten lines a second and thread; 0s logs none',
      ),
      batch_request_limit: liveKey(count(), 1_000, 'maximum requests in a batch'),
      batch_response_max_size: liveKey(
        bytes(),
        25_000_000,
        'maximum bytes in the response to a batch',
      ),
      parallel_execution: key(
        integerType('COUNT', 0, 64),
        0,
        'threads that execute transactions of a block speculatively, beside the main thread; 0 executes all in ' +
          'order; the blocks are the same',
      ),
      compiled_code: key(
        bool(),
        false,
        'compile hot EVM code to WebAssembly; results are the same, and traced steps are always interpreted',
      ),
      compiled_code_bytes: key(
        bytes(),
        16_777_216,
        'maximum bytes of compiled code of each engine; the least recently used is dropped',
      ),
      address_index: key(
        bool(),
        false,
        'keep an index of transactions by the addresses that they involve, for ots_ and trace_filter',
      ),
      max_log_no_block: liveKey(
        integerType('COUNT', 0),
        10_000,
        'maximum logs that eth_getLogs returns for a range; 0 is unlimited; a single block is always returned whole',
      ),
      max_blocks_for_log: liveKey(
        integerType('BLOCKS', 0),
        0,
        'maximum blocks that eth_getLogs searches; 0 is unlimited',
      ),
      max_subscriptions_new_head: liveKey(count(), 10_000, 'maximum subscriptions to newHeads'),
      max_subscriptions_logs: liveKey(count(), 1_000, 'maximum subscriptions to logs'),
      filter_timeout: key(duration(1), '2m0s', 'time after which an unread filter is removed'),
      simulation_gas_limit: key(
        integerType('GAS', 0),
        50_000_000,
        'gas cap of a simulated call or trace, and its gas if the call sets none; 0 is the gas limit of its block',
      ),
      simulation_evm_timeout: liveKey(duration(1), '1m0s', 'time limit of a simulation'),
      max_concurrent_simulation_calls: key(count(), 64, 'maximum simulations at a time'),
      max_state_override_accounts: liveKey(count(), 100, 'maximum accounts in a state override'),
      max_state_override_slots: liveKey(
        count(),
        1_000,
        'maximum slots of an account in a state override',
      ),
      trace_timeout: liveKey(
        duration(1),
        '30s',
        'time limit of a trace from its start to its last byte; it may wait as long for a thread before',
      ),
      max_trace_lookback_blocks: liveKey(
        integerType('BLOCKS', -1),
        10_000,
        'age in blocks of the oldest block that may be traced; -1 is unlimited',
      ),
      max_trace_filter_blocks: liveKey(
        integerType('BLOCKS', 0),
        100,
        'maximum blocks that one trace_filter executes again; 0 is unlimited, within trace_timeout',
      ),
      max_concurrent_trace_calls: key(
        integerType('COUNT', 0),
        10,
        'maximum traces of one client that run or wait; 0 is unlimited',
      ),
      max_trace_struct_log_bytes: key(
        integerType('BYTES', 0),
        0,
        'maximum bytes that the struct logger or a vmTrace writes per transaction; ' +
          '0 is unlimited on a loopback http_address, and 1 GiB otherwise',
      ),
      max_trace_kept_bytes: key(
        bytes(),
        134_217_728,
        'maximum bytes of calls, logs and accounts that a tracer buffers until a transaction ends',
      ),
      trace_allow_js_tracers: key(bool(), true, 'run tracers sent as JavaScript source'),
      max_trace_script_bytes: key(
        integerType('BYTES', 33_554_432),
        268_435_456,
        'maximum memory of all script tracers in bytes; each gets an equal share of at most 128 MiB',
      ),
      trace_workers: key(
        integerType('COUNT', 1, 64),
        2,
        'threads for traces; script tracers have as many threads of their own, each of which runs one tracer at a time',
      ),
      trace_script_turn: key(
        duration(1),
        '250ms',
        'time slice of a script tracer while others wait; then it restarts behind them with twice the time',
      ),
      trace_cache_bytes: key(
        integerType('BYTES', 0),
        67_108_864,
        'maximum bytes of trace results kept for later requests; 0 keeps none',
      ),
    },
    explorer: {
      enable: key(
        bool(),
        true,
        'serve the explorer at /explorer of http_port: a page that opens and steps through transactions',
      ),
      public: key(bool(), false, 'serve it on any http_address; otherwise only on a loopback one'),
    },
    dev: DEV_KEYS,
    payments: PAYMENTS_KEYS,
    wallets: WALLETS_KEYS,
    'state-sync': {
      'snapshot-interval': key(
        integerType('BLOCKS', 0),
        0,
        'blocks between two snapshots that the running node exports; 0 exports none',
      ),
      'snapshot-keep-recent': key(
        integerType('COUNT', 0),
        2,
        'latest snapshots to keep after an export; 0 keeps all',
      ),
      'snapshot-directory': key(
        textType('DIR'),
        '',
        'folder of the snapshots; a relative path is below the home; empty means data/snapshots',
      ),
    },
    'state-commit': {
      'sc-enable': key(alwaysTrue(), true, 'keep the state commit; must stay true'),
      'sc-keep-recent': key(
        integerType('BLOCKS', 0),
        10_000,
        'recent heights at which /abci_query reads and proves module stores; 0 keeps all',
      ),
    },
    'state-store': {
      'ss-enable': key(alwaysTrue(), true, 'keep the state store; must stay true'),
      'ss-backend': key(
        choice('BACKEND', ['pebbledb', 'rocksdb', 'lmdb']),
        'pebbledb',
        'database of the state store; pebbledb is an alias of lmdb, rocksdb needs a package',
      ),
      'ss-keep-recent': key(
        integerType('BLOCKS', 0),
        100_000,
        'recent heights whose state can be read; 0 keeps all',
      ),
      'ss-prune-interval': key(
        integerType('SECONDS', 0),
        600,
        'seconds between two prunings; 0 never prunes',
      ),
      'evm-ss-split': key(
        bool(),
        false,
        'keep EVM state in its own store; change it only together with a state sync',
      ),
      'evm-ss-separate-dbs': key(
        bool(),
        true,
        'use one database per kind of EVM data instead of one for all',
      ),
    },
  },
  lists: { payments: { resource: RESOURCE_LIST }, wallets: { chain: WALLET_CHAIN_LIST } },
} as const satisfies ConfigFile
