import { join } from 'node:path'
import { openSigner } from '../../../../host/wallet/signer/open-signer.ts'
import { openSignerDatabase } from '../../../../host/wallet/signer/signer-database.ts'
import { plainVault } from '../plain-vault.ts'
import type { FromKilled, ToKilled } from './kill-messages.ts'

// The signer with its store and its socket: what a kill -9 meets.

const quiet = () => {}

process.on('message', ({ folder }: ToKilled) => {
  const server = openSigner({
    database: openSignerDatabase(join(folder, 'signer.db')),
    vault: plainVault,
    audit: quiet,
    authorization: { publicUrls: ['http://127.0.0.1'], requireExpiry: false },
    requirePolicy: false,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  })
  void server
    .listen(join(folder, 's'))
    .then(() => process.send?.({ ready: 0 } satisfies FromKilled))
})

// The test has ended, however it did.
process.on('disconnect', () => process.exit())
