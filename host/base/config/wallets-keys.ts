import { key } from './config-key.ts'
import { bool, choice, httpUrlList, integerType, listenAddress, textType } from './value-type.ts'

/** The keys of [wallets] in app.toml: wallets whose keys a separate process holds. */
export const WALLETS_KEYS = {
  enable: key(bool(), false, 'hold wallets, and serve the API through which they sign'),
  address: key(listenAddress(), '127.0.0.1:8403', 'address of the API; port 0 picks a free one'),
  folder: key(
    textType('DIR'),
    'wallets',
    'folder of the wallets; a relative path is below the home; keep it out of data/, which a resync replaces',
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
    'source of the key that wraps all others: its own file, a passphrase that it is derived from (argon2id), ' +
      'or the output of a command',
  ),
  'master-key-file': key(
    textType('FILE'),
    'config/wallets_master_key',
    'the key file, created at the first start and readable only by its user; a relative path is below the home',
  ),
  'passphrase-file': key(
    textType('FILE'),
    '',
    'file whose first line is the passphrase, readable only by its user; a relative path is below the home',
  ),
  'master-key-command': key(
    textType('COMMAND'),
    '',
    'shell command that prints 64 hex digits, run at each start: for a key that a KMS unwraps',
  ),
  isolation: key(
    choice('ISOLATION', ['auto', 'require']),
    'auto',
    'if signer and API cannot run as separate users: auto starts them with a warning, require refuses to start',
  ),
  'signer-user': key(
    textType('USER'),
    '',
    'user (name or number) of the signer if the node is started as root; empty means number 64031',
  ),
  'service-user': key(
    textType('USER'),
    '',
    'user (name or number) of the API if the node is started as root; empty means number 64032',
  ),
  'require-request-expiry': key(
    bool(),
    false,
    'reject signed requests without an expiry: they can be replayed',
  ),
  'require-policy': key(
    bool(),
    false,
    'sign nothing for a wallet without a policy; otherwise such a wallet signs what its owner asks for',
  ),
  'policy-changes': key(
    choice('WHO', ['app', 'owner']),
    'app',
    'requests that may change the policies, additional signers or owner of a resource without an owner: app allows those ' +
      "with the app's secret, owner allows none",
  ),
  'rate-limit': key(
    integerType('COUNT', 0),
    3_000,
    'maximum requests of an app per second; 0 is unlimited',
  ),
  'webhook-allow-private': key(
    bool(),
    false,
    'deliver events to loopback and private addresses too',
  ),
  'tls-cert': key(
    textType('FILE'),
    '',
    'certificate chain in PEM, read again when it changes; a relative path is below the home; empty is plain HTTP',
  ),
  'tls-key': key(
    textType('FILE'),
    '',
    'private key of the certificate in PEM, readable only by the user of the API',
  ),
  insecure: key(
    bool(),
    false,
    'serve plain HTTP beyond this machine: the network can then read app secrets',
  ),
} as const
