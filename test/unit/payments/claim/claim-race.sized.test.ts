import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openLedger } from '../../../../host/payments/claim/ledger.ts'
import { openClaims } from '../../../../host/payments/claim/open-claims.ts'
import { claimFacts, claimKey } from '../../../support/payments/claim-facts.ts'
import { ClaimProcess, Killed } from '../../../support/payments/claim-process.ts'
import { collected } from '../../../support/payments/collected.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'
import { bySet } from '../../../support/run/by-set.ts'

const PROCESSES = bySet(4, 16)
const KEYS = 200
const KILLS = bySet(3, 10)
const seed = runSeed()

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-claims-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function started(folder: string, count: number): Promise<ClaimProcess[]> {
  const processes = await Promise.all(
    Array.from({ length: count }, () => ClaimProcess.start(folder)),
  )
  onTestFinished(() => Promise.all(processes.map((process) => process.kill())).then(() => {}))
  return processes
}

test(`${PROCESSES} processes that claim the same ${KEYS} payments win each of them once`, async () => {
  const processes = await started(temporaryFolder(), PROCESSES)
  const keys = Array.from({ length: KEYS }, (_, number) => claimKey(number))
  const outcomes = await Promise.all(
    processes.map((process) => Promise.all(keys.map((key) => process.claim(key, claimFacts())))),
  )
  for (const number of keys.keys()) {
    const won = outcomes.filter((of) => of[number]?.won)
    expect(won, `payment ${number}`).toHaveLength(1)
  }
})

test(`${KILLS} processes that are killed during claims lose none and block none (LOCKSTEP_SEED=${seed})`, async () => {
  const random = makeRandom(seed)
  const folder = temporaryFolder()
  const processes = await started(folder, 3)
  /** Claimed payments, each with the process that may serve it. */
  const holders = new Map<number, ClaimProcess>()
  /** From here on, other processes may take over its claims. */
  const killed = new Set<ClaimProcess>()
  /** Payments whose delivery is recorded on disk, and those for which it may be. */
  const delivered = new Set<number>()
  const perhaps = new Set<number>()
  let next = 0
  let claimed = 0

  /** Claims payments, its own and those of others, and delivers most, until the process ends. */
  async function load(process: ClaimProcess): Promise<void> {
    try {
      for (;;) {
        const number = random() < 0.7 ? next++ : Math.floor(random() * next)
        const outcome = await process.claim(claimKey(number), claimFacts())
        // Its last answers may arrive after its end, when other processes have its claims.
        if (killed.has(process)) return
        if (!outcome.won) continue
        claimed++
        expect(delivered.has(number), `payment ${number} is served twice`).toBe(false)
        const holder = holders.get(number)
        expect(holder === undefined || killed.has(holder), `payment ${number} has two`).toBe(true)
        holders.set(number, process)
        if (random() < 0.2) {
          holders.delete(number)
          await process.release(claimKey(number))
          continue
        }
        if (random() < 0.2) continue
        perhaps.add(number)
        holders.delete(number)
        await process.delivered(claimKey(number))
        delivered.add(number)
      }
    } catch (thrown) {
      if (!(thrown instanceof Killed)) throw thrown
    }
  }

  const loads = new Map(
    processes.map((process) => [process, [1, 2, 3, 4].map(() => load(process))]),
  )
  for (let kill = 0; kill < KILLS; kill++) {
    const enough = claimed + Math.floor(random() * 60)
    while (claimed < enough) await new Promise((resolve) => setImmediate(resolve))
    const [process] = processes.splice(Math.floor(random() * processes.length), 1) as [ClaimProcess]
    killed.add(process)
    await process.kill()
    await Promise.all(loads.get(process) ?? [])
    for (const [number, holder] of holders) if (holder === process) holders.delete(number)
    const [another] = (await started(folder, 1)) as [ClaimProcess]
    processes.push(another)
    loads.set(
      another,
      [1, 2, 3, 4].map(() => load(another)),
    )
  }
  for (const process of processes) {
    killed.add(process)
    await process.kill()
  }
  await Promise.all([...loads.values()].flat())

  const claims = await openClaims(folder)
  const other = claimFacts({ request: 'GET /weather?city=Bern' })
  async function end(number: number): Promise<void> {
    const key = claimKey(number)
    let outcome = await claims.claim(key, other)
    // If another request wins the payment, the original claim never reached the disk.
    if (!outcome.won && outcome.reason === 'other request') {
      outcome = await claims.claim(key, claimFacts())
    }
    if (delivered.has(number)) expect(outcome).toEqual({ won: false, reason: 'spent' })
    else if (!perhaps.has(number)) expect(outcome, `payment ${number}`).toMatchObject({ won: true })
    if (outcome.won) await claims.delivered(key)
    else expect(outcome.reason).toBe('spent')
  }
  await Promise.all(Array.from({ length: next }, (_, number) => end(number)))
  await claims.close()
  const ledger = await openLedger(folder)
  expect(await collected(ledger.payments())).toHaveLength(next)
  expect(ledger.revenue()).toMatchObject([
    { payments: next, amount: BigInt(next) * 1000n, delivered: next },
  ])
  await ledger.close()
})
