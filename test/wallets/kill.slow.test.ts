import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseTransaction } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeServer, startFakeServer } from '../support/fake-server.ts'
import { makeRandom, runSeed } from '../support/random.ts'
import { until } from '../support/until.ts'
import { WalletChain } from '../support/wallet/wallet-chain.ts'
import { KillRun } from './kill/kill-run.ts'

/** 1,000 kills take a quarter of an hour: LOCKSTEP_KILLS=1000 npm run -s test:all -- test/wallets/kill */
const KILLS = Number(process.env.LOCKSTEP_KILLS ?? 30)

const seed = runSeed()

let folder: string
let chain: WalletChain
let receiver: FakeServer
let run: KillRun

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wallet-kill-'))
  chain = await WalletChain.start()
  receiver = await startFakeServer()
  run = new KillRun(chain, folder, makeRandom(seed))
})

afterEach(async () => {
  await run.stop()
  await chain.stop()
  await receiver.close()
  await rm(folder, { recursive: true })
})

/** Returns the ids of the events of a type, by their transaction. */
function told(type: string): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>()
  for (const { headers, body } of receiver.received) {
    const event = JSON.parse(body) as { type: string; transaction_id: string }
    if (event.type !== type) continue
    const known = ids.get(event.transaction_id) ?? new Set()
    ids.set(event.transaction_id, known.add(String(headers['svix-id'])))
  }
  return ids
}

test(
  `no transaction is sent twice, lost after its acknowledgement or stuck behind a nonce gap over ${KILLS} kills of API and signer (seed ${seed})`,
  async () => {
    await run.run(KILLS, `${receiver.url}/`)
    const acknowledged = run.wishes.flatMap(({ acknowledged: id }) =>
      id === undefined ? [] : [id],
    )
    await until(() => {
      const created = told('transaction.created')
      const confirmed = told('transaction.confirmed')
      return acknowledged.every((id) => created.has(id) && confirmed.has(id))
    })
    expect(run.faults).toEqual([])

    const executions = new Map<number, number>()
    for (const { raw } of chain.executed) {
      const number = Number(parseTransaction(raw as `0x02${string}`).value)
      executions.set(number, (executions.get(number) ?? 0) + 1)
    }
    for (const { number, asking, acknowledged: id, isRefused } of run.wishes) {
      const count = executions.get(number) ?? 0
      const isUncertain = id === undefined && !isRefused
      // A client that may repeat its request gets a response. For others, the transaction may have been sent, once.
      if (asking !== 'once') expect([number, isUncertain]).toEqual([number, false])
      if (isUncertain) expect([number, count <= 1]).toEqual([number, true])
      else expect([number, asking, count]).toEqual([number, asking, isRefused ? 0 : 1])
    }

    const nonces = new Map<string, number[]>()
    for (const { from, nonce } of chain.executed)
      nonces.set(from, [...(nonces.get(from) ?? []), nonce])
    expect(nonces.size).toBe(run.wallets.length)
    for (const own of nonces.values()) expect(own).toEqual(own.map((_, i) => i))

    // At least once, and with one id. A transaction found in a block after a kill has no broadcasted event.
    for (const type of ['created', 'broadcasted', 'confirmed']) {
      for (const [id, ids] of told(`transaction.${type}`))
        expect([type, id, ids.size]).toEqual([type, id, 1])
    }
    process.stdout.write(
      `${run.wishes.length} requests, ${acknowledged.length} acknowledged, ${chain.executed.length} executed, ` +
        `${receiver.received.length} events, ${new Set(receiver.received.map(({ headers }) => headers['svix-id'])).size} of them different\n`,
    )
  },
  120_000 + KILLS * 10_000,
)
