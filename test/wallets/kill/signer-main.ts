import { join } from 'node:path'
import { nobleRecovery } from '../../../host/evm/chain-types/noble-recovery.ts'
import { openSigner } from '../../../host/wallet/signer/open-signer.ts'
import { openSignerDatabase } from '../../../host/wallet/signer/signer-database.ts'
import { AuditLog } from '../../../host/wallet/vault/audit-log.ts'
import { openVault } from '../../../host/wallet/vault/open-vault.ts'
import type { FromKilled, ToKilled } from './kill-messages.ts'

// Runs the signer with its vault, store, audit log and socket, to be killed with kill -9.

const MASTER_KEY_LENGTH = 32

const quiet = () => {}

function open(folder: string): void {
  const database = openSignerDatabase(join(folder, 'signer.db'))
  // A constant key, since a killed process has no place to store one.
  const bytes = new Uint8Array(MASTER_KEY_LENGTH).fill(1)
  const { vault } = openVault(database, [{ kind: 'key', bytes }], Date.now())
  const server = openSigner({
    database,
    vault,
    recovery: nobleRecovery,
    audit: new AuditLog(database, vault),
    authorization: { publicUrls: ['http://127.0.0.1'], requireExpiry: false },
    requirePolicy: false,
    policyChanges: 'app',
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  })
  void server
    .listen(join(folder, 's'))
    .then(() => process.send?.({ ready: 0 } satisfies FromKilled))
}

process.on('message', ({ folder }: ToKilled) => open(folder))

// The test process has ended, normally or not.
process.on('disconnect', () => process.exit())
