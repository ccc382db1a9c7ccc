import { ACCOUNT_COMMANDS } from './account-commands.ts'
import { type CommandRow, GROUPS } from './command-row.ts'
import { START } from './start-row.ts'
import { WALLET_COMMANDS } from './wallet-commands.ts'

const NODE_COMMANDS: readonly CommandRow[] = [
  START,
  {
    name: 'init',
    summary: 'write the keys, the configuration and the genesis of a new home',
    example:
      'lockstep init alice --chain-id 1329 --fund 0x1111111111111111111111111111111111111111=1000ether',
    load: async () => (await import('./init.ts')).defineInit,
  },
  {
    name: 'init',
    group: 'network',
    summary: 'write the homes of the nodes of a network: keys, one genesis, peers and ports',
    example: 'lockstep network init --validators 4 --full 2 --out network',
    ends: ['HOME_NOT_EMPTY'],
    load: async () => (await import('./network/network-init.ts')).defineNetworkInit,
  },
  {
    name: 'start',
    group: 'network',
    summary: 'run all nodes of a network on this machine, and show how far each is',
    example: 'lockstep network start network --ready-file ready.json',
    ends: ['NODE_UNREACHABLE'],
    load: async () => (await import('./network/network-start.ts')).defineNetworkStart,
  },
  {
    name: 'import',
    summary: 'take the blocks of an Ethereum chain from a file, to be served read-only',
    example: 'lockstep import chain.rlp --genesis genesis.json --home ~/.lockstep/imported',
    ends: ['BLOCK_INVALID'],
    load: async () => (await import('./import.ts')).defineImport,
  },
  {
    name: 'record',
    summary: 'write transactions or blocks of a node into files that run again offline',
    example: 'lockstep record 17-20 --url http://127.0.0.1:8545 --out test/transactions',
    ends: ['NODE_UNREACHABLE', 'NOT_FOUND'],
    load: async () => (await import('./bundle/record.ts')).defineRecord,
  },
  {
    name: 'replay',
    summary: 'run recorded transactions again, offline, and compare them or trace them',
    example: 'lockstep replay test/transactions',
    ends: ['REPLAY_DIFFERS', 'BUNDLE_INVALID'],
    load: async () => (await import('./bundle/replay.ts')).defineReplay,
  },
  {
    name: 'status',
    summary: 'show the synchronization status of the running node',
    example: 'lockstep status --node http://127.0.0.1:26657',
    ends: ['NODE_UNREACHABLE'],
    load: async () => (await import('./status/status.ts')).defineStatus,
  },
  {
    name: 'doctor',
    summary: 'look at the home and the logs of a node, and say what is wrong and what mends it',
    example: 'lockstep doctor --deep',
    ends: ['FAULTS_FOUND'],
    load: async () => (await import('./doctor.ts')).defineDoctor,
  },
  {
    name: 'check',
    group: 'config',
    summary: 'name every fault of the configuration files, the variables and the flags',
    example: 'lockstep config check --evm.http-port 8545',
    ends: ['CONFIG_INVALID'],
    load: async () => (await import('./config/config-check.ts')).defineConfigCheck,
  },
  {
    name: 'diff',
    group: 'config',
    summary: 'print the keys that do not have their defaults, and where they are set',
    example: 'lockstep config diff --json',
    load: async () => (await import('./config/config-diff.ts')).defineConfigDiff,
  },
  {
    name: 'explain',
    group: 'config',
    summary: 'describe a key: its meaning, values, default, file, variable and flag',
    example: 'lockstep config explain evm-ss-split',
    load: async () => (await import('./config/config-explain.ts')).defineConfigExplain,
  },
  {
    name: 'migrate',
    group: 'config',
    summary: 'rewrite the files of an older release, of seid or of CometBFT for this release',
    example: 'lockstep config migrate --dry-run',
    ends: ['CONFIG_INVALID'],
    load: async () => (await import('./config/config-migrate.ts')).defineConfigMigrate,
  },
  {
    name: 'rollback',
    summary: 'take a stopped node back to an earlier height, from a wrong app hash above all',
    example: 'lockstep rollback -n 1',
    ends: ['STATE_PRUNED', 'DOUBLE_SIGN', 'APP_HASH_MISMATCH'],
    load: async () => (await import('./rollback.ts')).defineRollback,
  },
  {
    name: 'add-account',
    group: 'genesis',
    summary: 'give an account tokens at genesis, before the chain begins',
    example: 'lockstep genesis add-account 0x1111111111111111111111111111111111111111 1000ether',
    ends: ['REFUSED_ARGUMENT', 'GENESIS_INVALID'],
    load: async () => (await import('./genesis/genesis-add-account.ts')).defineGenesisAddAccount,
  },
  {
    name: 'export',
    group: 'genesis',
    summary: 'write the genesis.json with which the chain of a stopped node goes on under CometBFT',
    example: 'lockstep genesis export --out genesis.json',
    ends: ['GENESIS_INVALID', 'NOT_FOUND'],
    load: async () => (await import('./genesis/genesis-export.ts')).defineGenesisExport,
  },
  {
    name: 'validate',
    group: 'genesis',
    summary: 'name every problem of a genesis.json',
    example: 'lockstep genesis validate',
    ends: ['GENESIS_INVALID'],
    load: async () => (await import('./genesis/genesis-validate.ts')).defineGenesisValidate,
  },
  {
    name: 'show-node-id',
    group: 'consensus',
    summary: "print the node's id, which peers write before its address: <node_id>@<host>:<port>",
    example: 'lockstep consensus show-node-id',
    ends: ['VALIDATOR_KEY'],
    load: async () => (await import('./show-node-id.ts')).defineShowNodeId,
  },
  {
    name: 'show-validator',
    group: 'consensus',
    summary: "print the validator's public key",
    example: 'lockstep consensus show-validator',
    ends: ['VALIDATOR_KEY'],
    load: async () => (await import('./show-validator.ts')).defineShowValidator,
  },
  {
    name: 'unsafe-reset-all',
    group: 'consensus',
    summary:
      "wipe the node's data but its payments; the validator key stays, its signing state is reset",
    example: 'lockstep consensus unsafe-reset-all --keep-addr-book',
    load: async () => (await import('./unsafe-reset-all.ts')).defineUnsafeResetAll,
  },
  {
    name: 'state-size',
    group: 'debug',
    summary: 'print the rows and bytes of each table',
    example: 'lockstep debug state-size --json',
    load: async () => (await import('./state-size.ts')).defineStateSize,
  },
  {
    name: 'collect',
    group: 'debug',
    summary:
      'write what the report of a crash needs into one file: log, stacks, versions, hashes; no secrets',
    example: 'lockstep debug collect --out crash.tar.gz',
    load: async () => (await import('./collect.ts')).defineCollect,
  },
  {
    name: 'dump-iavl',
    group: 'debug',
    summary:
      'write the trees of the modules at a height, keys with their values and shape, a file each',
    example: 'lockstep debug dump-iavl 1200 --output-dir dump',
    ends: ['STATE_PRUNED', 'NOT_FOUND'],
    load: async () => (await import('./dump/dump-iavl.ts')).defineDumpIavl,
  },
  {
    name: 'dump-db',
    group: 'debug',
    summary: 'write all rows of the state store as lines, to be searched through a pipe',
    example: 'lockstep debug dump-db --module bank',
    load: async () => (await import('./dump/dump-db.ts')).defineDumpDb,
  },
  {
    name: 'verify-db',
    group: 'debug',
    summary: 'read all databases and compare them with their checksums and with one another',
    example: 'lockstep debug verify-db',
    ends: ['STORE_CORRUPTED'],
    load: async () => (await import('./verify-db.ts')).defineVerifyDb,
  },
  {
    name: 'split-store',
    group: 'migrate',
    summary:
      'prepare a stopped RPC node for the split EVM state store, saving its keys and genesis',
    example: 'lockstep migrate split-store --from http://127.0.0.1:26657 --dry-run',
    ends: ['UNSUPPORTED', 'NODE_UNREACHABLE', 'STORE_FULL'],
    load: async () => (await import('./migrate/split-store.ts')).defineSplitStore,
  },
  {
    name: 'export',
    group: 'snapshot',
    summary:
      'write the state of a stopped node at a height, the newest by default, into data/snapshots',
    example: 'lockstep snapshot export',
    load: async () => (await import('./snapshot/snapshot-export.ts')).defineSnapshotExport,
  },
  {
    name: 'list',
    group: 'snapshot',
    summary: 'list the snapshots of this node, the newest first',
    example: 'lockstep snapshot list',
    load: async () => (await import('./snapshot/snapshot-list.ts')).defineSnapshotList,
  },
  {
    name: 'import',
    group: 'snapshot',
    summary: 'begin an empty home with the state of a snapshot',
    example: 'lockstep snapshot import 1200 --home ~/other',
    ends: ['SNAPSHOT_INVALID', 'NOT_FOUND', 'HOME_NOT_EMPTY'],
    load: async () => (await import('./snapshot/snapshot-import.ts')).defineSnapshotImport,
  },
  {
    name: 'verify',
    group: 'snapshot',
    summary: "check a snapshot's chunks, and that its rows hash to its app hash",
    example: 'lockstep snapshot verify 1200',
    ends: ['SNAPSHOT_INVALID', 'NOT_FOUND'],
    load: async () => (await import('./snapshot/snapshot-verify.ts')).defineSnapshotVerify,
  },
  {
    name: 'completion',
    summary: 'print the completion of commands, flags and keys for a shell',
    example: 'lockstep completion bash',
    load: async () => {
      const { completionOf } = await import('./completion.ts')
      return completionOf({ rows: COMMANDS, groups: GROUPS })
    },
  },
  {
    name: 'mcp',
    summary: 'let an agent act on a chain, by the Model Context Protocol over stdio or HTTP',
    example:
      'lockstep mcp --wallet-url http://127.0.0.1:8403 --app-id ID --app-secret-file secret --wallet-id ID',
    ends: ['NODE_UNREACHABLE'],
    load: async () => (await import('./mcp/mcp.ts')).defineMcp,
  },
  {
    name: 'demo',
    group: 'payments',
    summary:
      'ask a dev chain for a priced resource, pay for it and get it: the 402, the payment and the 200',
    example: 'lockstep payments demo',
    ends: ['NODE_UNREACHABLE'],
    load: async () => (await import('./payments/payments-demo.ts')).definePaymentsDemo,
  },
  {
    name: 'list',
    group: 'payments',
    summary: 'print the last payments, the newest first',
    example: 'lockstep payments list --resource /weather --since 24h',
    load: async () => (await import('./payments/payments-list.ts')).definePaymentsList,
  },
  {
    name: 'show',
    group: 'payments',
    summary: 'print all that is known of a payment',
    example:
      'lockstep payments show 0x1111111111111111111111111111111111111111111111111111111111111111',
    ends: ['NOT_FOUND'],
    load: async () => (await import('./payments/payments-show.ts')).definePaymentsShow,
  },
  {
    name: 'export',
    group: 'payments',
    summary: 'write all payments as CSV or JSON, the oldest first',
    example: 'lockstep payments export --format csv --since 2026-01-01',
    load: async () => (await import('./payments/payments-export.ts')).definePaymentsExport,
  },
  {
    name: 'refund',
    group: 'payments',
    summary: 'note that a payment was paid back, and by which transaction',
    example:
      'lockstep payments refund 0x1111111111111111111111111111111111111111111111111111111111111111 --transaction 0x2222222222222222222222222222222222222222222222222222222222222222',
    ends: ['NOT_FOUND', 'REFUSED_ARGUMENT'],
    load: async () => (await import('./payments/payments-refund.ts')).definePaymentsRefund,
  },
]

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandRow[] = [
  ...NODE_COMMANDS,
  ...ACCOUNT_COMMANDS,
  ...WALLET_COMMANDS,
  {
    name: 'version',
    summary: 'print the version of the package, the hash of its engine and the version of Node',
    example: 'lockstep version',
    load: async () => (await import('./version.ts')).defineVersion,
  },
]
