import { join, resolve, sep } from 'node:path'
import type { Config } from '../../base/config/schema.ts'
import { LockstepError } from '../../base/error.ts'
import type { MasterSource } from '../../wallet/launch/master-source.ts'
import { walletFolders } from '../../wallet/launch/wallet-folders.ts'
import type { Home } from './home.ts'

type WalletConfig = Config['wallets']

/** Returns the configured source of the master key. */
export function masterSource(wallets: WalletConfig, home: Home): MasterSource {
  const { masterKey, masterKeyFile, passphraseFile, masterKeyCommand } = wallets
  if (masterKey === 'command') return { kind: 'command', command: masterKeyCommand }
  if (masterKey === 'file') return { kind: 'file', path: resolve(home.root, masterKeyFile) }
  const path = passphraseFile === '' ? '' : resolve(home.root, passphraseFile)
  return { kind: 'passphrase', path }
}

/** Returns the wallet folder of a home. @throws CONFIG_INVALID if it is inside `data/`, which commands empty */
export function walletFolder({ folder }: WalletConfig, home: Home): string {
  const path = resolve(home.root, folder)
  const { directory } = home.data
  if (path !== directory && !path.startsWith(directory + sep)) return path
  throw new LockstepError(
    'CONFIG_INVALID',
    `wallets.folder = ${JSON.stringify(folder)} lies in ${directory}, which commands empty: there is no other copy of its keys`,
    {
      hint: 'choose a folder outside data/, such as the default "wallets", and move the existing one',
    },
  )
}

/** Returns the path of the signer's database. */
export function signerDatabase(wallets: WalletConfig, home: Home): string {
  return join(walletFolders(walletFolder(wallets, home)).signer, 'signer.db')
}
