import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openLedger } from '../../../../host/payments/claim/ledger.ts'
import { openClaims } from '../../../../host/payments/claim/open-claims.ts'
import { claimFacts, claimKey } from '../../../support/payments/claim-facts.ts'
import { ClaimProcess } from '../../../support/payments/claim-process.ts'
import { collected } from '../../../support/payments/collected.ts'

/** Leaves a payment that was served by a killed process and is still unserved in the database. */
async function killedAtDelivery(folder: string): Promise<void> {
  const process = await ClaimProcess.start(folder)
  await process.claim(claimKey(1), claimFacts())
  await process.claim(claimKey(2), claimFacts())
  await process.deliverAndDie(claimKey(1))
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-claims-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('a payment served just before a kill -9 is spent for the processes that keep running', async () => {
  const folder = temporaryFolder()
  const claims = await openClaims(folder)
  await killedAtDelivery(folder)
  expect(await claims.claim(claimKey(1), claimFacts())).toEqual({ won: false, reason: 'spent' })
  expect(await claims.claim(claimKey(2), claimFacts())).toMatchObject({ won: true })
  await claims.close()
})

test('a payment served just before a kill -9 is spent after a restart', async () => {
  const folder = temporaryFolder()
  await killedAtDelivery(folder)
  const ledger = await openLedger(folder)
  const states = (await collected(ledger.payments())).map(({ state }) => state)
  await ledger.close()
  expect(states.sort()).toEqual(['claimed', 'delivered'])
  const claims = await openClaims(folder)
  expect(await claims.claim(claimKey(1), claimFacts())).toEqual({ won: false, reason: 'spent' })
  expect(await claims.claim(claimKey(2), claimFacts())).toMatchObject({ won: true })
  await claims.close()
  expect(readdirSync(join(folder, 'owners'))).toEqual([])
})

test('the partial log of a process killed while creating it blocks no other process', async () => {
  const folder = temporaryFolder()
  await killedAtDelivery(folder)
  const owners = join(folder, 'owners')
  writeFileSync(join(owners, `${'5'.repeat(16)}.deliveries.new`), '')
  const [log = ''] = readdirSync(owners).filter((name) => name.endsWith('.deliveries'))
  writeFileSync(join(owners, `${log}.new`), 'deliv')
  const claims = await openClaims(folder)
  expect(await claims.claim(claimKey(1), claimFacts())).toEqual({ won: false, reason: 'spent' })
  await claims.close()
  expect(readdirSync(owners)).toEqual([])
})
