import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../../base/config/schema.ts'
import { LockstepError } from '../../base/error.ts'
import { tryLockFile } from '../../storage/store/sqlite/file-lock.ts'
import { openDatabase } from '../../storage/store/sqlite/sqlite.ts'
import {
  keyOfFile,
  type MasterSource,
  makeKeyFile,
  nextKeyPath,
  readMasterSecrets,
  settleKeyFile,
} from '../../wallet/launch/master-source.ts'
import type { MasterSecret } from '../../wallet/vault/master-secret.ts'
import { openVault } from '../../wallet/vault/open-vault.ts'
import { type Rotation, rotateMasterKey } from '../../wallet/vault/rotate-master-key.ts'
import type { Home } from '../home/home.ts'
import { masterSource, signerDatabase } from '../home/wallet-home.ts'

/** Source of the new key; `same` creates another key in the current file. A missing file is created. */
export type NewSource = { readonly kind: 'same' } | MasterSource

function newSecret(source: MasterSource, next: NewSource): MasterSecret {
  if (next.kind !== 'same') {
    const [secret] = readMasterSecrets(next, true)
    if (secret === undefined) throw new TypeError('a source has a secret')
    return secret
  }
  if (source.kind !== 'file') {
    const key = source.kind === 'passphrase' ? 'passphrase' : 'command'
    throw new LockstepError('INVALID_ARGUMENT', `the master key comes from a ${key}, not a file`, {
      hint: `specify the next source: --new-passphrase-file, --new-command or --new-key-file`,
    })
  }
  const path = nextKeyPath(source.path)
  makeKeyFile(path)
  return keyOfFile(path)
}

/** Finds which secret is the current master key: after an interrupted rotation it is the second. */
function settle(path: string, source: MasterSource, now: number): void {
  const database = openDatabase(path)
  try {
    const { vault, secret } = openVault(database, readMasterSecrets(source, false), now)
    vault.close()
    settleKeyFile(source, secret)
  } finally {
    database.close()
  }
}

/**
 * Rewraps the wallet keys of a home with a new master key; the caller holds the home's lock. If interrupted, the next
 * start or the same call continues with the key in use.
 * @param now milliseconds since 1970
 * @throws MASTER_KEY_WRONG, CONFIG_INVALID, HOME_MISSING, HOME_LOCKED
 */
export function rotateWallets(home: Home, config: Config, next: NewSource, now: number): Rotation {
  const { wallets } = config
  const path = signerDatabase(wallets, home)
  if (!existsSync(path)) {
    throw new LockstepError('HOME_MISSING', `${home.root} has no wallets: there is no ${path}`, {
      hint: 'name the home of the node with --home',
    })
  }
  // A signer whose daemon was killed may still be shutting down.
  const lock = tryLockFile(join(dirname(path), 'LOCK'))
  if (lock === undefined) throw new LockstepError('HOME_LOCKED', `the signer of ${path} is running`)
  try {
    const source = masterSource(wallets, home)
    settle(path, source, now)
    const secret = newSecret(source, next)
    const database = openDatabase(path)
    try {
      const rotation = rotateMasterKey(database, readMasterSecrets(source, false), secret, now)
      if (next.kind === 'same') settleKeyFile(source, 1)
      return rotation
    } finally {
      database.close()
    }
  } finally {
    lock.release()
  }
}
