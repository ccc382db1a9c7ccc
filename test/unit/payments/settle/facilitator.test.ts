import { describe, expect, onTestFinished, test } from 'vitest'
import { MAX_FACILITATOR_BODY } from '../../../../host/payments/settle/facilitator.ts'
import { absentPeers, peer } from '../../../support/payments/peers.ts'
import { until } from '../../../support/until.ts'
import {
  FROM,
  firstPayment,
  PAYEE,
  REQUIREMENT_1,
  REQUIREMENT_2,
  secondPayment,
  startFacilitator,
} from './facilitator-fixture.ts'
import { serveFacilitator } from './facilitator-server.ts'

describe('the facilitator', () => {
  test('lists the supported kinds in the shape of both versions', async () => {
    const { ask, settlement } = await startFacilitator()
    const answer = await ask('/supported', '', 'GET')
    expect(answer.status).toBe(200)
    expect(answer.headers).toEqual({
      'content-type': 'application/json',
      'cache-control': 'no-store',
    })
    expect(JSON.parse(answer.body)).toEqual({
      kinds: [
        { x402Version: 1, scheme: 'exact', network: 'sei-testnet' },
        { x402Version: 2, scheme: 'exact', network: 'eip155:31337' },
      ],
      extensions: [],
      signers: { 'eip155:*': [settlement.address] },
    })
  })

  test('settles a payment of either version and names its transaction', async () => {
    const { chain, settle, sign } = await startFacilitator()
    const orders = [
      { paymentPayload: firstPayment(await sign(1, 1)), paymentRequirements: REQUIREMENT_1 },
      {
        x402Version: 2,
        paymentPayload: secondPayment(await sign(2, 2)),
        paymentRequirements: REQUIREMENT_2,
      },
    ]
    const networks = ['sei-testnet', 'eip155:31337']
    for (const [at, order] of orders.entries()) {
      const answer = await settle(order)
      expect(answer.status).toBe(200)
      expect(JSON.parse(answer.body)).toEqual({
        success: true,
        transaction: chain.receipts[at]?.txHash,
        network: networks[at],
        payer: FROM,
      })
    }
    expect(chain.balances.get(PAYEE)).toBe(2_000n)
  })

  test('reports a settlement once, and again to a caller that did not get the answer', async () => {
    const { ask, settle, sign } = await startFacilitator()
    const order = {
      paymentPayload: firstPayment(await sign(1)),
      paymentRequirements: REQUIREMENT_1,
    }
    const lost = await settle(order)
    const early = JSON.parse((await ask('/settle', order)).body)
    expect(early).toMatchObject({ success: false, errorReason: 'duplicate_settlement' })
    await lost.failed()
    const other = {
      ...order,
      paymentRequirements: { ...REQUIREMENT_1, resource: 'https://other.example/' },
    }
    expect(JSON.parse((await ask('/settle', other)).body)).toMatchObject({ success: false })
    const again = await ask('/settle', order)
    expect(again.body).toBe(lost.body)
    await again.delivered()
    expect(JSON.parse((await ask('/settle', order)).body)).toMatchObject({
      success: false,
      // `invalid_exact_evm_nonce_already_used` is named so in version 1.
      errorReason: 'invalid_transaction_state',
      transaction: '',
    })
  })

  test('gives 20 servers that ask concurrently about one authorization the same settlement', async () => {
    const { chain, ask, sign } = await startFacilitator()
    const order = {
      paymentPayload: firstPayment(await sign(1)),
      paymentRequirements: REQUIREMENT_1,
    }
    const asked = Array.from({ length: 20 }, () => ask('/settle', order))
    await until(() => chain.pooled > 0)
    await chain.mine()
    const answers = (await Promise.all(asked)).map(({ body }) => JSON.parse(body))
    expect(answers.filter(({ success }) => success).length).toBe(1)
    expect(chain.sent).toBe(1)
  })

  test('settles nothing of other tokens, networks, schemes and domains', async () => {
    const { ask, sign } = await startFacilitator()
    const paymentPayload = firstPayment(await sign(1))
    const refusals: readonly [object, string][] = [
      [{ asset: PAYEE }, 'invalid_payment_requirements'],
      [{ network: 'sei' }, 'invalid_network'],
      [{ scheme: 'upto' }, 'unsupported_scheme'],
      [{ extra: { name: 'USD Coin', version: '2' } }, 'invalid_payment_requirements'],
      [{ payTo: FROM }, 'invalid_exact_evm_payload_recipient_mismatch'],
      [{ maxAmountRequired: '1001' }, 'invalid_exact_evm_payload_authorization_value'],
    ]
    for (const [change, reason] of refusals) {
      const order = { paymentPayload, paymentRequirements: { ...REQUIREMENT_1, ...change } }
      const verified = await ask('/verify', order)
      expect([verified.status, JSON.parse(verified.body)]).toMatchObject([
        200,
        { isValid: false, invalidReason: reason },
      ])
      const settled = JSON.parse((await ask('/settle', order)).body)
      expect(settled).toMatchObject({ success: false, errorReason: reason, transaction: '' })
    }
  })

  test('answers 400 to an invalid request, 405, 413, and nothing on other paths', async () => {
    const { ask, facilitator, sign } = await startFacilitator()
    const paymentPayload = firstPayment(await sign(1))
    const order = { paymentPayload, paymentRequirements: REQUIREMENT_1 }
    const twice = JSON.stringify(order).replace('"scheme"', '"scheme":"exact","scheme"')
    const bad = [
      '',
      '[]',
      '{',
      '{"paymentPayload":{}}',
      '{"__proto__":{}}',
      twice,
      { ...order, paymentPayload: { ...paymentPayload, payload: {} } },
      { ...order, paymentRequirements: { ...REQUIREMENT_1, maxAmountRequired: 1000 } },
      { ...order, paymentRequirements: { ...REQUIREMENT_1, maxAmountRequired: '1e3' } },
      { ...order, paymentRequirements: { ...REQUIREMENT_1, payTo: '0x' } },
      { ...order, paymentRequirements: { ...REQUIREMENT_1, resource: `/${'x'.repeat(2_048)}` } },
    ]
    for (const body of bad) {
      const answer = await ask('/verify', body)
      expect([answer.status, JSON.parse(answer.body)]).toMatchObject([
        400,
        { isValid: false, invalidReason: 'invalid_payload' },
      ])
      expect((await ask('/settle', body)).status).toBe(400)
    }
    expect((await ask('/verify', '', 'GET')).status).toBe(405)
    expect((await ask('/verify', 'x'.repeat(MAX_FACILITATOR_BODY + 1))).status).toBe(413)
    expect(
      await facilitator.answer({ method: 'GET', path: '/', body: new Uint8Array() }),
    ).toBeUndefined()
    const utf16 = await facilitator.answer({
      method: 'POST',
      path: '/verify',
      body: Uint8Array.of(0xff, 0xfe),
    })
    expect(utf16?.status).toBe(400)
  })

  test('answers 500 while the chain is unreachable, and the payment stays valid', async () => {
    const { chain, ask, settle, sign, failures } = await startFacilitator()
    const order = {
      paymentPayload: firstPayment(await sign(1)),
      paymentRequirements: REQUIREMENT_1,
    }
    const { call } = chain
    chain.call = async () => {
      throw new Error('socket hang up')
    }
    const answer = await ask('/settle', order)
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([
      500,
      { success: false, errorReason: 'unexpected_settle_error', payer: FROM },
    ])
    expect(failures).toHaveLength(1)
    chain.call = call
    expect(JSON.parse((await settle(order)).body)).toMatchObject({ success: true })
  })

  describe.skipIf(absentPeers('x402', '@x402/core') !== '')(
    `used by published clients${absentPeers('x402', '@x402/core')}`,
    () => {
      test('serves x402 1.2 useFacilitator: it verifies, settles and knows every reason', async () => {
        const { chain, facilitator, sign } = await startFacilitator()
        const server = await serveFacilitator(facilitator)
        onTestFinished(() => server.close())
        const { useFacilitator } = peer('x402/verify')
        const { ErrorReasons, SettleResponseSchema, VerifyResponseSchema } = peer('x402/types')
        const client = useFacilitator({ url: server.url })
        expect((await client.supported()).kinds).toContainEqual({
          x402Version: 1,
          scheme: 'exact',
          network: 'sei-testnet',
        })
        const payment = firstPayment(await sign(1))
        const verified = await client.verify(payment, REQUIREMENT_1)
        expect(VerifyResponseSchema.parse(verified)).toEqual({ isValid: true, payer: FROM })
        const asked = client.settle(payment, REQUIREMENT_1)
        await until(() => chain.pooled > 0)
        await chain.mine()
        const settled = SettleResponseSchema.parse(await asked)
        expect(settled).toMatchObject({
          success: true,
          transaction: chain.receipts[0]?.txHash,
          network: 'sei-testnet',
        })
        const again = await client.settle(payment, REQUIREMENT_1)
        // The published facilitator also omits the transaction, although its own schema requires one.
        expect(again).toMatchObject({ success: false, transaction: '' })
        expect(ErrorReasons).toContain(again.errorReason)
      })

      test('serves @x402/core 2.27 HTTPFacilitatorClient: it verifies, settles and gets the reason', async () => {
        const { chain, facilitator, settlement, sign } = await startFacilitator()
        const server = await serveFacilitator(facilitator)
        onTestFinished(() => server.close())
        const { HTTPFacilitatorClient } = peer('@x402/core/http')
        const client = new HTTPFacilitatorClient({ url: server.url })
        expect(await client.getSupported()).toMatchObject({
          signers: { 'eip155:*': [settlement.address] },
        })
        const payment = secondPayment(await sign(2))
        expect(await client.verify(payment, REQUIREMENT_2)).toMatchObject({ isValid: true })
        const asked = client.settle(payment, REQUIREMENT_2)
        await until(() => chain.pooled > 0)
        await chain.mine()
        expect(await asked).toMatchObject({
          success: true,
          transaction: chain.receipts[0]?.txHash,
          network: 'eip155:31337',
          payer: FROM,
        })
        expect(
          await client.verify(secondPayment({ ...(await sign(2, 2)), to: FROM }), REQUIREMENT_2),
        ).toMatchObject({ isValid: false, invalidReason: 'invalid_exact_evm_payload_signature' })
      })
    },
  )
})
