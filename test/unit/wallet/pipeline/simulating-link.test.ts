import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hex } from '../../../../host/base/hex.ts'
import { RpcConnection } from '../../../../host/chain-client/rpc-connection.ts'
import { SimulatingLink } from '../../../../host/wallet/pipeline/simulating-link.ts'
import type { FilledTransaction } from '../../../../host/wallet/signer/signer-link.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../../../support/node/daemon.ts'
import { devAccount } from '../../../support/node/dev-wallet.ts'
import { until } from '../../../support/until.ts'
import { ALICE } from '../../../support/wallet/policy-case.ts'
import { askedOf, startSigner, type TestSigner } from '../../../support/wallet/signer-socket.ts'

const FUNDS = 10n ** 18n
const rule = (conditions: readonly unknown[]) => ({
  name: 'little leaves',
  method: 'eth_signTransaction',
  action: 'ALLOW',
  conditions,
})
const known = { field_source: 'ethereum_transaction', field: 'to', operator: 'eq', value: ALICE }
const told = { field_source: 'simulation', field: 'native', operator: 'lte', value: '10' }

describe('a signer behind a link that simulates', () => {
  const home = makeHome()
  let daemon: Daemon
  let signer: TestSigner
  let node: RpcConnection
  let wallet: { readonly id: string; readonly address: Hex }
  let caip2: string

  beforeAll(async () => {
    ;[daemon, signer] = await Promise.all([startDaemon({ home }), startSigner()])
    caip2 = `eip155:${daemon.ready.chainId}`
    node = new RpcConnection(daemon.ready.rpc)
    const policy = {
      version: '1.0',
      name: 'p',
      chain_type: 'ethereum',
      rules: [rule([known, told])],
    }
    const { id } = await signer.ask({ path: '/v1/policies', body: policy })
    const body = { chain_type: 'ethereum', policy_ids: [id] }
    wallet = (await signer.ask({ path: '/v1/wallets', body })) as typeof wallet
    const nonce = Number(
      await node.call('eth_getTransactionCount', devAccount(0).address, 'latest'),
    )
    const raw = await devAccount(0).signTransaction({
      type: 'legacy',
      chainId: daemon.ready.chainId,
      nonce,
      gas: 21_000n,
      gasPrice: BigInt(String(await node.call('eth_gasPrice'))) * 2n,
      to: wallet.address,
      value: FUNDS,
    })
    await node.call('eth_sendRawTransaction', raw)
    const funds = `0x${FUNDS.toString(16)}`
    await until(async () => (await node.call('eth_getBalance', wallet.address, 'latest')) === funds)
  })
  afterAll(async () => {
    await Promise.all([daemon.stop(), signer.close()])
    removeHome(home)
  })

  const ask = (value: bigint) =>
    askedOf({
      path: `/v1/wallets/${wallet.id}/rpc`,
      body: {
        method: 'eth_signTransaction',
        caip2,
        params: { transaction: { to: ALICE, value: `0x${value.toString(16)}` } },
      },
    })
  const filled = (): FilledTransaction => ({
    chainId: BigInt(daemon.ready.chainId),
    nonce: 0n,
    gas: 21_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 1n,
  })
  const over = (url: string) => new SimulatingLink(signer.link, [{ caip2, url }])

  test('signs what lets out as little as the rule says, and nothing that lets out more', async () => {
    const link = over(daemon.ready.rpc)
    const { decision } = await link.sign(ask(10n), filled())
    expect(decision.reason).toBe(
      `allowed by rule "little leaves": ethereum_transaction.to "${ALICE}" is eq "${ALICE}", simulation.native "10" is lte "10"`,
    )
    await expect(link.sign(ask(11n), filled())).rejects.toMatchObject({
      code: 'policy_violation',
      details: {
        reason:
          'no rule allows it, rule "little leaves" does not: simulation.native "11" is not lte "10"',
      },
    })
  })

  test('signs nothing that fails when it is tried', async () => {
    await expect(over(daemon.ready.rpc).sign(ask(2n * FUNDS), filled())).rejects.toMatchObject({
      code: 'policy_violation',
    })
  })

  test('signs nothing where no node simulates', async () => {
    const refused = {
      code: 'policy_violation',
      details: { reason: expect.stringContaining('no simulation was made') },
    }
    await expect(over('http://127.0.0.1:1').sign(ask(10n), filled())).rejects.toMatchObject(refused)
    await expect(
      new SimulatingLink(signer.link, []).sign(ask(10n), filled()),
    ).rejects.toMatchObject(refused)
    await expect(signer.link.sign(ask(10n), filled())).rejects.toMatchObject(refused)
  })
})
