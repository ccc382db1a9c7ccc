import { DEV_ACCOUNTS, DEV_BALANCE, DEV_MNEMONIC, DEV_PATH } from '../dev-accounts.ts'
import { key } from './config-key.ts'
import {
  bool,
  choice,
  derivationPath,
  duration,
  integerType,
  lineList,
  textType,
} from './value-type.ts'

/** The keys of [dev] in app.toml: a development chain, only with --dev. */
export const DEV_KEYS = {
  automine: key(
    bool(),
    false,
    'produce a block for each transaction at once, and no timed blocks unless block-time is set',
  ),
  'block-time': key(
    duration(),
    '0s',
    'block interval, in place of block-time of [consensus], and the time until the first block; without automine 0s uses that one, with automine it disables timed blocks',
  ),
  'no-mining': key(
    bool(),
    false,
    'produce blocks on request only, whatever automine and block-time say',
  ),
  'throw-on-revert': key(
    bool(),
    true,
    'refuse an unlocked transaction that names no gas and would revert, with the reason; false mines it with the gas limit of the block, as anvil does',
  ),
  'strict-time': key(
    bool(),
    false,
    'give each block that is made at once, not by the schedule, a second of its own, as Ethereum and Hardhat do',
  ),
  'slots-in-an-epoch': key(
    integerType('BLOCKS', 0, 1_000_000),
    0,
    'blocks by which the tag safe is behind the latest block; finalized is behind by twice as many',
  ),
  'gas-limit': key(
    integerType('GAS', 0),
    0,
    "gas limit of the blocks; 0 is the genesis's, or that of the block that is forked",
  ),
  hardfork: key(
    textType('NAME'),
    '',
    'protocol revision of a new chain or of a fork, such as cancun; empty is prague, or that of the block that is forked',
  ),
  timestamp: key(
    integerType('SECONDS', -1, 253_402_300_799),
    -1,
    'time of the first block of a new chain in seconds since 1970, from which its clock continues; -1 is now',
  ),
  'base-fee': key(
    integerType('WEI', -1),
    -1,
    'base fee of the first block of a new chain in wei per gas, also below its minimum; -1 is 1 gwei',
  ),
  order: key(
    choice('ORDER', ['fees', 'fifo']),
    'fees',
    'order of pending transactions in a block: by their tips, or fifo as they arrived',
  ),
  'state-interval': key(
    duration(),
    '0s',
    'write the file of state or dump-state each time this has passed as well; 0s writes it when the node stops only',
  ),
  init: key(
    textType('FILE'),
    '',
    'genesis.json of Ethereum with which a new chain begins: its accounts, chain id, time, base fee and coinbase',
  ),
  'create2-deployer': key(
    bool(),
    true,
    'begin a new chain with the CREATE2 deployer at 0x4e59b44847b379578588920cA78FbF26c0B4956C',
  ),
  fork: key(
    textType('URL'),
    '',
    'JSON-RPC URL of a node to fork from; the rules of its chain apply; empty starts a new chain',
  ),
  'fork-block': key(
    integerType('HEIGHT', -1),
    -1,
    'block of that chain to fork from; -1 is the latest',
  ),
  'fork-headers': key(
    lineList('HEADERS'),
    [],
    "header fields of requests to that node, such as 'Authorization: Bearer KEY'",
  ),
  'fork-chain-id': key(
    integerType('ID', 0),
    0,
    'chain id of the fork in place of the one that the node reports; 0 asks the node',
  ),
  'fork-cache': key(
    textType('DIR'),
    '',
    'cache folder for data read from that chain, shared by runs; empty is ~/.lockstep/cache/fork',
  ),
  accounts: key(
    integerType('COUNT', 0, 1000),
    DEV_ACCOUNTS.length,
    'accounts of the mnemonic that a new chain funds and that the node signs for',
  ),
  mnemonic: key(textType('WORDS'), DEV_MNEMONIC, 'BIP-39 mnemonic of these accounts'),
  'derivation-path': key(
    derivationPath(),
    DEV_PATH,
    'BIP-32 path of these accounts, to which the index of each is added',
  ),
  'auto-impersonate': key(bool(), false, 'accept transactions of every address without its key'),
  balance: key(
    integerType('TOKENS', 0, 1_000_000_000),
    Number(DEV_BALANCE / 10n ** 18n),
    'native tokens of each of these accounts on a new chain',
  ),
  state: key(
    textType('FILE'),
    '',
    "accounts in anvil's format that a new chain starts with, if the file exists; rewritten when the node stops. A folder means state.json in it",
  ),
  'load-state': key(
    textType('FILE'),
    '',
    'a file as that of state, which must exist and is not rewritten',
  ),
  'dump-state': key(textType('FILE'), '', 'a file as that of state, which is only written'),
}
