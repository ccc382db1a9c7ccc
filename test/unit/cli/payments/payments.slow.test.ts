import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { homeAt } from '../../../../host/node/home/home.ts'
import type { Claims } from '../../../../host/payments/claim/claims.ts'
import { openClaims } from '../../../../host/payments/claim/open-claims.ts'
import { makeHome, removeHome, runCommand } from '../../../support/node/daemon.ts'
import { claimFacts, claimKey, txHashOf } from '../../../support/payments/claim-facts.ts'

/** The ledger of a running server, which is this process. */
const folder = makeHome()
let claims: Claims
const SETTLED = claimKey(2, 'authorization')
const HOSTILE = 'GET /weather?=\u001b[2J,"x"'

beforeAll(async () => {
  claims = await openClaims(folder)
  await claims.describe(1329n, claimFacts().asset, { symbol: 'USDC', decimals: 6 })
  await claims.claim(claimKey(1), claimFacts())
  await claims.delivered(claimKey(1))
  await claims.claim(
    SETTLED,
    claimFacts({ resource: '=1+1', request: HOSTILE, amount: 2_500_000n }),
  )
  await claims.settling(SETTLED, txHashOf(7))
  await claims.settled(SETTLED, txHashOf(7))
})
afterAll(async () => {
  await claims.close()
  removeHome(folder)
})

const payments = (...words: string[]) => runCommand(['payments', ...words, '--folder', folder])
const idOf = (number: number) => claimKey(number).id

describe('lockstep payments', () => {
  test('list prints the last payments while the server runs', async () => {
    const { code, stdout } = await payments('list')
    expect(code).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines[0]?.trim().split(/\s+/)).toEqual([
      'time',
      'amount',
      'resource',
      'payer',
      'state',
      'id',
    ])
    expect(lines.slice(1).some((line) => line.includes(`0.001 USDC  /weather`))).toBe(true)
    expect(lines).toHaveLength(3)
  })

  test('list --json has amounts in tokens and in units, filtered and in pages', async () => {
    const { stdout } = await payments('list', '--json', '--resource', '/weather')
    expect(JSON.parse(stdout)).toMatchObject([
      {
        id: idOf(1),
        state: 'delivered',
        paid: true,
        amount: '1000',
        tokens: '0.001',
        symbol: 'USDC',
      },
    ])
    const page = await payments('list', '--json', '--limit', '1')
    expect(JSON.parse(page.stdout)).toHaveLength(1)
    expect(page.stderr).toBe('There are older ones: --offset 1\n')
    const last = await payments('list', '--json', '--limit', '1', '--offset', '1')
    expect(JSON.parse(last.stdout)).toHaveLength(1)
    expect(last.stderr).toBe('')
  })

  test('show finds an authorization by its transaction and prints no escape sequence', async () => {
    const { code, stdout } = await payments('show', txHashOf(7))
    expect(code).toBe(0)
    expect(stdout).toMatch(/^state +settled$/m)
    expect(stdout).toMatch(/^tokens +2.5$/m)
    expect(stdout).toContain('GET /weather?=?[2J')
    const missing = await payments('show', idOf(99))
    expect([missing.code, missing.stdout]).toEqual([69, ''])
    expect(missing.stderr).toContain(`there is no payment ${idOf(99)}`)
    const wrong = await payments('show', '0x12')
    expect([wrong.code, wrong.stderr]).toEqual([
      64,
      expect.stringContaining('"0x12" is not a hash'),
    ])
  })

  test('export writes JSON, and CSV that a spreadsheet does not execute', async () => {
    const csv = await payments('export')
    expect(csv.code).toBe(0)
    const [head = '', ...rows] = csv.stdout.trimEnd().split('\r\n')
    expect(head).toMatch(/^claimedAt,resource,request,payer,payTo,amount,tokens,symbol,/)
    expect(rows).toHaveLength(2)
    expect(rows.some((row) => row.includes(`,'=1+1,"GET /weather?=\u001b[2J,""x""",`))).toBe(true)
    const json = await payments('export', '--format', 'json', '--payer', claimFacts().payer)
    expect(JSON.parse(json.stdout)).toHaveLength(2)
    const none = await payments('export', '--format', 'json', '--before', '2020-01-01')
    expect(JSON.parse(none.stdout)).toEqual([])
  })

  test('refund records the transaction that paid back a payment, only once', async () => {
    const { code, stdout } = await payments('refund', idOf(1), '--transaction', txHashOf(5))
    expect([code, stdout]).toEqual([
      0,
      `Recorded the refund of 0.001 USDC to ${claimFacts().payer} by ${txHashOf(5)}\n`,
    ])
    const again = await payments('refund', idOf(1), '--transaction', txHashOf(6))
    expect(again.code).toBe(64)
    expect(again.stderr).toContain(`has a refund already: ${txHashOf(5)}`)
    expect((await payments('list')).stdout).toContain('refunded')
  })

  test('prints no payments for a home without payments or a missing folder', async () => {
    const home = makeHome()
    await runCommand(['init', '--chain-id', '1329', '--home', home])
    const none = await runCommand(['payments', 'list', '--home', home])
    expect(none).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `No payments in ${homeAt(home).data.payments}\n`,
    })
    removeHome(home)
    const gone = await runCommand(['payments', 'list', '--folder', home])
    expect([gone.code, gone.stderr]).toEqual([
      78,
      expect.stringContaining(`${home} does not exist`),
    ])
  })
})
