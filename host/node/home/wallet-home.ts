import { join, resolve } from 'node:path'
import type { Config } from '../../config/schema.ts'
import type { MasterSource } from '../../wallet/launch/master-source.ts'
import { walletFolders } from '../../wallet/launch/wallet-folders.ts'
import type { Home } from './home.ts'

type WalletConfig = Config['wallets']

/** Where the master key comes from, by the configuration. */
export function masterSource(wallets: WalletConfig, home: Home): MasterSource {
  const { masterKey, masterKeyFile, passphraseFile, masterKeyCommand } = wallets
  if (masterKey === 'command') return { kind: 'command', command: masterKeyCommand }
  if (masterKey === 'file') return { kind: 'file', path: resolve(home.root, masterKeyFile) }
  const path = passphraseFile === '' ? '' : resolve(home.root, passphraseFile)
  return { kind: 'passphrase', path }
}

/** The folder of the wallets of a home. */
export function walletFolder({ folder }: WalletConfig, home: Home): string {
  return resolve(home.root, folder)
}

/** The signer's database. */
export function signerDatabase(wallets: WalletConfig, home: Home): string {
  return join(walletFolders(walletFolder(wallets, home)).signer, 'signer.db')
}
