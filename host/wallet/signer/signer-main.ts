import { join } from 'node:path'
import { runChild } from '../launch/run-child.ts'
import type { SignerFacts, SignerStart } from '../launch/start-contract.ts'
import { AuditLog } from '../vault/audit-log.ts'
import { openVault } from '../vault/open-vault.ts'
import { openSigner } from './open-signer.ts'
import { openSignerDatabase } from './signer-database.ts'

await runChild<SignerStart, SignerFacts>(async ({ start, secrets, log, confine }) => {
  await confine()
  const database = openSignerDatabase(join(start.folder, 'signer.db'))
  const { vault, secret } = openVault(database, secrets, Date.now())
  const audit = new AuditLog(database, vault)
  const server = openSigner({
    database,
    vault,
    audit,
    authorization: {
      publicUrls: start.publicUrls,
      requireExpiry: start.requireRequestExpiry,
    },
    requirePolicy: start.requirePolicy,
    log,
  })
  await server.listen(start.socket)
  return {
    facts: { secret },
    async close() {
      await server.close()
      audit.close()
      vault.close()
      database.close()
    },
  }
})
