import { DEV_ACCOUNTS, DEV_BALANCE, DEV_MNEMONIC } from '../dev-accounts.ts'
import { key } from './config-key.ts'
import { bool, duration, integer, text } from './value-type.ts'

/** The keys of [dev] in app.toml: a development chain, under --dev alone. */
export const DEV_KEYS = {
  automine: key(
    bool(),
    false,
    'make a block for each transaction at once, and no others by the clock unless block-time is set',
  ),
  'block-time': key(
    duration(),
    '0s',
    'time from one block to the next, in place of block-time of [consensus]; 0s takes that one without automine, and has the clock make no blocks with it',
  ),
  fork: key(
    text('URL'),
    '',
    'JSON-RPC of a node whose chain is gone on from, by the rules of that chain; empty begins a chain of its own',
  ),
  'fork-block': key(
    integer('HEIGHT', -1),
    -1,
    'block of that chain after which one goes on; -1 is the newest',
  ),
  'fork-cache': key(
    text('DIR'),
    '',
    'folder for what is read of that chain, shared by runs; empty is ~/.lockstep/cache/fork',
  ),
  accounts: key(
    integer('COUNT', 0, 1000),
    DEV_ACCOUNTS.length,
    'accounts of the mnemonic that a new chain gives balance to, and that the node signs for',
  ),
  mnemonic: key(
    text('WORDS'),
    DEV_MNEMONIC,
    "words of BIP-39 that these accounts are derived from, at m/44'/60'/0'/0/i",
  ),
  balance: key(
    integer('TOKENS', 0, 1_000_000_000),
    Number(DEV_BALANCE / 10n ** 18n),
    'native tokens that a new chain gives to each of these accounts',
  ),
  state: key(
    text('FILE'),
    '',
    "accounts in anvil's form that a new chain begins with, where the file is there; written anew when the node stops",
  ),
}
