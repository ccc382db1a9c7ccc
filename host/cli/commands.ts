import type { Command } from 'commander'
import type { ErrorCode } from '../base/error.ts'

/** One command. Its file is loaded when it is run or asked for help, not before. */
export interface CommandRow {
  readonly name: string
  /** The command it stands under. */
  readonly group?: GroupName
  readonly summary: string
  /** A whole command line: the last lines of its help, and its row in COMMANDS.md. */
  readonly example: string
  /** Errors that this command is run to find, beside those that any command may end with. */
  readonly ends?: readonly ErrorCode[]
  /** Loads what gives the command its arguments, flags and action. */
  readonly load: () => Promise<(command: Command) => void>
}

export const GROUPS = {
  consensus: {
    summary: 'keys and data of the consensus engine',
    aliases: ['tendermint', 'cometbft'],
  },
  snapshot: {
    summary: 'snapshots of the whole state, for nodes that join',
    aliases: ['snapshots'],
  },
  config: {
    summary: 'what the configuration is, and what is wrong with it',
    aliases: [],
  },
  keys: {
    summary: 'keys of accounts, under passphrases, in the keystore of the home',
    aliases: [],
  },
  tx: {
    summary: 'send transactions signed by keys of the keystore',
    aliases: [],
  },
  migrate: {
    summary: 'changes of the layout of a home',
    aliases: [],
  },
  genesis: {
    summary: 'what a new chain begins with, before its first block',
    aliases: [],
  },
  query: {
    summary: 'read the state of a node, at any height that it keeps',
    aliases: ['q'],
  },
  'query bank': {
    summary: 'balances and denominations',
    aliases: [],
  },
  'query evm': {
    summary: 'accounts, code, storage, transactions',
    aliases: [],
  },
  'query staking': {
    summary: 'validators, delegations and unbondings',
    aliases: [],
  },
  'tx stake': {
    summary: 'delegate, and operate a validator',
    aliases: ['staking'],
  },
  payments: {
    summary: 'what was paid over HTTP 402, by whom and for what',
    aliases: [],
  },
  wallet: {
    summary: 'wallets whose keys a process of its own holds, and who may use them',
    aliases: [],
  },
  'wallet key': {
    summary: 'keys that authorize what wallets do',
    aliases: [],
  },
  'wallet webhooks': {
    summary: 'what apps are told of, and what could not be delivered',
    aliases: [],
  },
  'wallet app': {
    summary: 'who may use the API of the wallets',
    aliases: [],
  },
  'wallet policy': {
    summary: 'what wallets may sign',
    aliases: [],
  },
  'wallet audit': {
    summary: 'what was done with the wallets, and what was refused',
    aliases: [],
  },
  debug: {
    summary: 'sizes and checks of the data of a stopped node',
    aliases: [],
  },
} as const

export type GroupName = keyof typeof GROUPS

export const COMMANDS: readonly CommandRow[] = [
  {
    name: 'start',
    summary: 'run the node',
    example: 'lockstep start --dev',
    load: async () => (await import('./start/start.ts')).defineStart,
  },
  {
    name: 'init',
    summary: 'write the keys, the configuration and the genesis of a new home',
    example:
      'lockstep init alice --chain-id 1329 --fund 0x1111111111111111111111111111111111111111=1000ether',
    load: async () => (await import('./init.ts')).defineInit,
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
    name: 'validate',
    group: 'genesis',
    summary: 'name every problem of a genesis.json',
    example: 'lockstep genesis validate',
    ends: ['GENESIS_INVALID'],
    load: async () => (await import('./genesis/genesis-validate.ts')).defineGenesisValidate,
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
    name: 'add',
    group: 'keys',
    summary: 'make a key, or one from the words of a mnemonic',
    example: 'lockstep keys add alice',
    load: async () => (await import('./keys/keys-add.ts')).defineKeysAdd,
  },
  {
    name: 'list',
    group: 'keys',
    summary: 'list the names and addresses of the keys',
    example: 'lockstep keys list',
    load: async () => (await import('./keys/keys-list.ts')).defineKeysList,
  },
  {
    name: 'show',
    group: 'keys',
    summary: 'print the name, the address and the file of a key',
    example: 'lockstep keys show alice --address',
    ends: ['NOT_FOUND'],
    load: async () => (await import('./keys/keys-show.ts')).defineKeysShow,
  },
  {
    name: 'import',
    group: 'keys',
    summary: 'take a key from a keystore file of geth or Foundry, or from its hex digits',
    example: 'lockstep keys import bob ~/.ethereum/keystore/key.json',
    ends: ['KEYSTORE_INVALID', 'PASSPHRASE_WRONG'],
    load: async () => (await import('./keys/keys-import.ts')).defineKeysImport,
  },
  {
    name: 'export',
    group: 'keys',
    summary: 'print the keystore file of a key, or the private key itself',
    example: 'lockstep keys export alice --out alice.json',
    ends: ['NOT_FOUND', 'KEYSTORE_INVALID', 'PASSPHRASE_WRONG'],
    load: async () => (await import('./keys/keys-export.ts')).defineKeysExport,
  },
  {
    name: 'delete',
    group: 'keys',
    summary: 'remove a key for good',
    example: 'lockstep keys delete bob --yes',
    ends: ['NOT_FOUND'],
    load: async () => (await import('./keys/keys-delete.ts')).defineKeysDelete,
  },
  {
    name: 'send',
    group: 'tx',
    summary: 'send an amount, and wait for the block',
    example: 'lockstep tx send alice 0x2222222222222222222222222222222222222222 1ether',
    ends: ['TRANSACTION_FAILED', 'TRANSACTION_REJECTED', 'SYNC_TIMEOUT', 'NODE_UNREACHABLE'],
    load: async () => (await import('./tx/tx-send.ts')).defineTxSend,
  },
  {
    name: 'deploy',
    group: 'tx',
    summary: 'create a contract from the file of a compiler, and wait for the block',
    example: 'lockstep tx deploy alice out/Token.json',
    ends: ['TRANSACTION_FAILED', 'TRANSACTION_REJECTED', 'SYNC_TIMEOUT', 'NODE_UNREACHABLE'],
    load: async () => (await import('./tx/tx-deploy.ts')).defineTxDeploy,
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
    name: 'delegate',
    group: 'tx stake',
    summary: 'delegate an amount to a validator',
    example: 'lockstep tx stake delegate alice 0x2222222222222222222222222222222222222222 5ether',
    ends: ['TRANSACTION_FAILED', 'TRANSACTION_REJECTED', 'SYNC_TIMEOUT', 'NODE_UNREACHABLE'],
    load: async () => (await import('./tx/stake/stake-delegate.ts')).defineStakeDelegate,
  },
  {
    name: 'undelegate',
    group: 'tx stake',
    summary: 'take back what is delegated, after the unbonding time',
    example: 'lockstep tx stake undelegate alice 0x2222222222222222222222222222222222222222 5ether',
    ends: ['TRANSACTION_FAILED', 'TRANSACTION_REJECTED', 'SYNC_TIMEOUT', 'NODE_UNREACHABLE'],
    load: async () => (await import('./tx/stake/stake-undelegate.ts')).defineStakeUndelegate,
  },
  {
    name: 'redelegate',
    group: 'tx stake',
    summary: 'move what is delegated to another validator',
    example:
      'lockstep tx stake redelegate alice 0x2222222222222222222222222222222222222222 bob 5ether',
    ends: ['TRANSACTION_FAILED', 'TRANSACTION_REJECTED', 'SYNC_TIMEOUT', 'NODE_UNREACHABLE'],
    load: async () => (await import('./tx/stake/stake-redelegate.ts')).defineStakeRedelegate,
  },
  {
    name: 'create-validator',
    group: 'tx stake',
    summary: 'become the operator of a validator',
    example: 'lockstep tx stake create-validator alice 100ether --moniker alice',
    ends: ['TRANSACTION_FAILED', 'TRANSACTION_REJECTED', 'SYNC_TIMEOUT', 'NODE_UNREACHABLE'],
    load: async () =>
      (await import('./tx/stake/stake-create-validator.ts')).defineStakeCreateValidator,
  },
  {
    name: 'edit-validator',
    group: 'tx stake',
    summary: 'change the validator of an operator',
    example: 'lockstep tx stake edit-validator alice --commission-rate 0.05',
    ends: ['TRANSACTION_FAILED', 'TRANSACTION_REJECTED', 'SYNC_TIMEOUT', 'NODE_UNREACHABLE'],
    load: async () => (await import('./tx/stake/stake-edit-validator.ts')).defineStakeEditValidator,
  },
  {
    name: 'balance',
    group: 'query bank',
    summary: 'print what an account has',
    example: 'lockstep query bank balance alice',
    ends: ['NOT_FOUND', 'NODE_UNREACHABLE'],
    load: async () => (await import('./query/query-bank.ts')).defineQueryBalance,
  },
  {
    name: 'supply',
    group: 'query bank',
    summary: 'print how much there is of a denomination',
    example: 'lockstep query bank supply',
    ends: ['NOT_FOUND', 'NODE_UNREACHABLE'],
    load: async () => (await import('./query/query-bank.ts')).defineQuerySupply,
  },
  {
    name: 'denom',
    group: 'query bank',
    summary: 'print name, symbol and decimals of a denomination',
    example: 'lockstep query bank denom',
    ends: ['NOT_FOUND', 'NODE_UNREACHABLE'],
    load: async () => (await import('./query/query-bank.ts')).defineQueryDenom,
  },
  {
    name: 'account',
    group: 'query evm',
    summary: 'print balance, nonce and code hash of an account',
    example: 'lockstep query evm account 0x2222222222222222222222222222222222222222',
    ends: ['NOT_FOUND', 'NODE_UNREACHABLE'],
    load: async () => (await import('./query/query-evm.ts')).defineQueryAccount,
  },
  {
    name: 'code',
    group: 'query evm',
    summary: 'print the code of an account',
    example: 'lockstep query evm code 0x2222222222222222222222222222222222222222',
    ends: ['NOT_FOUND', 'NODE_UNREACHABLE'],
    load: async () => (await import('./query/query-evm.ts')).defineQueryCode,
  },
  {
    name: 'storage',
    group: 'query evm',
    summary: 'print a slot of an account',
    example: 'lockstep query evm storage 0x2222222222222222222222222222222222222222 0 --height 17',
    ends: ['NOT_FOUND', 'NODE_UNREACHABLE'],
    load: async () => (await import('./query/query-evm.ts')).defineQueryStorage,
  },
  {
    name: 'tx',
    group: 'query evm',
    summary: 'print a transaction',
    example:
      'lockstep query evm tx 0xabababababababababababababababababababababababababababababababab',
    ends: ['NOT_FOUND', 'NODE_UNREACHABLE'],
    load: async () => (await import('./query/query-evm.ts')).defineQueryTx,
  },
  {
    name: 'receipt',
    group: 'query evm',
    summary: 'print the receipt of a transaction',
    example:
      'lockstep query evm receipt 0xabababababababababababababababababababababababababababababababab',
    ends: ['NOT_FOUND', 'NODE_UNREACHABLE'],
    load: async () => (await import('./query/query-evm.ts')).defineQueryReceipt,
  },
  {
    name: 'validators',
    group: 'query staking',
    summary: 'list the validators with their powers',
    example: 'lockstep query staking validators',
    ends: ['NOT_FOUND', 'NODE_UNREACHABLE'],
    load: async () => (await import('./query/query-staking.ts')).defineQueryValidators,
  },
  {
    name: 'validator',
    group: 'query staking',
    summary: 'print the status of a validator',
    example: 'lockstep query staking validator AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
    ends: ['NOT_FOUND', 'NODE_UNREACHABLE'],
    load: async () => (await import('./query/query-staking.ts')).defineQueryValidator,
  },
  {
    name: 'delegation',
    group: 'query staking',
    summary: 'print what a delegation is worth',
    example: 'lockstep query staking delegation alice 0x2222222222222222222222222222222222222222',
    ends: ['NOT_FOUND', 'NODE_UNREACHABLE'],
    load: async () => (await import('./query/query-staking.ts')).defineQueryDelegation,
  },
  {
    name: 'unbonding',
    group: 'query staking',
    summary: 'list the unbondings of a delegator',
    example: 'lockstep query staking unbonding alice',
    ends: ['NOT_FOUND', 'NODE_UNREACHABLE'],
    load: async () => (await import('./query/query-staking.ts')).defineQueryUnbonding,
  },
  {
    name: 'pool',
    group: 'query staking',
    summary: 'print what is bonded, and what is unbonding',
    example: 'lockstep query staking pool',
    ends: ['NOT_FOUND', 'NODE_UNREACHABLE'],
    load: async () => (await import('./query/query-staking.ts')).defineQueryPool,
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
  {
    name: 'register',
    group: 'wallet key',
    summary: 'name an authorization key to the running service, and print its registration',
    example:
      'lockstep wallet key register MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE --app-id 7f0a3c5d9e1b2a4c6d8e0f12 --app-secret-file secret',
    ends: ['NODE_UNREACHABLE', 'REFUSED_ARGUMENT'],
    load: async () => (await import('./wallet/key-register.ts')).defineKeyRegister,
  },
  {
    name: 'create',
    group: 'wallet app',
    summary: 'let an app use the wallets, and print its id and its secret once',
    example: 'lockstep wallet app create shop --json',
    load: async () => (await import('./wallet/app-create.ts')).defineAppCreate,
  },
  {
    name: 'list',
    group: 'wallet app',
    summary: 'list the apps, the oldest first',
    example: 'lockstep wallet app list',
    load: async () => (await import('./wallet/app-list.ts')).defineAppList,
  },
  {
    name: 'rotate-secret',
    group: 'wallet app',
    summary: 'give an app another secret: the one before is refused from then on',
    example: 'lockstep wallet app rotate-secret 7f0a3c5d9e1b2a4c6d8e0f12',
    ends: ['NOT_FOUND'],
    load: async () => (await import('./wallet/app-rotate-secret.ts')).defineAppRotateSecret,
  },
  {
    name: 'delete',
    group: 'wallet app',
    summary: 'let an app use the wallets no more',
    example: 'lockstep wallet app delete 7f0a3c5d9e1b2a4c6d8e0f12',
    ends: ['NOT_FOUND'],
    load: async () => (await import('./wallet/app-delete.ts')).defineAppDelete,
  },
  {
    name: 'test',
    group: 'wallet policy',
    summary:
      'judge an action by a policy as the signer would, and say which rules decide by which values',
    example: 'lockstep wallet policy test policy.json action.json --json',
    ends: ['POLICY_DENIES', 'INVALID_RLP', 'TRANSACTION_REJECTED'],
    load: async () => (await import('./wallet/policy-test.ts')).definePolicyTest,
  },
  {
    name: 'verify',
    group: 'wallet audit',
    summary:
      'look for entries that were changed, moved, added or removed; beside a running node too',
    example: 'lockstep wallet audit verify',
    ends: ['FAULTS_FOUND'],
    load: async () => (await import('./wallet/audit-verify.ts')).defineAuditVerify,
  },
  {
    name: 'rotate-master-key',
    group: 'wallet',
    summary: 'have another master key wrap the keys of all wallets of a stopped node',
    example: 'lockstep wallet rotate-master-key',
    ends: ['MASTER_KEY_WRONG'],
    load: async () => (await import('./wallet/rotate-master-key.ts')).defineRotateMasterKey,
  },
  {
    name: 'list',
    group: 'wallet webhooks',
    summary: 'list the webhooks of all apps, and the newest events with how far each is',
    example: 'lockstep wallet webhooks list --state dead',
    load: async () => (await import('./wallet/webhooks-list.ts')).defineWebhooksList,
  },
  {
    name: 'replay',
    group: 'wallet webhooks',
    summary: 'deliver events again, by default the dead ones; a running node begins at once',
    example: 'lockstep wallet webhooks replay --since 72h',
    load: async () => (await import('./wallet/webhooks-replay.ts')).defineWebhooksReplay,
  },
  {
    name: 'version',
    summary: 'print the version of the package, the hash of its engine and the version of Node',
    example: 'lockstep version',
    load: async () => (await import('./version.ts')).defineVersion,
  },
]
