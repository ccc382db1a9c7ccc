import { DEV_ACCOUNTS, DEV_BALANCE, DEV_MNEMONIC } from '../dev-accounts.ts'
import { key } from './config-key.ts'
import { bool, duration, integerType, textType } from './value-type.ts'

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
    'block interval, in place of block-time of [consensus]; without automine 0s uses that one, with automine it disables timed blocks',
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
  mnemonic: key(
    textType('WORDS'),
    DEV_MNEMONIC,
    "BIP-39 mnemonic of these accounts, derived at m/44'/60'/0'/0/i",
  ),
  balance: key(
    integerType('TOKENS', 0, 1_000_000_000),
    Number(DEV_BALANCE / 10n ** 18n),
    'native tokens of each of these accounts on a new chain',
  ),
  state: key(
    textType('FILE'),
    '',
    "accounts in anvil's format that a new chain starts with, if the file exists; rewritten when the node stops",
  ),
}
