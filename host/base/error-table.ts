import { FAILURES } from './failure-table.ts'

/**
 * Exit codes of commands: 1 is a negative result of a command that compares or checks, the others are from
 * sysexits.h.
 */
export const EXITS = {
  0: 'the command has succeeded',
  1: 'a block of an import breaks a rule, a replay differs, a transaction fails, or a check has found something',
  64: 'usage: an argument is wrong',
  65: 'data from outside is wrong',
  69: 'something requested is not available',
  70: 'an error inside the program',
  73: 'a file or a home cannot be created',
  74: 'a disk is damaged or full',
  75: 'busy: the same command may succeed later',
  77: 'a secret is missing, or a file may not be read or written',
  78: 'the configuration is wrong',
  130: 'Ctrl-C ended a command before it finished; a node, at the second one',
} as const

/**
 * Every error code of the host. `exit` is the exit code of the process if the error ends a command; `rpc` is the
 * JSON-RPC code (EIP-1474, EIP-1193, geth); `remedy` is the default, which the throwing code may override.
 */
export interface ErrorRow {
  readonly exit: keyof typeof EXITS
  readonly rpc: number
  readonly remedy: string
  /** Text that each message of this error contains. If the thrower does not include it, it is prepended. */
  readonly text?: string
}

export const ERRORS = {
  // Values from outside
  INVALID_HEX: { exit: 65, rpc: -32602, remedy: 'write it as 0x followed by hex digits' },
  INVALID_RLP: { exit: 65, rpc: -32000, remedy: 'encode it as canonical RLP' },
  /** The argument is well formed but not allowed. */
  REFUSED_ARGUMENT: { exit: 64, rpc: -32602, remedy: 'correct the argument' },
  INVALID_ARGUMENT: { exit: 64, rpc: -32602, remedy: 'correct the argument' },

  // JSON-RPC
  PARSE_ERROR: { exit: 65, rpc: -32700, remedy: 'send one JSON-RPC 2.0 request or a batch' },
  INVALID_REQUEST: { exit: 65, rpc: -32600, remedy: 'send one JSON-RPC 2.0 request or a batch' },
  METHOD_NOT_FOUND: {
    exit: 64,
    rpc: -32601,
    remedy: 'call rpc_modules to learn which namespaces are served',
  },
  QUERY_INVALID: {
    exit: 64,
    rpc: -32000,
    remedy: "write conditions such as tm.event='Tx' AND transfer.sender='0x...'",
  },
  REFUSED_EVIDENCE: { exit: 65, rpc: -32000, remedy: 'correct the evidence as the message says' },
  REQUEST_TIMEOUT: { exit: 75, rpc: -32002, remedy: 'ask for less, or raise the time limit' },
  RESPONSE_TOO_LARGE: { exit: 75, rpc: -32003, remedy: 'ask for less in one request' },
  LIMIT_EXCEEDED: { exit: 75, rpc: -32000, remedy: 'ask for less in one request' },
  // EIP-1474's code for a limit on what one client may cost the node
  CLIENT_LIMIT: { exit: 75, rpc: -32005, remedy: 'ask for less at a time, or raise the limit' },
  // EIP-7966: the transaction is in the pool, but its receipt does not exist yet
  SYNC_TIMEOUT: { exit: 75, rpc: 4, remedy: 'ask for the receipt later' },
  SERVER_BUSY: { exit: 75, rpc: -32000, remedy: 'try again shortly' },
  EXECUTION_REVERTED: { exit: 70, rpc: 3, remedy: 'decode the data with the contract ABI' },
  EXECUTION_FAILED: { exit: 70, rpc: -32000, remedy: 'trace the call to see where it fails' },
  NOT_FOUND: { exit: 69, rpc: -32000, remedy: 'check the hash or the height' },
  /** EIP-1474's code, if execution-apis names it. */
  RESOURCE_NOT_FOUND: { exit: 69, rpc: -32001, remedy: 'ask for a block of a later fork' },
  STATE_PRUNED: { exit: 69, rpc: 4444, remedy: 'ask for a later height, or an archive node' },
  UNSUPPORTED: { exit: 69, rpc: -32000, remedy: 'use a chain or a node that has the feature' },

  // Transactions
  TRANSACTION_REJECTED: { exit: 65, rpc: -32000, remedy: 'correct and sign the transaction again' },

  /** In a block, or when gas is estimated before sending. */
  TRANSACTION_FAILED: {
    exit: 1,
    rpc: -32000,
    remedy: 'trace it to see where it fails',
  },

  // Keys of accounts
  KEYSTORE_INVALID: { exit: 65, rpc: -32000, remedy: 'restore the file from a backup' },
  PASSPHRASE_WRONG: {
    exit: 77,
    rpc: -32000,
    remedy: 'give the passphrase that the key was encrypted with',
  },

  // Simulated blocks (execution-apis: eth_simulateV1)
  OVERRIDE_INVALID: { exit: 64, rpc: -32000, remedy: 'correct the override' },
  CALL_CONTRADICTS: { exit: 65, rpc: -32000, remedy: 'omit one of the two members' },
  CALL_NONCE_TOO_LOW: {
    exit: 65,
    rpc: -38010,
    remedy: "use the account's nonce, or leave validation out",
  },
  CALL_NONCE_TOO_HIGH: {
    exit: 65,
    rpc: -38011,
    remedy: "use the account's nonce, or leave validation out",
  },
  CALL_FEE_CAP_TOO_LOW: {
    exit: 65,
    rpc: -38012,
    remedy: 'raise maxFeePerGas, or override the fee',
  },
  CALL_GAS_TOO_LOW: { exit: 65, rpc: -38013, remedy: 'raise the gas of the call' },
  CALL_FUNDS_TOO_LOW: { exit: 65, rpc: -38014, remedy: 'override the balance of the sender' },
  CALL_BEYOND_BLOCK: {
    exit: 65,
    rpc: -38015,
    remedy: 'ask for less gas, or raise the block limit',
  },
  CALL_REFUSED: { exit: 65, rpc: -32603, remedy: 'correct the call' },
  BLOCK_NUMBER_ORDER: { exit: 65, rpc: -38020, remedy: 'number the blocks in ascending order' },
  BLOCK_TIME_ORDER: { exit: 65, rpc: -38021, remedy: 'give the blocks ascending times' },
  CALL_INIT_CODE_TOO_LARGE: { exit: 65, rpc: -38025, remedy: 'shorten the init code' },
  // geth's code for too much in one request
  TOO_MANY_SLOTS: { exit: 64, rpc: -38026, remedy: 'ask for fewer slots' },
  TOO_MANY_CALLS: { exit: 64, rpc: -38026, remedy: 'ask for fewer calls' },
  TOO_MANY_BLOCKS: { exit: 64, rpc: -38026, remedy: 'ask for fewer blocks' },

  // Blocks of other chains
  BLOCK_INVALID: { exit: 1, rpc: -32000, remedy: "check the block and the network's rules" },

  // Recorded transactions
  BUNDLE_INVALID: { exit: 65, rpc: -32000, remedy: 'record it again with `lockstep record`' },
  REPLAY_DIFFERS: { exit: 1, rpc: -32000, remedy: 'trace both runs up to the named step' },

  // Snapshots of the state
  SNAPSHOT_INVALID: {
    exit: 65,
    rpc: -32000,
    remedy: 'fetch the snapshot again, or use another one',
  },

  // Blocks of other nodes
  PEER_INVALID: {
    exit: 65,
    rpc: -32000,
    remedy: 'name another server, and check that it serves the chain of genesis.json',
  },
  UNTRUSTED: {
    exit: 78,
    rpc: -32000,
    remedy: 'set trust-height and trust-hash to a later block from a source that you trust',
  },

  // Engine
  ENGINE_FAULT: {
    exit: 70,
    rpc: -32000,
    remedy: 'report it with the transaction and block height',
  },

  TRACE_DIFFERS: {
    exit: 70,
    rpc: -32000,
    remedy: 'ask again; report it with the transaction and block height',
  },

  // Node
  CONFIG_INVALID: { exit: 78, rpc: -32000, remedy: 'correct the key in the named file' },
  GENESIS_INVALID: { exit: 78, rpc: -32000, remedy: 'correct genesis.json' },
  UPGRADE_NEEDED: {
    exit: 78,
    rpc: -32000,
    remedy: 'install the release that contains the upgrade, and start it; cosmovisor does both',
  },
  HOME_MISSING: { exit: 78, rpc: -32000, remedy: 'run `lockstep init` first' },
  HOME_NOT_EMPTY: {
    exit: 73,
    rpc: -32000,
    remedy: 'run `lockstep consensus unsafe-reset-all`, or use another --home',
  },
  POLICY_DENIES: {
    exit: 1,
    rpc: -32000,
    remedy: 'change the action, or add a rule that allows it',
  },
  FAULTS_FOUND: { exit: 1, rpc: -32000, remedy: 'fix them in this order, then check again' },
  IMPORT_UNFINISHED: {
    exit: 78,
    rpc: -32000,
    remedy:
      'run `lockstep snapshot import` again, or `lockstep consensus unsafe-reset-all` to start over',
  },
  ROLLBACK_UNFINISHED: { exit: 78, rpc: -32000, remedy: 'run `lockstep rollback` again' },
  HOME_LOCKED: { exit: 75, rpc: -32000, remedy: FAILURES.DATABASE_LOCKED.remedy },
  KEY_LOCKED: {
    exit: 75,
    rpc: -32000,
    remedy: 'stop the other node: a validator key may sign in one place only',
  },
  PORT_IN_USE: { exit: 75, rpc: -32000, remedy: 'stop the other process, or choose another port' },
  CERTIFICATE_INVALID: {
    exit: 78,
    rpc: -32000,
    remedy: 'write a certificate chain and its key in PEM',
  },
  INTERRUPTED: { exit: 130, rpc: -32000, remedy: 'run the same command again' },
  /** Uses the message and code of the forked node. */
  UPSTREAM_REFUSED: { exit: 69, rpc: -32000, remedy: 'ask for what the node of --dev.fork serves' },
  NODE_UNREACHABLE: { exit: 69, rpc: -32000, remedy: 'start the node, or pass its address' },
  REMOTE_SIGNER: {
    exit: 69,
    rpc: -32000,
    remedy: 'read the log of the signer: it names each refusal',
  },
  VALIDATOR_KEY: { exit: 78, rpc: -32000, remedy: FAILURES.VALIDATOR_FILE.remedy },
  DOUBLE_SIGN: {
    exit: 70,
    rpc: -32000,
    remedy: FAILURES.DUPLICATE_SIGNATURE.remedy,
    text: FAILURES.DUPLICATE_SIGNATURE.text,
  },
  COMETBFT_MISSING: {
    exit: 69,
    rpc: -32000,
    remedy:
      'install it with `go install github.com/cometbft/cometbft/cmd/cometbft@v0.38.19`, and name it in ' +
      '`cometbft` of [consensus] if it is not on the PATH',
  },
  COMETBFT_FAILED: { exit: 70, rpc: -32000, remedy: 'see the log lines before it' },
  /** Error response of CometBFT's RPC. */
  COMETBFT_REFUSED: { exit: 65, rpc: -32000, remedy: 'correct the request as the message says' },
  CONSENSUS_FAILURE: { exit: 70, rpc: -32000, remedy: FAILURES.CONSENSUS_HALTED.remedy },
  APP_HASH_MISMATCH: { exit: 70, rpc: -32000, remedy: FAILURES.APP_HASH.remedy },

  // Wallets
  MASTER_KEY_WRONG: {
    exit: 77,
    rpc: -32000,
    remedy: 'give the master key that the wallets were sealed with',
  },
  WALLETS_FAILED: { exit: 70, rpc: -32000, remedy: 'see the log lines before it' },

  // Stores
  STORE_CORRUPTED: {
    exit: 74,
    rpc: -32000,
    remedy: FAILURES.DATABASE_CORRUPTED.remedy,
    text: FAILURES.DATABASE_CORRUPTED.text,
  },
  STORE_DENIED: {
    exit: 77,
    rpc: -32000,
    remedy: 'make it readable and writable by the user that runs the node',
  },
  STORE_SPLIT_REFUSED: {
    exit: 78,
    rpc: -32000,
    remedy: 'complete a state sync, or set evm-ss-split = false and restart',
  },
  STORE_BACKEND_CHANGED: {
    exit: 78,
    rpc: -32000,
    remedy: 'set ss-backend back to its former value, or import a snapshot into a new home',
  },
  STORE_FULL: { exit: 74, rpc: -32000, remedy: 'free disk space and start again' },
  STORE_UNREACHABLE: {
    exit: 69,
    rpc: -32000,
    remedy: 'start the database, or correct the URL of the store',
  },
} as const satisfies Record<string, ErrorRow>
