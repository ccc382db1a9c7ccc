import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { LockstepError } from '../../base/error.ts'
import { hasClaims } from '../../payments/claim/claims-folder.ts'
import { type Ledger, openLedger } from '../../payments/claim/ledger.ts'
import { chooseHome, homeOption, requireHome } from '../option/home-option.ts'

/** Whose ledger it is. */
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
        "folder of the payments of a server that is no node, as its adapter has it (default: the home's data/payments)",
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
  throw new LockstepError('HOME_MISSING', `${folder} is not there`, {
    hint: 'name the folder that the server was given for its payments',
  })
}

/**
 * Runs `work` with the ledger that the flags name, whether its server runs or not; without one where no payment was
 * ever claimed.
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

/** What is said where there is nothing to print. */
export function nothingPaid(flags: LedgerFlags): string {
  return `No payments in ${folderOf(flags)}\n`
}
