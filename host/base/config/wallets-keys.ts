import { key } from './config-key.ts'
import { bool, choice, httpUrlList, integer, listenAddress, text } from './value-type.ts'

/** The keys of [wallets] in app.toml: wallets whose keys a process of their own holds. */
export const WALLETS_KEYS = {
  enable: key(bool(), false, 'hold wallets, and serve the API that lets them sign'),
  address: key(
    listenAddress(),
    '127.0.0.1:8403',
    'where the API is served; port 0 takes a free one',
  ),
  folder: key(
    text('DIR'),
    'wallets',
    'folder of the wallets; a relative one is below the home, outside data/, which can be synced again',
  ),
  'public-urls': key(
    httpUrlList(),
    [],
    'base URLs that signed requests may name, such as https://wallets.example.com; ' +
      'empty means the address that the API listens at, as 127.0.0.1 and as localhost',
  ),
  'master-key': key(
    choice('SOURCE', ['file', 'passphrase', 'command']),
    'file',
    'where the key that wraps all others comes from: a file of its own, a passphrase that it is derived from (argon2id), ' +
      'or what a command prints',
  ),
  'master-key-file': key(
    text('FILE'),
    'config/wallets_master_key',
    'the file, made at the first start and readable by its user alone; a relative path is below the home',
  ),
  'passphrase-file': key(
    text('FILE'),
    '',
    'file whose first line is the passphrase, readable by its user alone; a relative path is below the home',
  ),
  'master-key-command': key(
    text('COMMAND'),
    '',
    'command that prints 64 hex digits, run by the shell at each start: for a key that a KMS unwraps',
  ),
  isolation: key(
    choice('ISOLATION', ['auto', 'require']),
    'auto',
    'where signer and API cannot each have a user of their own: auto starts them with a warning, require refuses',
  ),
  'signer-user': key(
    text('USER'),
    '',
    'user (name or number) of the signer where the node is started as root; empty means number 64031',
  ),
  'service-user': key(
    text('USER'),
    '',
    'user (name or number) of the API where the node is started as root; empty means number 64032',
  ),
  'require-request-expiry': key(
    bool(),
    false,
    'refuse signed requests without an expiry: without one a request can be sent again',
  ),
  'require-policy': key(
    bool(),
    false,
    'sign nothing for a wallet without a policy; otherwise such a wallet signs what its owner asks for',
  ),
  'policy-changes': key(
    choice('WHO', ['app', 'owner']),
    'app',
    'who may change policies, additional signers or the owner of what has no owner: app is whoever has the secret of ' +
      'its app, owner is nobody',
  ),
  'rate-limit': key(
    integer('COUNT', 0),
    3_000,
    'most requests of an app in a second; 0 is any number',
  ),
  'webhook-allow-private': key(
    bool(),
    false,
    'deliver events to loopback and private addresses too',
  ),
  'tls-cert': key(
    text('FILE'),
    '',
    'certificate chain in PEM, read again when it changes; a relative path is below the home; empty is plain HTTP',
  ),
  'tls-key': key(
    text('FILE'),
    '',
    'private key of the certificate in PEM, readable by the user of the API alone',
  ),
  insecure: key(
    bool(),
    false,
    'serve plain HTTP beyond this machine: secrets of apps can then be read on the way',
  ),
} as const
