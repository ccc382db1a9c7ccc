import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { walletFolder } from '../../node/home/wallet-home.ts'
import { walletFolders } from '../../wallet/launch/wallet-folders.ts'
import { AppStore } from '../../wallet/service/app-store.ts'
import { openServiceDatabase } from '../../wallet/service/service-database.ts'
import { chooseHome, configOf, requireHome } from '../option/home-option.ts'

/** The flags that choose a home. */
export interface AppFlags {
  readonly home?: string
  readonly json?: true
}

/** @throws HOME_MISSING, CONFIG_INVALID */
function databaseOf(flag: string | undefined): string {
  const home = chooseHome(flag)
  requireHome(home)
  return join(walletFolders(walletFolder(configOf(home).wallets, home)).service, 'service.db')
}

/** Runs `work` with the apps of a home, also while its node runs or before its first start. */
export function withApps<T>(flag: string | undefined, work: (apps: AppStore) => T): T {
  return withServiceDatabase(flag, (database) => work(new AppStore(database)))
}

/** Runs `work` with the API database of a home, which a running node may have open too. */
export function withServiceDatabase<T>(
  flag: string | undefined,
  work: (database: DatabaseSync) => T,
): T {
  const path = databaseOf(flag)
  const folder = dirname(path)
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const database = openServiceDatabase(path)
  try {
    return work(database)
  } finally {
    database.close()
  }
}
