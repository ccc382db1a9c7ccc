import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { LockstepError } from '../../base/error.ts'
import { postgresName } from '../../base/postgres-url.ts'
import type { Ledger } from '../../payments/claim/ledger.ts'
import { hasLedger, openSellerLedger, type StorePlace } from '../../payments/store/seller-store.ts'
import { chooseHome, configOf, homeOption, requireHome } from '../option/home-option.ts'

/** The flags that choose a ledger. */
export interface LedgerFlags {
  readonly home?: string
  readonly folder?: string
  readonly store?: string
}

export function addLedgerFlags(command: Command): Command {
  return command
    .addOption(homeOption())
    .addOption(
      new Option(
        '--folder <DIR>',
        "folder of the payments of a server other than a node, as configured in its adapter (default: the home's data/payments)",
      ).conflicts('home'),
    )
    .addOption(
      new Option(
        '--store <URL>',
        "PostgreSQL database of such a server (default: the home's store); PGPASSWORD gives the password",
      ).conflicts('home'),
    )
}

/** Returns where the payments are. @throws HOME_MISSING, CONFIG_INVALID */
export function placeOf({ home, folder, store }: LedgerFlags): StorePlace {
  if (folder === undefined && store === undefined) {
    const chosen = chooseHome(home)
    requireHome(chosen)
    return { folder: chosen.data.payments, store: configOf(chosen).payments.store }
  }
  const named = store === undefined ? {} : { store }
  if (folder === undefined) return named
  if (existsSync(folder)) return { folder: resolve(folder), ...named }
  throw new LockstepError('HOME_MISSING', `${folder} does not exist`, {
    hint: "name the payments folder of the server's configuration",
  })
}

/**
 * Runs `work` with the ledger that the flags name, also while its server runs. The ledger is undefined if no payment
 * was ever claimed.
 */
export async function withLedger<T>(
  flags: LedgerFlags,
  work: (ledger: Ledger | undefined) => T | Promise<T>,
): Promise<T> {
  const place = placeOf(flags)
  if (!hasLedger(place)) return work(undefined)
  const ledger = await openSellerLedger(place)
  try {
    return await work(ledger)
  } finally {
    await ledger.close()
  }
}

/** Returns the message for an empty ledger. */
export function nothingPaid(flags: LedgerFlags): string {
  const { folder, store = '' } = placeOf(flags)
  return `No payments in ${store === '' ? folder : postgresName(store)}\n`
}
