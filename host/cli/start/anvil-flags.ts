import { resolve } from 'node:path'

/** What `lockstep anvil` does with a flag of anvil. */
type AnvilEffect =
  /** Sets configuration keys, by `ConfigEntry.flag`. */
  | { readonly sets: (value: string) => Readonly<Record<string, string>> }
  /** The command reads it itself. */
  | { readonly own: true }
  /** Accepted, because nothing that a client sees depends on it. */
  | { readonly ignoredBecause: string }
  | { readonly refusedBecause: string }

export type AnvilFlag = AnvilEffect & {
  /** As commander writes flags. */
  readonly flags: string
  readonly help: string
  /** Other long names, without a value. */
  readonly aliases?: readonly string[]
  /** True if it may be passed several times; its values are then lines of one. */
  readonly repeats?: true
  /** The configuration key to use with `start`, by `ConfigEntry.flag`. */
  readonly key?: string
}

function setting(key: string, flags: string, help: string, aliases?: readonly string[]): AnvilFlag {
  const sets = (value: string) => ({ [key]: value })
  return { flags, help, key, sets, ...(aliases && { aliases }) }
}

const ignored = (
  flags: string,
  ignoredBecause: string,
  aliases?: readonly string[],
): AnvilFlag => ({
  flags,
  help: `accepted without effect: ${ignoredBecause}`,
  ignoredBecause,
  ...(aliases && { aliases }),
})

const refused = (
  flags: string,
  refusedBecause: string,
  aliases?: readonly string[],
): AnvilFlag => ({
  flags,
  help: `not supported: ${refusedBecause}`,
  refusedBecause,
  ...(aliases && { aliases }),
})

/** Returns seconds, possibly with a fraction, as a duration; other text as it is, for the error of the key. */
const seconds = (value: string): string => (/^\d+(\.\d+)?$/.test(value) ? `${value}s` : value)

/** Splits the block off `url@block`; a URL may itself have an `@` before its host. */
function forkOf(value: string): Readonly<Record<string, string>> {
  const { url = value, block } = /^(?<url>.+)@(?<block>\d+)$/.exec(value)?.groups ?? {}
  return { 'dev.fork': url, ...(block !== undefined && { 'dev.fork-block': block }) }
}

/** anvil's path if `--ipc` has none. */
const IPC_PATH = '/tmp/anvil.ipc'

const PACED = 'the node paces and repeats its requests to the other node itself'
const KEPT = 'the node keeps all states of a development chain in its home'
const GENESIS_RULES = 'the rules of this chain are fixed by its genesis'
const ENGINE_RULE =
  'the engine has the limits of the protocol, so that every replay has the same result'

/** Every flag of anvil 1.7.1, in the order of its help. */
export const ANVIL_FLAGS: readonly AnvilFlag[] = [
  setting('dev.accounts', '-a, --accounts <NUM>', 'funded accounts'),
  {
    flags: '-b, --block-time <SECONDS>',
    help: 'produce a block every so many seconds instead of one for each transaction',
    aliases: ['blockTime'],
    key: 'dev.block-time',
    sets: (value) => ({ 'dev.block-time': seconds(value), 'dev.automine': 'false' }),
  },
  setting('dev.balance', '--balance <NUM>', 'native tokens of each account'),
  {
    flags: '--config-out <FILE>',
    help: 'write the accounts, their keys and the chain into this file as JSON',
    own: true,
  },
  setting(
    'dev.derivation-path',
    '--derivation-path <PATH>',
    'derivation path of the accounts, without the index',
  ),
  setting('dev.dump-state', '--dump-state <PATH>', 'write the accounts into this file at the end'),
  setting(
    'dev.hardfork',
    '--hardfork <NAME>',
    'protocol revision such as cancun (prague if it is not given)',
  ),
  setting('dev.init', '--init <PATH>', 'begin with the accounts of this genesis.json of Ethereum'),
  {
    flags: '--ipc [PATH]',
    help: `listen on a Unix socket as well (${IPC_PATH} if no path is given)`,
    aliases: ['ipcpath'],
    key: 'evm.ipc-path',
    sets: (value) => ({ 'evm.ipc-path': value === 'true' ? IPC_PATH : resolve(value) }),
  },
  ignored('-j, --threads <NUM>', 'evm.serving-threads sets the threads', ['jobs']),
  setting('dev.load-state', '--load-state <PATH>', 'start with the accounts of this file'),
  setting('dev.mnemonic', '-m, --mnemonic <WORDS>', 'BIP-39 mnemonic of the accounts'),
  ignored('--max-persisted-states <NUM>', KEPT),
  refused('--max-transactions <NUM>', 'only gas and bytes limit the transactions of a block'),
  {
    flags: '--mixed-mining',
    help: 'with --block-time: produce a block for each transaction as well',
    key: 'dev.automine',
    sets: () => ({ 'dev.automine': 'true' }),
  },
  {
    flags: '--mnemonic-random [WORDS]',
    help: 'use a random mnemonic of 12, 15, 18, 21 or 24 words (12 if none is given)',
    own: true,
  },
  refused('--mnemonic-seed-unsafe <SEED>', 'a seed of a few digits is no key: use --mnemonic'),
  {
    flags: '--no-mining',
    help: 'produce blocks on request only',
    aliases: ['no-mine'],
    key: 'dev.no-mining',
    sets: () => ({ 'dev.no-mining': 'true' }),
  },
  refused('--number <NUM>', 'a chain begins with block 0: fork from a block to begin later'),
  setting('dev.order', '--order <ORDER>', 'order of pending transactions: fees or fifo'),
  setting('evm.http-port', '-p, --port <NUM>', 'port; 0 picks a free one'),
  ignored('--preserve-historical-states', 'a state file has the latest accounts'),
  ignored('--prune-history [STATES]', KEPT),
  {
    flags: '-s, --state-interval <SECONDS>',
    help: 'write the state file each time so many seconds have passed as well',
    key: 'dev.state-interval',
    sets: (value) => ({ 'dev.state-interval': seconds(value) }),
  },
  setting(
    'dev.slots-in-an-epoch',
    '--slots-in-an-epoch <SLOTS>',
    'blocks by which the tag safe is behind the latest block (32 if it is not given)',
  ),
  setting('dev.state', '--state <PATH>', '--load-state and --dump-state of one file'),
  setting('dev.timestamp', '--timestamp <NUM>', 'time of the first block, in seconds since 1970'),
  ignored('--transaction-block-keeper <NUM>', KEPT),
  ignored('--color <WHEN>', 'the output has no colours'),
  ignored('--json', 'log-format sets the form of the log'),
  ignored('--md', 'log-format sets the form of the log'),
  { flags: '-q, --quiet', help: 'print nothing but errors', aliases: ['silent'], own: true },
  ignored('-v, --verbosity', 'log-level sets what the log contains'),
  setting('evm.cors-origins', '--allow-origin <ORIGIN>', 'web origins that may call; * allows any'),
  ignored('--cache-path <PATH>', KEPT),
  setting('evm.http-address', '--host <ADDRESS>', 'address to listen on'),
  {
    flags: '--no-cors',
    help: 'send no CORS headers: pages of other origins may not call',
    key: 'evm.cors-origins',
    sets: () => ({ 'evm.cors-origins': '' }),
  },
  {
    flags: '--no-request-size-limit',
    help: 'accept requests of up to 200 MB',
    key: 'evm.max-request-body-bytes',
    sets: () => ({ 'evm.max-request-body-bytes': '200000000' }),
  },
  ignored('--compute-units-per-second <CUPS>', PACED),
  {
    flags: '-f, --fork-url <URL>',
    help: 'continue from a block of another chain: URL, or URL@BLOCK',
    aliases: ['rpc-url'],
    key: 'dev.fork',
    sets: forkOf,
  },
  {
    flags: '--fork-block-number <BLOCK>',
    help: 'block to fork from, at least 0',
    key: 'dev.fork-block',
    own: true,
  },
  setting(
    'dev.fork-chain-id',
    '--fork-chain-id <ID>',
    'chain id, in place of asking the other node',
  ),
  {
    flags: '--fork-header <HEADER>',
    help: "header of requests to the other node, such as 'Authorization: Bearer KEY'; may be repeated",
    key: 'dev.fork-headers',
    repeats: true,
    sets: (lines) => ({ 'dev.fork-headers': lines }),
  },
  ignored('--fork-retry-backoff <MS>', PACED),
  refused('--fork-transaction-hash <HASH>', 'a fork begins after a block: use --fork-block-number'),
  ignored('--no-rate-limit', PACED, ['no-rpc-rate-limit']),
  ignored('--no-storage-caching', 'cached data is that of the same block'),
  ignored('--retries <NUM>', PACED),
  ignored('--timeout <MS>', PACED),
  setting(
    'dev.base-fee',
    '--block-base-fee-per-gas <FEE>',
    'base fee of the first block in wei per gas',
    ['base-fee'],
  ),
  { flags: '--chain-id <ID>', help: 'EVM chain id; that of its chain for a fork', own: true },
  refused('--code-size-limit <BYTES>', ENGINE_RULE),
  refused('--disable-block-gas-limit', ENGINE_RULE),
  refused('--disable-code-size-limit', ENGINE_RULE),
  ignored('--disable-min-priority-fee', 'no tip is required', ['no-priority-fee']),
  refused('--enable-tx-gas-limit', `${GENESIS_RULES}: Prague has no such limit`, ['tx-gas-limit']),
  setting('dev.gas-limit', '--gas-limit <GAS>', 'gas limit of the blocks'),
  ignored('--gas-price <WEI>', 'the fee market derives it from the base fee'),
  {
    flags: '--auto-impersonate',
    help: 'accept transactions of every address without its key',
    aliases: ['auto-unlock'],
    key: 'dev.auto-impersonate',
    sets: () => ({ 'dev.auto-impersonate': 'true' }),
  },
  refused('--disable-console-log', 'call anvil_setLoggingEnabled', ['no-console-log']),
  {
    flags: '--disable-default-create2-deployer',
    help: 'begin without the CREATE2 deployer',
    aliases: ['no-create2'],
    key: 'dev.create2-deployer',
    sets: () => ({ 'dev.create2-deployer': 'false' }),
  },
  refused('--disable-pool-balance-checks', 'the pool accepts what a block can contain'),
  ignored('--memory-limit <BYTES>', 'gas and the engine limit the memory of an execution'),
  refused('--print-traces', 'trace with debug_traceTransaction, or in the explorer', [
    'enable-trace-printing',
  ]),
  ignored('--steps-tracing', 'every transaction can be traced', ['tracing']),
  refused('--celo', 'the node executes the rules of Ethereum'),
  refused('-n, --network <NETWORK>', 'the node executes the rules of Ethereum'),
]

/** Returns the long names of a flag, its own first, without hyphens. */
export function anvilFlagNames({ flags, aliases = [] }: AnvilFlag): readonly string[] {
  const [, own = ''] = /--([a-z0-9-]+)/.exec(flags) ?? []
  return [own, ...aliases]
}
