import { afterEach, describe, expect, test } from 'vitest'
import type { Hex } from '../../../../host/base/hex.ts'
import { neverAborted } from '../../../../host/base/signal.ts'
import { parseSecret } from '../../../../host/evm/chain-types/account-key.ts'
import type { GasNotice } from '../../../../host/payments/settle/gas-reserve.ts'
import type { SettleResult } from '../../../../host/payments/settle/settlement.ts'
import {
  openSettler,
  type Settler,
  type SettlerLimits,
  type SettlerOptions,
} from '../../../../host/payments/settle/settler.ts'
import { SpendingLimits } from '../../../../host/payments/settle/spending-limits.ts'
import { wasmRecovery } from '../../../support/chain/wasm-recovery.ts'
import { devAccount } from '../../../support/node/dev-wallet.ts'
import { ModelChain } from '../../../support/payments/model-chain.ts'
import { nonceOf, signAuthorization } from '../../../support/payments/signed-authorization.ts'
import { until } from '../../../support/until.ts'

const ASSET: Hex = '0x4020000000000000000000000000000000000402'
const WALLET: Hex = '0x5afe00000000000000000000000000000000005a'
const GWEI = 10n ** 9n
const TERMS = {
  chainId: 31337n,
  network: 'eip155:31337',
  asset: ASSET,
  token: { name: 'USDC', version: '2' },
  amount: 1_000n,
  payTo: devAccount(9).address.toLowerCase() as Hex,
  maxTimeoutSeconds: 300,
}
const silent = async () => {}
const REFUSED = { success: false, errorReason: 'settle_exact_node_failure' }

describe('the limits of the settler', () => {
  const open: Settler[] = []

  afterEach(async () => {
    for (const settler of open.splice(0)) await settler.close()
  })

  async function start(limits: Partial<SettlerLimits> = {}, more: Partial<SettlerOptions> = {}) {
    const chain = new ModelChain(ASSET)
    const settler = await openSettler({
      chain,
      recovery: wasmRecovery,
      key: parseSecret('44'.repeat(32)),
      limits,
      ...more,
    })
    open.push(settler)
    let nonce = 0
    const settle = async (account = 1, signal = neverAborted()): Promise<SettleResult> => {
      const payer = devAccount(account)
      const from = payer.address.toLowerCase() as Hex
      chain.balances.set(from, 1_000_000n)
      const fields = { version: 1 as const, nonce: nonceOf(++nonce) }
      const proof = await signAuthorization(payer, TERMS, chain.now(), fields)
      return settler.settle(proof, TERMS, silent, signal)
    }
    /** Settles one authorization completely. */
    const settleNow = async (account?: number): Promise<SettleResult> => {
      const settled = settle(account)
      await until(() => chain.pooled === 1)
      await chain.mine()
      return settled
    }
    return { chain, settler, settle, settleNow }
  }

  test('include its gas: it warns when it is opened, and while it settles', async () => {
    const notices: GasNotice[] = []
    const onLowGas = (notice: GasNotice) => notices.push(notice)
    // 10^18 wei pay for 3,333 settlements of 150,000 gas at 2 gwei
    const { chain, settler, settleNow } = await start({}, { warnBelow: 3_334, onLowGas })
    expect(notices).toEqual([{ address: settler.address, balance: 10n ** 18n, left: 3_333 }])
    expect(settler.figures().left).toBe(3_333)
    chain.wei = 10n ** 15n
    // A balance is read at most once a second
    while (notices.length < 2) expect(await settleNow()).toMatchObject({ success: true })
    expect(notices[1]).toMatchObject({ balance: 10n ** 15n, left: 3 })
  })

  test('bound the cost per minute of each payer and of all together', async () => {
    const { chain, settler, settle, settleNow } = await start({
      perMinute: 3,
      perMinuteOfPayer: 2,
    })
    expect(await settleNow(1)).toMatchObject({ success: true })
    expect(await settleNow(1)).toMatchObject({ success: true })
    expect(await settle(1)).toMatchObject(REFUSED)
    expect(await settleNow(2)).toMatchObject({ success: true })
    expect(await settle(2)).toMatchObject(REFUSED)
    expect(chain.sent).toBe(3)
    expect(settler.figures()).toMatchObject({ settled: 3, limited: 2, refused: 2, failed: 0 })
  })

  test('refill steadily and forget no recent payer', () => {
    let now = 0
    const limits = new SpendingLimits({ perMinute: 60, perMinuteOfPayer: 2 }, () => now)
    expect([limits.take('0x1'), limits.take('0x1'), limits.take('0x1')]).toEqual([
      true,
      true,
      false,
    ])
    now += 29_000
    expect(limits.take('0x1')).toBe(false)
    now += 1_000
    expect([limits.take('0x1'), limits.take('0x1')]).toEqual([true, false])
    now += 3_600_000
    expect([limits.take('0x1'), limits.take('0x1'), limits.take('0x1')]).toEqual([
      true,
      true,
      false,
    ])
  })

  test('keep a minimum balance', async () => {
    const { chain, settler, settle } = await start({ minBalance: 10n ** 18n })
    chain.wei = 10n ** 18n - 1n
    expect(await settle()).toMatchObject(REFUSED)
    expect(chain.sent).toBe(0)
    expect(settler.figures()).toMatchObject({ limited: 1, balance: 10n ** 18n - 1n })
  })

  test('keep a maximum gas price', async () => {
    const { chain, settler, settle, settleNow } = await start({ maxGasPrice: 3n * GWEI })
    chain.baseFee = 4n * GWEI
    expect(await settle()).toMatchObject(REFUSED)
    expect(settler.figures()).toMatchObject({ limited: 1 })
    chain.baseFee = GWEI
    expect(await settleNow()).toMatchObject({ success: true })
  })

  test('do not spend an authorization: one refused by a full pool is valid once there is room', async () => {
    const { chain, settle, settleNow } = await start()
    chain.poolFault = 'txpool is full'
    expect(await settle()).toMatchObject(REFUSED)
    chain.poolFault = undefined
    expect(await settleNow()).toMatchObject({ success: true })
    expect(chain.receipts.length).toBe(1)
  })

  test('allow repeated queries about a transaction that the node took without an answer', async () => {
    const { chain, settleNow } = await start()
    chain.losesAnswers = true
    expect(await settleNow()).toMatchObject({ success: true })
    expect(chain.sent).toBe(1)
  })

  test('leave a sent transaction in flight when its caller has disconnected', async () => {
    const { chain, settle, settler } = await start()
    const gone = new AbortController()
    const settled = settle(1, gone.signal)
    await until(() => chain.pooled === 1)
    gone.abort(new Error('gone'))
    await expect(settled).rejects.toThrow('gone')
    expect(settler.figures().inFlight).toBe(1)
    await chain.mine()
    await until(() => settler.figures().settled === 1)
  })

  test('allow more gas for a contract wallet and send its signature whole', async () => {
    const { chain, settler } = await start()
    chain.balances.set(WALLET, 1_000n)
    const signature: Hex = `0x${'c0de'.repeat(50)}`
    const proof = {
      kind: 'authorization' as const,
      version: 2 as const,
      from: WALLET,
      to: TERMS.payTo,
      value: 1_000n,
      validAfter: 0n,
      validBefore: chain.now() + 300n,
      nonce: nonceOf(9),
      signature,
    }
    const invalidReason = 'invalid_exact_evm_payload_signature'
    // No code; code that refuses, that returns an invalid value, that accepts with a short value.
    for (const answer of ['0x', `0x${'ff'.repeat(32)}`, '0x1626ba7e'] as const) {
      chain.contracts.set(WALLET, answer)
      expect(await settler.verify(proof, TERMS)).toMatchObject({ isValid: false, invalidReason })
    }
    chain.contracts.set(WALLET, `0x1626ba7e${'00'.repeat(28)}`)
    const settled = settler.settle(proof, TERMS, silent, neverAborted())
    await until(() => chain.pooled === 1)
    await chain.mine()
    expect(await settled).toMatchObject({ success: true })
    const [{ input } = { input: '0x' }] = chain.receipts
    expect(input.slice(0, 10)).toBe('0xcf092995')
    expect(input).toContain(signature.slice(2))

    const undeployed: Hex = `${signature}${'6492'.repeat(16)}`
    expect(await settler.verify({ ...proof, signature: undeployed }, TERMS)).toMatchObject({
      invalidReason: 'invalid_exact_evm_payload_undeployed_smart_wallet',
    })
  })
})
