import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import type { Config } from '../../base/config/schema.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import { hexDigits, parseFixedData } from '../../base/hex.ts'
import type { Home } from '../../node/home/home.ts'
import { masterSource, signerDatabase } from '../../node/home/wallet-home.ts'
import { loadSqlite } from '../../storage/store/sqlite/sqlite.ts'
import { sqliteFailure } from '../../storage/store/sqlite/sqlite-failure.ts'
import { readMasterSecrets } from '../../wallet/launch/master-source.ts'
import { openAuditKey } from '../../wallet/vault/audit-key.ts'
import { openVault } from '../../wallet/vault/open-vault.ts'
import { type AuditReport, verifyAudit } from '../../wallet/vault/verify-audit.ts'
import { chooseHome, configOf, homeOption, requireHome } from '../option/home-option.ts'

interface VerifyFlags {
  readonly home?: string
  readonly contains?: string
  readonly json?: true
}

interface Verified extends AuditReport {
  /** Why the end of the log was not authenticated; undefined if it was. */
  readonly unauthenticated?: string
}

const HASH_BYTES = 32

function readHash(text: string): Uint8Array {
  try {
    return parseFixedData(`0x${text.replace(/^0x/, '')}`, HASH_BYTES)
  } catch {
    throw new LockstepError('INVALID_ARGUMENT', `--contains: ${text} is not the hash of an entry`, {
      hint: 'write the 64 hex digits that an earlier run of the command printed',
    })
  }
}

/** Checks the log read-only: a signer may have it open. */
function verify(home: Home, { wallets }: Config, contains: Uint8Array | undefined): Verified {
  const path = signerDatabase(wallets, home)
  if (!existsSync(path)) {
    throw new LockstepError('HOME_MISSING', `${home.root} has no wallets: ${path} does not exist`, {
      hint: 'name the home of the node with --home',
    })
  }
  const database = new (loadSqlite().DatabaseSync)(path, { readOnly: true })
  try {
    let key: Uint8Array | undefined
    let unauthenticated: string | undefined
    try {
      const secrets = readMasterSecrets(masterSource(wallets, home), false)
      const { vault } = openVault(database, secrets, Date.now())
      key = openAuditKey(database, vault)
      vault.close()
    } catch (thrown) {
      // The chain of entries can be checked without the master key.
      unauthenticated = messageOf(thrown)
    }
    const report = verifyAudit(database, { key, ...(contains !== undefined && { contains }) })
    return { ...report, ...(unauthenticated !== undefined && { unauthenticated }) }
  } catch (thrown) {
    throw sqliteFailure(path, thrown)
  } finally {
    database.close()
  }
}

function describe({ entries, head, unauthenticated, contains }: Verified): string[] {
  const lines = [`${entries} entries, the last one is ${head.number}: ${hexDigits(head.hash)}`]
  if (unauthenticated !== undefined) {
    lines.push(`Only the chain of entries was checked, not its end: ${unauthenticated}`)
  }
  if (contains === true) lines.push('The log contains the entry with that hash.')
  return lines
}

/** Returns the faults, including a missing `--contains` entry. */
function faultsOf({ faults, contains }: Verified): readonly string[] {
  return contains === false ? [...faults, 'no entry has the hash of --contains'] : faults
}

export function defineAuditVerify(command: Command): void {
  command
    .addOption(homeOption())
    .option('--contains <HASH>', 'hash of an entry that must exist, stored elsewhere before')
    .option('--json', 'print an object')
    .action((flags: VerifyFlags) => {
      const home = chooseHome(flags.home)
      requireHome(home)
      const contains = flags.contains === undefined ? undefined : readHash(flags.contains)
      const verified = verify(home, configOf(home), contains)
      const faults = faultsOf(verified)
      const { entries, head, unauthenticated } = verified
      const shown = {
        entries,
        last: { number: head.number, hash: hexDigits(head.hash) },
        authenticated: unauthenticated === undefined,
        faults,
      }
      const text = flags.json
        ? JSON.stringify(shown)
        : [...describe(verified), ...faults].join('\n')
      process.stdout.write(`${text}\n`)
      if (faults.length === 0) return
      throw new LockstepError('FAULTS_FOUND', `the audit log has ${faults.length} faults`, {
        hint: 'restore signer.db from a backup with an intact log, and find out what could write to it',
      })
    })
}
