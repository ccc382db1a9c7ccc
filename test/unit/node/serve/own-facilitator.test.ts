import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Config } from '../../../../host/base/config/schema.ts'
import type { Logger } from '../../../../host/base/log/logger.ts'
import { facilitatorRules } from '../../../../host/node/serve/own-facilitator.ts'
import { openOwnSettler } from '../../../../host/node/serve/own-settler.ts'
import type { FacilitatorOrder } from '../../../../host/payments/settle/facilitator-message.ts'
import { PAY_TO, PAYER, WEATHER } from '../../../support/payments/gate-fixture.ts'
import { MemoryPaymentChain } from '../../../support/payments/memory-payment-chain.ts'

const TOKEN = 'ab'.repeat(32)

/** Returns the rules for a configuration, and the logged lines. */
async function rulesBy(changes: object, dev = false) {
  const home = mkdtempSync(join(tmpdir(), 'facilitator-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  writeFileSync(join(home, 'tokens'), `${TOKEN}\n`, { mode: 0o600 })
  const payments = {
    facilitatorPayees: [],
    facilitatorTokens: '',
    facilitatorMinAmount: '',
    facilitatorTokenPrice: '1',
    facilitatorMaxPerMinute: 600,
    facilitatorMaxInFlight: 32,
    ...changes,
  }
  const logged: string[] = []
  const logger = { info: (text: string) => logged.push(text) } as unknown as Logger
  const common = { terms: WEATHER.terms, decimals: 6, symbol: 'USDC' }
  const chain = new MemoryPaymentChain()
  // The offer is 2 gwei: 150,000 gas cost 0.00015 native tokens.
  chain.maxFeePerGas = async () => 2n * 10n ** 9n
  const config = { payments } as unknown as Config
  return { rules: await facilitatorRules(config, common, { home, dev, logger, chain }), logged }
}

function orderTo(payTo: string, value = 1_000n): FacilitatorOrder {
  const proof = { from: PAYER, to: payTo, value }
  return { proof, terms: { ...WEATHER.terms, payTo } } as unknown as FacilitatorOrder
}

test('a facilitator that would settle for any payee does not start, and names the missing setting', async () => {
  await expect(rulesBy({})).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: '[payments] facilitator is true, but nothing says for whom it pays gas',
    hint: expect.stringContaining('facilitator-payees'),
  })
})

test('a facilitator without a key to settle with does not start, and names the missing key', async () => {
  const config = { payments: { settlerKey: '', facilitator: true } }
  const opened = openOwnSettler({ config } as never, { dev: false } as never, {} as never, 0)
  await expect(opened).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: '[payments] facilitator is true, but settler-key names no key to settle with',
    hint: expect.stringContaining('settler-key = "FILE"'),
  })
})

test('the facilitator of a development node settles for any payee and says so', async () => {
  const { rules, logged } = await rulesBy({}, true)
  expect(rules.refuse(orderTo(PAY_TO))).toBeUndefined()
  expect(logged).toEqual(['the facilitator of this development node settles for every payee'])
})

test('configured payees and tokens restrict the facilitator, under --dev as well', async () => {
  const mixed = `0x${PAY_TO.slice(2).toUpperCase()}`
  const { rules, logged } = await rulesBy(
    { facilitatorPayees: [mixed], facilitatorTokens: 'tokens' },
    true,
  )
  expect(logged).toEqual([])
  expect([rules.admits(undefined), rules.admits(`Bearer ${TOKEN}`)]).toEqual([false, true])
  expect(rules.refuse(orderTo(PAY_TO))).toBeUndefined()
  expect(rules.refuse(orderTo(`0x${'11'.repeat(20)}`))?.reason).toBe('invalid_payment_requirements')
})

test.each([
  [{}, 150n],
  [{ facilitatorTokenPrice: '0.1' }, 1_500n],
  [{ facilitatorTokenPrice: '1000000' }, 1n],
  [{ facilitatorMinAmount: '0.002' }, 2_000n],
])('the minimum amount from %o is %s units', async (changes, least) => {
  const { rules } = await rulesBy({ facilitatorPayees: [PAY_TO], ...changes })
  expect(await rules.refuseAmount(orderTo(PAY_TO, least), 150_000n)).toBeUndefined()
  const refused = await rules.refuseAmount(orderTo(PAY_TO, least - 1n), 150_000n)
  expect(refused?.reason).toBe('invalid_exact_evm_payload_authorization_value')
})

test.each([
  [{ facilitatorMinAmount: '0.0000001' }, 'facilitator-min-amount'],
  [{ facilitatorTokenPrice: `0.${'0'.repeat(18)}1` }, 'facilitator-token-price'],
])('an amount that exceeds the token is refused: %o', async (changes, key) => {
  await expect(rulesBy({ facilitatorPayees: [PAY_TO], ...changes })).rejects.toThrow(key)
})
