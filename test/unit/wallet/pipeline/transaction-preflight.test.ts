import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Hex } from '../../../../host/base/hex.ts'
import { RpcConnection } from '../../../../host/client/chain-client/rpc-connection.ts'
import { GroupCommit } from '../../../../host/storage/store/sqlite/group-commit.ts'
import { openDatabase } from '../../../../host/storage/store/sqlite/sqlite.ts'
import { openPipeline } from '../../../../host/wallet/pipeline/open-pipeline.ts'
import type { Pipeline } from '../../../../host/wallet/pipeline/pipeline.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../../../support/node/daemon.ts'
import { devAccount } from '../../../support/node/dev-wallet.ts'
import { FakeRefusal } from '../../../support/rpc/fake-node.ts'
import { until } from '../../../support/until.ts'
import { newAuthorizationKey } from '../../../support/wallet/authorization-key.ts'
import { ALICE, MALLORY } from '../../../support/wallet/policy-case.ts'
import { askedOf, startSigner, type TestSigner } from '../../../support/wallet/signer-socket.ts'
import { WalletChain } from '../../../support/wallet/wallet-chain.ts'

interface OwnWallet {
  readonly id: string
  readonly address: Hex
}

const allow = (...conditions: readonly unknown[]) => ({
  name: 'some',
  method: '*',
  action: 'ALLOW',
  conditions,
})
const deny = (...conditions: readonly unknown[]) => ({ ...allow(...conditions), action: 'DENY' })
const of = (field_source: string, field: string, operator: string, value: string, more = {}) => ({
  field_source,
  field,
  operator,
  value,
  ...more,
})
const toAlice = of('ethereum_transaction', 'to', 'eq', ALICE)

let signer: TestSigner
let pipeline: Pipeline
let close: () => Promise<void>

async function openOver(chain: { readonly caip2: string; readonly url: string }) {
  signer = await startSigner()
  const database = openDatabase(':memory:')
  pipeline = await openPipeline({
    database,
    commits: new GroupCommit(database),
    signer: signer.link,
    chains: [chain],
    outbox: { put: () => {} },
    times: { pollMs: 5, patienceMs: 20 },
  })
  close = async () => {
    await pipeline.close()
    database.close()
    await signer.close()
  }
}

async function walletUnder(rules: readonly unknown[], members: object = {}): Promise<OwnWallet> {
  const body = { version: '1.0', name: 'p', chain_type: 'ethereum', rules }
  const { id } = await signer.ask({ path: '/v1/policies', body })
  const made = { chain_type: 'ethereum', policy_ids: [id], ...members }
  return (await signer.ask({ path: '/v1/wallets', body: made })) as unknown as OwnWallet
}

function send(
  { id }: OwnWallet,
  caip2: string,
  transaction: object,
  method: 'send' | 'sign' = 'send',
  more: { idempotencyKey?: string } = {},
) {
  const name = method === 'send' ? 'eth_sendTransaction' : 'eth_signTransaction'
  const body = { method: name, caip2, params: { transaction } }
  const asked = askedOf({ path: `/v1/wallets/${id}/rpc`, body, ...more })
  return method === 'send'
    ? pipeline.send(asked, id, body as never)
    : pipeline.sign(asked, id, body as never)
}

const refusals = () => signer.audited().filter(({ kind }) => kind === 'wallet.refused')

describe('a transaction that a policy denies', () => {
  let chain: WalletChain
  /** Calls to the chain, without the periodic check for reverts. */
  const asked = () => chain.calls.filter(({ method }) => method !== 'hardhat_metadata')
  const failing = () => {
    chain.before = ({ method }) =>
      method === 'eth_estimateGas' ? new FakeRefusal(3, 'execution reverted: secret') : undefined
  }
  beforeEach(async () => {
    chain = await WalletChain.start()
    await openOver(chain)
    // The pipeline requests the chain id when it is opened.
    chain.calls.length = 0
  })
  afterEach(async () => {
    await close()
    await chain.stop()
  })

  test.each(['send', 'sign'] as const)(
    'is denied before any chain query, and each denial is in the audit log (%s)',
    async (method) => {
      failing()
      const wallet = await walletUnder([allow(toAlice)])
      for (const value of ['0x1', '0xffffffffffffffffffff']) {
        await expect(
          send(wallet, chain.caip2, { to: MALLORY, value }, method),
        ).rejects.toMatchObject({
          code: 'policy_violation',
          details: { reason: expect.stringContaining('"some" does not: ethereum_transaction.to') },
        })
      }
      expect(asked()).toEqual([])
      expect(refusals()).toHaveLength(2)
      expect(refusals()[0]?.details).toMatchObject({ slot: `${chain.caip2}:open` })
    },
  )

  test('requires the signature of its owner first', async () => {
    const key = newAuthorizationKey()
    const wallet = await walletUnder([allow()], { owner: { public_key: key.publicKey } })
    await expect(send(wallet, chain.caip2, { to: ALICE })).rejects.toMatchObject({
      code: 'missing_or_empty_authorization_header',
    })
    expect(asked()).toEqual([])
  })

  test('of a kind that is allowed reports why it would fail', async () => {
    failing()
    const wallet = await walletUnder([allow(toAlice)])
    await expect(send(wallet, chain.caip2, { to: ALICE })).rejects.toMatchObject({
      code: 'transaction_broadcast_failure',
      message: expect.stringContaining('secret'),
    })
  })

  test.each([
    ['gas_limit', of('ethereum_transaction', 'gas_limit', 'lte', '50000')],
    ['max_fee', of('ethereum_transaction', 'max_fee', 'lte', `${10n ** 18n}`)],
    ['window', of('spending_window', 'native_with_fee', 'lte', `${10n ** 18n}`, { period: 60 })],
  ])('because of its %s does not reveal that its simulation fails', async (_, condition) => {
    failing()
    const wallet = await walletUnder([allow(toAlice, condition)])
    const refused = expect(send(wallet, chain.caip2, { to: ALICE })).rejects
    await refused.toSatisfy((error: Error & { code: string; details: object }) => {
      expect(error.code).toBe('policy_violation')
      expect(JSON.stringify([error.message, error.details])).not.toContain('secret')
      return true
    })
    expect(refusals()).toHaveLength(1)
  })

  test('because of its gas does not reveal how much its simulation needs', async () => {
    const wallet = await walletUnder([
      allow(toAlice, of('ethereum_transaction', 'gas_limit', 'lt', '21000')),
      deny(of('ethereum_transaction', 'max_fee', 'gt', '5')),
    ])
    const error = await send(wallet, chain.caip2, { to: ALICE }).catch((thrown) => thrown)
    expect(error.code).toBe('policy_violation')
    const { conditions } = error.details.rules[0]
    expect(conditions[1]).toEqual({
      field: 'ethereum_transaction.gas_limit',
      operator: 'lt',
      expected: '21000',
      problem: 'a run of the transaction does not meet it; its result is not disclosed',
      holds: false,
    })
    // A request that specifies the gas itself learns the value that it specified.
    const named = await send(wallet, chain.caip2, {
      to: ALICE,
      gas_limit: '0x5209',
      max_fee_per_gas: '0x0',
      max_priority_fee_per_gas: '0x0',
    }).catch((thrown) => thrown)
    expect(named.details.reason).toContain('gas_limit "21001" is not lt "21000"')
    expect(refusals()).toHaveLength(2)
  })

  test('because of the current fees is denied without a simulation', async () => {
    const wallet = await walletUnder([
      allow(toAlice, of('ethereum_transaction', 'max_fee_per_gas', 'lte', '5')),
    ])
    await expect(send(wallet, chain.caip2, { to: ALICE })).rejects.toMatchObject({
      code: 'policy_violation',
      details: { reason: expect.stringContaining('max_fee_per_gas "3000000000" is not lte "5"') },
    })
    expect(chain.calls.map(({ method }) => method)).not.toContain('eth_estimateGas')
  })

  test('at a nonce that was charged and never used is charged once', async () => {
    const window = of('spending_window', 'native', 'lte', '10', { period: 60 })
    const wallet = await walletUnder([allow(window)])
    chain.before = ({ method }) =>
      method === 'eth_sendRawTransaction'
        ? new FakeRefusal(-32000, 'insufficient funds')
        : undefined
    const ten = { to: ALICE, value: '0xa' }
    await expect(send(wallet, chain.caip2, ten)).rejects.toMatchObject({
      code: 'insufficient_funds',
    })
    chain.before = () => undefined
    expect(await send(wallet, chain.caip2, ten)).toMatchObject({ status: 'broadcasted' })
    await expect(send(wallet, chain.caip2, ten)).rejects.toMatchObject({ code: 'policy_violation' })
    expect(refusals()).toHaveLength(1)
  })

  test('is not shown to a caller that repeats its idempotency key without the owner', async () => {
    const key = newAuthorizationKey()
    const wallet = await walletUnder([allow()], { owner: { public_key: key.publicKey } })
    const body = {
      method: 'eth_sendTransaction',
      caip2: chain.caip2,
      params: { transaction: { to: ALICE } },
    }
    const path = `/v1/wallets/${wallet.id}/rpc`
    const expiry = Date.now() + 60_000
    for (const named of [{ idempotencyKey: 'k' }, { expiry }]) {
      const repeat = (keys: readonly ReturnType<typeof newAuthorizationKey>[]) =>
        pipeline.send(askedOf({ path, body, keys, ...named }), wallet.id, body as never)
      const sent = await repeat([key])
      expect((await repeat([key])).id).toBe(sent.id)
      await expect(repeat([])).rejects.toMatchObject({
        code: 'missing_or_empty_authorization_header',
      })
      await expect(repeat([newAuthorizationKey()])).rejects.toMatchObject({
        code: 'zero_correct_authorization_signatures',
      })
    }
  })
})

describe('a rule that requires a simulation', () => {
  const FUNDS = 10n ** 18n
  const home = makeHome()
  let daemon: Daemon
  let wallet: OwnWallet
  let caip2: string
  const told = of('simulation', 'native', 'lte', '10')

  beforeAll(async () => {
    daemon = await startDaemon({ home })
    caip2 = `eip155:${daemon.ready.chainId}`
    await openOver({ caip2, url: daemon.ready.rpc })
    wallet = await walletUnder([allow(toAlice, told)])
    const node = new RpcConnection(daemon.ready.rpc)
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
    await close()
    await daemon.stop()
    removeHome(home)
  })

  test('allows no more than it states and does not reveal the result of the simulation', async () => {
    expect(await send(wallet, caip2, { to: ALICE, value: '0xa' }, 'sign')).toMatch(/^0x02/)
    expect(refusals()).toEqual([])
    await expect(send(wallet, caip2, { to: ALICE, value: '0xb' }, 'sign')).rejects.toMatchObject({
      code: 'policy_violation',
      details: {
        reason:
          'no rule allows it, rule "some" does not: simulation.native: a run of the transaction does not meet it; its result is not disclosed',
      },
    })
    expect(refusals()).toHaveLength(1)
  })

  test('prevents a signature if the simulation fails', async () => {
    const value = `0x${(2n * FUNDS).toString(16)}`
    await expect(send(wallet, caip2, { to: ALICE, value }, 'sign')).rejects.toMatchObject({
      code: 'policy_violation',
    })
  })

  test('prevents a signature if no node simulates', async () => {
    const filled = {
      chainId: BigInt(daemon.ready.chainId),
      nonce: 0n,
      gas: 21_000n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
    }
    const params = { transaction: { to: ALICE, value: '0xa' } }
    const body = { method: 'eth_signTransaction', caip2, params }
    await expect(
      signer.sign({ path: `/v1/wallets/${wallet.id}/rpc`, body }, filled),
    ).rejects.toMatchObject({
      code: 'policy_violation',
      details: { reason: expect.stringContaining('no simulation was made') },
    })
  })
})
