import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { LockstepError } from '../../base/error.ts'
import { signerDatabase } from '../../node/home/wallet-home.ts'
import { AgentStore } from '../../wallet/signer/agent-store.ts'
import { openSignerDatabase } from '../../wallet/signer/signer-database.ts'
import { SignerStore } from '../../wallet/signer/signer-store.ts'
import { chooseHome, configOf, requireHome } from '../option/home-option.ts'

/** The agent store of a signer and its database. */
export interface SignerAgents {
  readonly agents: AgentStore
  readonly store: SignerStore
}

/**
 * Runs `work` with the agents of a home in one transaction of the signer's database, which a running node may have
 * open too. The signer writes the audit entries before its next response.
 * @throws HOME_MISSING, CONFIG_INVALID
 */
export function withAgents<T>(flag: string | undefined, work: (signer: SignerAgents) => T): T {
  const home = chooseHome(flag)
  requireHome(home)
  const path = signerDatabase(configOf(home).wallets, home)
  if (!existsSync(path)) {
    throw new LockstepError('HOME_MISSING', `${home.root} has no wallets: ${path} does not exist`, {
      hint: 'name the home of the node with --home, and start it once with --wallets.enable true',
    })
  }
  const database = openSignerDatabase(path)
  try {
    return inTransaction(database, () =>
      work({ agents: new AgentStore(database), store: new SignerStore(database) }),
    )
  } finally {
    database.close()
  }
}

function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
