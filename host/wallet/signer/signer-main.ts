import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadEngine } from '../../evm/engine/engine.ts'
import { guardDatabase, verifyDatabase } from '../../storage/store/sqlite/guard-database.ts'
import { runChild } from '../launch/run-child.ts'
import type { SignerFacts, SignerStart } from '../launch/start-contract.ts'
import { AUDIT_TABLES, AuditLog } from '../vault/audit-log.ts'
import { openVault } from '../vault/open-vault.ts'
import { openSigner } from './open-signer.ts'
import { openSignerDatabase } from './signer-database.ts'

const ENGINE = new URL('../../../build/engine.wasm', import.meta.url)

await runChild<SignerStart, SignerFacts>(async ({ start, secrets, log, confine }) => {
  // Four times as fast as the signing library, with which it shares no code.
  const recovery = await loadEngine(await readFile(ENGINE))
  await confine()
  const path = join(start.folder, 'signer.db')
  verifyDatabase(path)
  const database = openSignerDatabase(path)
  const { vault, secret } = openVault(database, secrets, Date.now())
  const audit = new AuditLog(database, vault)
  const mark = guardDatabase(database, path, AUDIT_TABLES)
  const server = openSigner({
    database,
    vault,
    recovery,
    audit,
    authorization: {
      publicUrls: start.publicUrls,
      requireExpiry: start.requireRequestExpiry,
    },
    requirePolicy: start.requirePolicy,
    policyChanges: start.policyChanges,
    committed: () => mark.note(),
    log,
  })
  await server.listen(start.socket)
  return {
    facts: { secret },
    async close() {
      await server.close()
      audit.close()
      vault.close()
      mark.close()
      database.close()
    },
  }
})
