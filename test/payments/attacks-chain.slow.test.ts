import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { type GateNode, PAY_TO, PRICE, startGateNode } from '../support/payments/gate-node.ts'
import { firstVersionProof, header64 } from '../support/payments/hand-made-proof.ts'
import {
  expectHonestPayment,
  expectRefused,
  expectServed,
  NOT_VERIFIED,
  WRONG_FORMAT,
} from './expectations.ts'

const FAST = ['--consensus.block-time', '50ms', '--payments.receipt-deadline', '500ms']

/** Two chains with the same accounts and tokens. Only the money of the first has value. */
const homes = [makeHome(), makeHome()] as const
let main: GateNode
let testnet: GateNode

beforeAll(async () => {
  main = await startGateNode(homes[0], [...FAST, '--chain-id', '1329'])
  testnet = await startGateNode(homes[1], [...FAST, '--chain-id', '1328'])
})

afterAll(async () => {
  await main?.daemon.stop()
  await testnet?.daemon.stop()
  for (const home of homes) removeHome(home)
})

test('both chains have the published network names and token addresses', () => {
  expect([main.network, testnet.network]).toEqual(['sei', 'sei-testnet'])
  expect([main.token.toLowerCase(), testnet.token.toLowerCase()]).toEqual([
    '0xe15fc38f6d8c56af07bbcbe3baf5708a2bf42392',
    '0x4fcf1784b31630811181f670aea7a7bef803eaed',
  ])
})

test('a payment on the test chain unlocks nothing on the main chain, whatever network its proof names', async () => {
  await Promise.all([main.challenge('/weather'), testnet.challenge('/weather')])
  const payer = testnet.payer(0)
  const txHash = await payer.pay(PAY_TO, PRICE)
  const payload = { txHash, amount: String(PRICE), from: payer.address }
  expectRefused(await main.show('/weather', payload), NOT_VERIFIED, 'invalid_transaction_state')
  const named = header64(firstVersionProof('sei-testnet', payload))
  expectRefused(
    await main.ask('GET', '/weather', [['x-payment', named]]),
    WRONG_FORMAT,
    'invalid_network',
  )
  expectServed(await testnet.show('/weather', payload), txHash)
  await expectHonestPayment(main)
})

test('an authorization for the test chain transfers nothing on the main chain', async () => {
  const choice = { to: PAY_TO, value: PRICE }
  const authorization = await testnet.payer(1).authorize(choice)
  const show = (gate: GateNode) => {
    const proof = header64(firstVersionProof(gate.network, authorization))
    return gate.ask('GET', '/weather', [['x-payment', proof]])
  }
  const before = await main.payer(1).balance()
  expectRefused(await show(main), NOT_VERIFIED, 'invalid_exact_evm_payload_signature')
  expect(await main.payer(1).balance()).toBe(before)
  expectServed(await show(testnet))
})
