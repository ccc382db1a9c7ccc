import { ACCOUNT_COMMANDS } from './account-commands.ts'
import { type CommandRow, GROUPS } from './command-row.ts'
import { START_ROWS } from './start-row.ts'
import { WALLET_COMMANDS } from './wallet-commands.ts'

const NODE_COMMANDS: readonly CommandRow[] = [
  ...START_ROWS,
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
    summary: 'run all nodes of a network on this machine, and show their progress',
    example: 'lockstep network start network --ready-file ready.json',
    ends: ['NODE_UNREACHABLE'],
    load: async () => (await import('./network/network-start.ts')).defineNetworkStart,
  },
  {
    name: 'import',
    summary: 'import the blocks of an Ethereum chain from a file, to serve them read-only',
    example: 'lockstep import chain.rlp --genesis genesis.json --home ~/.lockstep/imported',
    ends: ['BLOCK_INVALID'],
    load: async () => (await import('./import.ts')).defineImport,
  },
  {
    name: 'export',
    summary: 'write the blocks of an imported Ethereum chain to a file, as geth does',
    example: 'lockstep export chain.rlp --from 1 --to 1000 --home ~/.lockstep/imported',
    ends: ['UNSUPPORTED', 'STATE_PRUNED'],
    load: async () => (await import('./export.ts')).defineExport,
  },
  {
    name: 'record',
    summary: 'record transactions or blocks of a node into files that replay offline',
    example: 'lockstep record 17-20 --url http://127.0.0.1:8545 --out test/transactions',
    ends: ['NODE_UNREACHABLE', 'NOT_FOUND'],
    load: async () => (await import('./bundle/record.ts')).defineRecord,
  },
  {
    name: 'replay',
    summary: 'replay recorded transactions offline, and compare or trace them',
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
    summary: 'examine the home and the logs of a node, and report faults with their remedies',
    example: 'lockstep doctor --deep',
    ends: ['FAULTS_FOUND'],
    load: async () => (await import('./doctor.ts')).defineDoctor,
  },
  {
    name: 'check',
    group: 'config',
    summary: 'list every fault of the configuration files, the variables and the flags',
    example: 'lockstep config check --evm.http-port 8545',
    ends: ['CONFIG_INVALID'],
    load: async () => (await import('./config/config-check.ts')).defineConfigCheck,
  },
  {
    name: 'diff',
    group: 'config',
    summary: 'print the keys with values other than their defaults, and the source of each',
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
    name: 'signer',
    summary: 'sign for a node whose priv-validator-laddr waits for this signer; the key stays here',
    example:
      'lockstep signer --key priv_validator_key.json --state priv_validator_state.json ' +
      '--chain-id lockstep-1329 --connect tcp://127.0.0.1:26659',
    ends: ['VALIDATOR_KEY', 'DOUBLE_SIGN', 'KEY_LOCKED'],
    load: async () => (await import('./signer.ts')).defineSigner,
  },
  {
    name: 'rollback',
    summary: 'roll a stopped node back to an earlier height, for example after a wrong app hash',
    example: 'lockstep rollback -n 1',
    ends: ['STATE_PRUNED', 'DOUBLE_SIGN', 'APP_HASH_MISMATCH'],
    load: async () => (await import('./rollback.ts')).defineRollback,
  },
  {
    name: 'prune',
    summary: 'delete old states and blocks of a stopped node at once',
    example: 'lockstep prune --keep-recent 1000 --retain-blocks 1000',
    load: async () => (await import('./prune.ts')).definePrune,
  },
  {
    name: 'compact',
    summary: 'rewrite the databases of a stopped node so that they take the least space',
    example: 'lockstep compact',
    ends: ['STORE_CORRUPTED', 'STORE_FULL', 'UNSUPPORTED'],
    load: async () => (await import('./compact.ts')).defineCompact,
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
    summary:
      'write the genesis.json with which the chain of a stopped node continues under CometBFT',
    example: 'lockstep genesis export --out genesis.json',
    ends: ['GENESIS_INVALID', 'NOT_FOUND'],
    load: async () => (await import('./genesis/genesis-export.ts')).defineGenesisExport,
  },
  {
    name: 'validate',
    group: 'genesis',
    summary: 'list every problem of a genesis.json',
    example: 'lockstep genesis validate',
    ends: ['GENESIS_INVALID'],
    load: async () => (await import('./genesis/genesis-validate.ts')).defineGenesisValidate,
  },
  {
    name: 'show-node-id',
    group: 'consensus',
    summary:
      "print the node's id, which precedes its address in peer lists: <node_id>@<host>:<port>",
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
      "delete the node's data except its payments; the validator key stays, its signing state is reset",
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
      'write the data for a crash report into one file: log, stacks, versions, hashes; no secrets',
    example: 'lockstep debug collect --out crash.tar.gz',
    load: async () => (await import('./collect.ts')).defineCollect,
  },
  {
    name: 'dump-iavl',
    group: 'debug',
    summary: 'write the module trees at a height, with keys, values and shape, one file each',
    example: 'lockstep debug dump-iavl 1200 --output-dir dump',
    ends: ['STATE_PRUNED', 'NOT_FOUND'],
    load: async () => (await import('./dump/dump-iavl.ts')).defineDumpIavl,
  },
  {
    name: 'dump-db',
    group: 'debug',
    summary: 'write all rows of the state store as lines, for a pipe to search',
    example: 'lockstep debug dump-db --module bank',
    load: async () => (await import('./dump/dump-db.ts')).defineDumpDb,
  },
  {
    name: 'profile',
    group: 'debug',
    summary: 'record what the main thread of a running node does, for the DevTools of a browser',
    example: 'lockstep debug profile --seconds 10',
    ends: ['NODE_UNREACHABLE', 'UNSUPPORTED', 'NOT_FOUND'],
    load: async () => (await import('./profile.ts')).defineProfile,
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
      'write the state of a stopped node at a height, the latest by default, into data/snapshots',
    example: 'lockstep snapshot export',
    load: async () => (await import('./snapshot/snapshot-export.ts')).defineSnapshotExport,
  },
  {
    name: 'list',
    group: 'snapshot',
    summary: 'list the snapshots of this node, latest first',
    example: 'lockstep snapshot list',
    load: async () => (await import('./snapshot/snapshot-list.ts')).defineSnapshotList,
  },
  {
    name: 'import',
    group: 'snapshot',
    summary: 'initialize an empty home from a snapshot',
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
    name: 'dump',
    group: 'snapshot',
    summary: 'write a snapshot to one file, to copy it to another machine',
    example: 'lockstep snapshot dump 1200 --out snapshot.tar',
    ends: ['SNAPSHOT_INVALID', 'NOT_FOUND', 'STORE_FULL'],
    load: async () => (await import('./snapshot/snapshot-dump.ts')).defineSnapshotDump,
  },
  {
    name: 'load',
    group: 'snapshot',
    summary: 'add the snapshot in a dumped file to those of this home, for `snapshot import`',
    example: 'lockstep snapshot load snapshot.tar --home ~/other',
    ends: ['SNAPSHOT_INVALID', 'STORE_FULL'],
    load: async () => (await import('./snapshot/snapshot-load.ts')).defineSnapshotLoad,
  },
  {
    name: 'completion',
    summary: 'print the shell completion of commands, flags and keys',
    example: 'lockstep completion bash',
    load: async () => {
      const { completionOf } = await import('./completion.ts')
      return completionOf({ rows: COMMANDS, groups: GROUPS })
    },
  },
  {
    name: 'mcp',
    summary: 'let an agent act on a chain through the Model Context Protocol over stdio or HTTP',
    example:
      'lockstep mcp --wallet-url http://127.0.0.1:8403 --app-id ID --app-secret-file secret --wallet-id ID',
    ends: ['NODE_UNREACHABLE'],
    load: async () => (await import('./mcp/mcp.ts')).defineMcp,
  },
  {
    name: 'demo',
    group: 'payments',
    summary:
      'request a priced resource from a dev chain and pay for it: shows the 402, the payment and the 200',
    example: 'lockstep payments demo',
    ends: ['NODE_UNREACHABLE'],
    load: async () => (await import('./payments/payments-demo.ts')).definePaymentsDemo,
  },
  {
    name: 'list',
    group: 'payments',
    summary: 'print the last payments, latest first',
    example: 'lockstep payments list --resource /weather --since 24h',
    load: async () => (await import('./payments/payments-list.ts')).definePaymentsList,
  },
  {
    name: 'show',
    group: 'payments',
    summary: 'print all details of a payment',
    example:
      'lockstep payments show 0x1111111111111111111111111111111111111111111111111111111111111111',
    ends: ['NOT_FOUND'],
    load: async () => (await import('./payments/payments-show.ts')).definePaymentsShow,
  },
  {
    name: 'export',
    group: 'payments',
    summary: 'write all payments as CSV or JSON, oldest first',
    example: 'lockstep payments export --format csv --since 2026-01-01',
    load: async () => (await import('./payments/payments-export.ts')).definePaymentsExport,
  },
  {
    name: 'refund',
    group: 'payments',
    summary: 'pay a payment back at most once, or record the transaction that did',
    example:
      'lockstep payments refund 0x1111111111111111111111111111111111111111111111111111111111111111 --key seller.key',
    ends: [
      'NOT_FOUND',
      'NODE_UNREACHABLE',
      'REFUSED_ARGUMENT',
      'SYNC_TIMEOUT',
      'TRANSACTION_FAILED',
    ],
    load: async () => (await import('./payments/payments-refund.ts')).definePaymentsRefund,
  },
  {
    name: 'move',
    group: 'payments',
    summary: 'move the payments of a folder into the PostgreSQL database of the configuration',
    example: 'lockstep payments move --home /srv/node',
    ends: ['NOT_FOUND', 'SERVER_BUSY', 'STORE_UNREACHABLE'],
    load: async () => (await import('./payments/payments-move.ts')).definePaymentsMove,
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
