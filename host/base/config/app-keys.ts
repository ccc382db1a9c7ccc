import { type ConfigFile, key } from './config-key.ts'
import { DEV_KEYS } from './dev-keys.ts'
import { PAYMENTS_KEYS } from './payments-keys.ts'
import { RESOURCE_LIST } from './resource-list.ts'
import {
  alwaysTrue,
  bool,
  choice,
  duration,
  gasPrice,
  integer,
  text,
  textList,
  type ValueType,
} from './value-type.ts'
import { WALLET_CHAIN_LIST } from './wallet-chain-list.ts'
import { WALLETS_KEYS } from './wallets-keys.ts'

/** Origins of pages that this machine serves. */
const LOOPBACK_NAMES = 'localhost, 127.0.0.1, [::1]'

const bytes = (): ValueType<number> => integer('BYTES', 1)
const count = (): ValueType<number> => integer('COUNT', 1)
const port = (): ValueType<number> => integer('PORT', 0, 65_535)

export const MAX_SERVING_THREADS = 16

/** The keys of app.toml. Names and defaults are those of the chain's operator guides where they have them. */
export const APP_KEYS = {
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
        'HTTP server of the JSON-RPC and the metrics: uWebSockets.js, which takes no body in chunks, node:http, or the ' +
          'first that loads',
      ),
      serving_threads: key(
        integer('COUNT', -1, MAX_SERVING_THREADS),
        -1,
        'threads that serve HTTP and WebSocket, with uWebSockets.js; -1 is as many as there are processors, where there are several; ' +
          'with 0, and on development chains, the thread of the chain does',
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
      parallel_execution: key(
        integer('COUNT', 0, 64),
        0,
        'threads that run transactions of a block ahead of their turn, beside the thread of the chain; 0 runs all in ' +
          'order; the blocks are the same',
      ),
      address_index: key(
        bool(),
        false,
        'keep an index of transactions by the addresses that take part in them, for ots_ and trace_filter',
      ),
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
      max_state_override_slots: key(count(), 1_000, 'most slots of an account in a state override'),
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
      max_trace_filter_blocks: key(
        integer('BLOCKS', 0),
        100,
        'most blocks that one trace_filter runs again; 0 is any number, within trace_timeout',
      ),
      max_concurrent_trace_calls: key(
        integer('COUNT', 0),
        10,
        'most traces of one client that run or wait; 0 is any number',
      ),
      max_trace_struct_log_bytes: key(
        integer('BYTES', 0),
        0,
        'most bytes that the struct logger or a vmTrace writes about a transaction; ' +
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
      trace_script_turn: key(
        duration(1),
        '250ms',
        'time that a script tracer has its thread while others wait; it begins again behind them with twice as much',
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
      public: key(bool(), false, 'serve it on any http_address; otherwise on a loopback one alone'),
    },
    dev: DEV_KEYS,
    payments: PAYMENTS_KEYS,
    wallets: WALLETS_KEYS,
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
  lists: { payments: { resource: RESOURCE_LIST }, wallets: { chain: WALLET_CHAIN_LIST } },
} as const satisfies ConfigFile
