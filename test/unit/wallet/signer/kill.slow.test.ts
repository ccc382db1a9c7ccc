import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../../host/storage/store/sqlite/sqlite.ts'
import { SocketSignerLink } from '../../../../host/wallet/signer/socket-signer-link.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'
import { SignerProcess } from '../../../support/wallet/signer-process.ts'
import { askedOf } from '../../../support/wallet/signer-socket.ts'

const KILLS = Number(process.env.LOCKSTEP_KILLS ?? 5)
const TO = '0x00000000000000000000000000000000000000aa'
const seed = runSeed()

/** Limits the total to ten wei. */
const TEN = {
  version: '1.0',
  name: 'ten wei',
  chain_type: 'ethereum',
  rules: [
    {
      name: 'ten wei',
      method: 'eth_sendTransaction',
      action: 'ALLOW',
      conditions: [
        {
          field_source: 'spending_window',
          field: 'native',
          operator: 'lte',
          value: '10',
          period: 86_400,
        },
      ],
    },
  ],
}

test(`a signer that is killed repeatedly creates each wallet once, loses none that it acknowledged, and spends no wei twice (seed ${seed}, ${KILLS} kills)`, async () => {
  const random = makeRandom(seed)
  const signer = new SignerProcess()
  await signer.start()
  const link = new SocketSignerLink(signer.socket, { patienceMs: 60_000 })
  const ask = (body: unknown, path: string, requestId: string) =>
    link.ask(askedOf({ path, body, requestId })) as Promise<{ id: string }>
  const policy = await ask(TEN, '/v1/policies', 'policy')
  const limited = await ask(
    { chain_type: 'ethereum', policy_ids: [policy.id] },
    '/v1/wallets',
    'limited',
  )

  let killing = true
  const told = new Map<string, string>()
  let number = 0
  let signed = 0
  let nonce = 0n
  /** Resolves with true if it was signed. Otherwise the ten wei are spent. */
  async function spend(): Promise<boolean> {
    const asked = askedOf({
      path: `/v1/wallets/${limited.id}/rpc`,
      body: {
        method: 'eth_sendTransaction',
        caip2: 'eip155:1329',
        params: { transaction: { to: TO, value: 1 } },
      },
    })
    const filled = {
      chainId: 1329n,
      nonce: nonce++,
      gas: 21_000n,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
    }
    try {
      await link.sign(asked, filled)
      signed++
      return true
    } catch (error) {
      expect(error).toMatchObject({ code: 'policy_violation' })
      return false
    }
  }
  async function client(): Promise<void> {
    while (killing) {
      const requestId = `wallet-${number++}`
      const wallet = await ask({ chain_type: 'ethereum' }, '/v1/wallets', requestId)
      told.set(requestId, wallet.id)
      await spend()
    }
  }
  const clients = Promise.all(Array.from({ length: 8 }, client))
  for (let kill = 0; kill < KILLS; kill++) {
    await delay(random() * 150)
    await signer.kill()
    await signer.start()
  }
  killing = false
  await clients
  while (await spend());

  expect(signed).toBe(10)
  for (const [requestId, id] of told) {
    expect((await ask({ chain_type: 'ethereum' }, '/v1/wallets', requestId)).id).toBe(id)
  }
  await link.close()
  const database = openDatabase(join(signer.folder, 'signer.db'))
  const [{ count }] = database.prepare('SELECT count(*) AS count FROM wallets').all() as [
    { count: number },
  ]
  database.close()
  // Plus the wallet with the limit.
  expect(count).toBe(told.size + 1)
  await signer.stop()
})
