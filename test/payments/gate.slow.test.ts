import { createWalletClient, erc20Abi, type Hex, http, publicActions } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeTransferProof } from '../../host/payments/protocol/encode-proof.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { TRANSPORTS } from '../support/node/server-fixture.ts'

const GATE = ['--payments.enable', 'true', '--payments.address', '127.0.0.1:0']
const NETWORK = 'eip155:31337'
const PRICE = 1000n
const payer = devAccount(0)
const payTo = devAccount(9).address

describe.each(TRANSPORTS)('the gate of a dev node on %s', (transport) => {
  const home = makeHome()
  let daemon: Daemon

  beforeAll(async () => {
    const fast = ['--consensus.block-time', '50ms', '--evm.rpc-server', transport]
    daemon = await startDaemon({ home, arguments: [...GATE, ...fast] })
  })
  afterAll(async () => {
    expect(await daemon.stop()).toBe(0)
    removeHome(home)
  })

  const url = (path: string) => `${daemon.ready.payments}${path}`

  async function pay(): Promise<Hex> {
    const transport = http(daemon.ready.rpc)
    const wallet = createWalletClient({ account: payer, transport }).extend(publicActions)
    const hash = await wallet.writeContract({
      chain: null,
      address: daemon.ready.paymentToken as Hex,
      abi: erc20Abi,
      functionName: 'transfer',
      args: [payTo, PRICE],
    })
    await wallet.waitForTransactionReceipt({ hash, pollingInterval: 20 })
    return hash
  }

  function show(path: string, txHash: Hex): Promise<Response> {
    const from = payer.address.toLowerCase() as Hex
    const proof = { kind: 'transfer', txHash, amount: PRICE, from } as const
    return fetch(url(path), { headers: { 'X-Payment': encodeTransferProof(proof, NETWORK) } })
  }

  test.each(['/weather', '/x402/weather'])(
    'asks for a payment for %s and serves it once',
    async (path) => {
      const asked = await fetch(url(path))
      expect(asked.status).toBe(402)
      expect(asked.headers.get('payment-required')).not.toBe(null)
      const { x402Version, accepts } = await asked.json()
      expect(x402Version).toBe(1)
      expect(accepts).toEqual([
        {
          scheme: 'exact',
          network: NETWORK,
          maxAmountRequired: `${PRICE}`,
          resource: path === '/weather' ? path : url(path),
          description: 'Weather of today',
          mimeType: 'application/json',
          payTo: payTo.toLowerCase(),
          maxTimeoutSeconds: 300,
          asset: daemon.ready.paymentToken,
          extra: expect.objectContaining({ name: 'USDC', version: '2' }),
        },
      ])
      const txHash = await pay()
      const served = await show(path, txHash)
      expect([served.status, served.headers.get('cache-control')]).toEqual([200, 'no-store'])
      const payment = { isValid: true, txHash }
      expect(await served.json()).toEqual({
        city: 'Lisbon',
        weather: 'sunny',
        temperature: 24,
        unit: 'celsius',
        ...(path === '/weather' && { payment }),
      })
      const again = await show(path, txHash)
      expect(again.status).toBe(402)
      expect(await again.json()).toMatchObject({
        error: 'Payment verification failed',
        invalidReason: 'payment_spent',
      })
    },
  )

  test('the start banner shows the address of the gate and the token', () => {
    const { payments, paymentToken } = daemon.ready
    expect(daemon.output()).toContain(`  Payments       ${payments}\n`)
    expect(daemon.output()).toContain(`  Payment token  ${paymentToken}\n`)
  })
})
