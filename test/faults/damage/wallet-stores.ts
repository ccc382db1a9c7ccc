import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { GroupCommit } from '../../../host/storage/store/sqlite/group-commit.ts'
import { guardDatabase } from '../../../host/storage/store/sqlite/guard-database.ts'
import { TransactionStore } from '../../../host/wallet/pipeline/transaction-store.ts'
import { AppStore } from '../../../host/wallet/service/app-store.ts'
import { IdempotencyStore } from '../../../host/wallet/service/idempotency-store.ts'
import { openServiceDatabase } from '../../../host/wallet/service/service-database.ts'
import { SocketSignerLink } from '../../../host/wallet/signer/socket-signer-link.ts'
import { openWebhooks } from '../../../host/wallet/webhook/open-webhooks.ts'
import { SignerProcess } from '../../support/wallet/signer-process.ts'
import { askedOf } from '../../support/wallet/signer-socket.ts'

const TO = '0x00000000000000000000000000000000000000aa'

/** A limit of 100 wei a day. */
const LIMIT = {
  version: '1.0',
  name: 'a hundred wei',
  chain_type: 'ethereum',
  rules: [
    {
      name: 'a hundred wei',
      method: 'eth_sendTransaction',
      action: 'ALLOW',
      conditions: [
        {
          field_source: 'spending_window',
          field: 'native',
          operator: 'lte',
          value: '100',
          period: 86_400,
        },
      ],
    },
  ],
}

/**
 * Fills a signer's files with wallets that spend under a limit: those of a killed signer, and of one that has ended.
 */
export async function fillSigner(killed: string, ended: string): Promise<void> {
  const signer = new SignerProcess()
  await signer.start()
  const link = new SocketSignerLink(signer.socket, { patienceMs: 60_000 })
  const make = (path: string, body: unknown) =>
    link.ask(askedOf({ path, body })) as Promise<{ id: string }>
  for (let i = 0; i < 4; i++) {
    const policy = await make('/v1/policies', { ...LIMIT, name: `limit ${i}` })
    const body = { chain_type: 'ethereum', policy_ids: [policy.id] }
    const wallet = await make('/v1/wallets', body)
    for (let nonce = 0n; nonce < 5n; nonce++) {
      const params = { transaction: { to: TO, value: 1 } }
      const rpc = { method: 'eth_sendTransaction', caip2: 'eip155:1329', params }
      const filled = {
        chainId: 1329n,
        nonce,
        gas: 21_000n,
        maxFeePerGas: 1n,
        maxPriorityFeePerGas: 1n,
      }
      await link.sign(askedOf({ path: `/v1/wallets/${wallet.id}/rpc`, body: rpc }), filled)
    }
  }
  await link.close()
  await signer.kill()
  cpSync(signer.folder, killed, { recursive: true })
  await signer.start()
  await signer.end()
  cpSync(signer.folder, ended, { recursive: true })
  await signer.stop()
}

async function fillTables(database: DatabaseSync, commits: GroupCommit): Promise<void> {
  const apps = new AppStore(database)
  for (let i = 0; i < 5; i++) apps.create(`app ${i}`)
  const idempotency = new IdempotencyStore(database, commits)
  const transactions = new TransactionStore(database)
  const webhooks = openWebhooks({ database, commits, allowPrivate: true })
  await webhooks.create('app', { url: 'http://127.0.0.1:1/' })
  for (let i = 0; i < 20; i++) {
    const named = { caller: 'app', key: `key-${i}`, method: 'POST', path: '/', body: `${i}` }
    const answer = { status: 200, body: `{"answer":${i}}` }
    const agreed = async () => undefined
    await idempotency.once({ ...named, signatures: [] }, async () => answer, agreed)
    await commits.run(() => {
      transactions.insert({
        id: `transaction-${i}`,
        appId: 'app',
        fields: { to: TO, value: i },
        walletId: 'wallet',
        caip2: 'eip155:1329',
        address: TO,
        referenceId: null,
        sameness: { key: `key-${i}`, digest: `${i}`, until: 2 ** 50 },
        now: 1_000 + i,
      })
      webhooks.put('app', {
        type: 'transaction.created',
        transaction_id: `transaction-${i}`,
      })
    })
  }
  await webhooks.close()
}

/** Fills the API's database in a folder, and copies it to another as a killed process leaves it. */
export async function fillService(killed: string, ended: string): Promise<void> {
  const path = join(ended, 'service.db')
  const database = openServiceDatabase(path)
  let note = () => {}
  const commits = new GroupCommit(database, () => note())
  // Each creates its tables.
  new TransactionStore(database)
  await openWebhooks({ database, commits, allowPrivate: true }).close()
  const mark = guardDatabase(database, path)
  note = () => mark.note()
  await fillTables(database, commits)
  cpSync(ended, killed, { recursive: true })
  mark.close()
  database.close()
}
