import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { LockstepError } from '../../base/error.ts'
import { hasClaims } from '../../payments/claim/claims-folder.ts'
import { type Ledger, openLedger } from '../../payments/claim/ledger.ts'
import { chooseHome, homeOption, requireHome } from '../option/home-option.ts'

/** The flags that choose a ledger. */
export interface LedgerFlags {
  readonly home?: string
  readonly folder?: string
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
}

/** @throws HOME_MISSING */
function folderOf({ home, folder }: LedgerFlags): string {
  if (folder === undefined) {
    const chosen = chooseHome(home)
    requireHome(chosen)
    return chosen.data.payments
  }
  if (existsSync(folder)) return resolve(folder)
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
  const folder = folderOf(flags)
  if (!hasClaims(folder)) return work(undefined)
  const ledger = await openLedger(folder)
  try {
    return await work(ledger)
  } finally {
    await ledger.close()
  }
}

/** Returns the message for an empty ledger. */
export function nothingPaid(flags: LedgerFlags): string {
  return `No payments in ${folderOf(flags)}\n`
}
