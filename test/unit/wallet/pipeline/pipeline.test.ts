import { afterEach, beforeEach, expect, test } from 'vitest'
import { WalletError } from '../../../../host/wallet/protocol/wallet-error.ts'
import { FakeRefusal } from '../../../support/rpc/fake-node.ts'
import { until } from '../../../support/until.ts'
import { PipelineFixture, RECIPIENT } from '../../../support/wallet/pipeline-fixture.ts'
import { walletAddress } from '../../../support/wallet/plain-signer.ts'
import { WalletChain } from '../../../support/wallet/wallet-chain.ts'

let chain: WalletChain
let fixture: PipelineFixture

beforeEach(async () => {
  chain = await WalletChain.start()
  fixture = await new PipelineFixture([chain]).open()
})

afterEach(async () => {
  await fixture.close()
  await chain.stop()
})

const nonces = (walletId: string) =>
  chain.executed.filter(({ from }) => from === walletAddress(walletId)).map(({ nonce }) => nonce)

const error = (code: string) => expect.objectContaining({ code })

test('the pipeline fills nonce, gas and fees, and follows the transaction to a final block', async () => {
  const { id, transaction_hash, ...rest } = await fixture.send('w1', { value: '0x5' })
  expect(rest).toEqual({
    wallet_id: 'w1',
    caip2: 'eip155:31337',
    status: 'broadcasted',
    reference_id: null,
    created_at: expect.any(Number),
  })
  expect(fixture.signer.signed[0]?.filled).toEqual({
    chainId: 31337n,
    nonce: 0n,
    gas: 21_000n,
    maxFeePerGas: 3_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  })
  await until(() => fixture.status(id) === 'finalized')
  expect(chain.executed.map(({ hash }) => hash)).toEqual([transaction_hash])
  expect(fixture.told(id)).toEqual(['created', 'broadcasted', 'confirmed'])
  expect(fixture.events.at(-1)).toEqual({
    type: 'transaction.confirmed',
    wallet_id: 'w1',
    transaction_id: id,
    caip2: 'eip155:31337',
    transaction_hash,
  })
})

test('the pipeline gives many concurrent wallets nonces without gaps or repetitions', async () => {
  chain.mines = false
  const wallets = Array.from({ length: 20 }, (_, i) => `w${i}`)
  const sent = await Promise.all(
    wallets.flatMap((id) => [1, 2, 3, 4, 5].map(() => fixture.send(id))),
  )
  chain.mine()
  await until(() => sent.every(({ id }) => fixture.status(id) === 'finalized'))
  for (const id of wallets) expect(nonces(id)).toEqual([0, 1, 2, 3, 4])
  expect(new Set(chain.executed.map(({ hash }) => hash)).size).toBe(100)
})

test('the pipeline keeps no nonce and no record if the signer refuses', async () => {
  chain.mines = false
  let count = 0
  fixture.signer.before = () => {
    if (++count % 2 === 0) throw new WalletError('policy_violation')
  }
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => fixture.send('w1')))
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(5)
  expect([...chain.pool.values()].map(({ nonce }) => nonce)).toEqual([0, 1, 2, 3, 4])
  expect(fixture.pipeline.list('app', 'w1', {}).transactions).toHaveLength(5)
})

test('the pipeline waits for a restarting signer and asks it for the same nonce', async () => {
  let count = 0
  fixture.signer.before = () => {
    if (++count < 4) throw new WalletError('signer_unreachable')
  }
  await fixture.send('w1')
  expect(fixture.signer.signed.map(({ filled }) => filled.nonce)).toEqual([0n])
})

test('the pipeline reuses the nonce of a refused transaction', async () => {
  chain.before = ({ method }) =>
    method === 'eth_sendRawTransaction'
      ? new FakeRefusal(-32000, 'insufficient funds for gas * price + value')
      : undefined
  const failure = await fixture.send('w1').catch((thrown) => thrown)
  expect(failure).toEqual(error('insufficient_funds'))
  const id = failure.details.transaction_id
  expect(fixture.status(id)).toBe('failed')
  expect(fixture.told(id)).toEqual(['created', 'failed'])
  chain.before = () => undefined
  await fixture.send('w1', { value: '0x2' })
  expect(nonces('w1')).toEqual([0])
})

test('the pipeline does nothing twice for an idempotency key or for an expiring request', async () => {
  const expiry = String(Date.now() + 60_000)
  const same = [
    { 'privy-idempotency-key': 'a' },
    { 'wallet-idempotency-key': 'b' },
    { 'privy-request-expiry': expiry },
  ]
  for (const headers of same) {
    const [one, two] = await Promise.all([
      fixture.send('w1', {}, { headers }),
      fixture.send('w1', {}, { headers }),
    ])
    const three = await fixture.send('w1', {}, { headers })
    expect([two.id, three.id]).toEqual([one.id, one.id])
  }
  expect(nonces('w1')).toEqual([0, 1, 2])
  await expect(
    fixture.send('w1', { value: '0x1' }, { headers: { 'privy-idempotency-key': 'a' } }),
  ).rejects.toEqual(error('idempotency_mismatch'))
  // Without either, equal requests are separate transfers.
  await fixture.send('w1')
  await fixture.send('w1')
  expect(nonces('w1')).toEqual([0, 1, 2, 3, 4])
})

test('the pipeline reports a transaction that reverted', async () => {
  chain.reverts = true
  const { id } = await fixture.send('w1')
  await until(() => fixture.status(id) === 'execution_reverted')
  expect(fixture.told(id)).toEqual(['created', 'broadcasted', 'execution_reverted'])
})

test('the pipeline reports once that a transaction is pending for too long, with its fees', async () => {
  await fixture.close()
  let lateMs = 0
  fixture = await new PipelineFixture([chain], { now: () => Date.now() + lateMs }).open()
  chain.mines = false
  const { id } = await fixture.send('w1', { value: '0x7' })
  await until(() => fixture.told(id).includes('broadcasted'))
  lateMs = 5 * 60_000
  await until(() => fixture.told(id).includes('still_pending'))
  const event = fixture.events.find(({ type }) => type === 'transaction.still_pending')
  expect(event?.transaction_request).toEqual({
    to: RECIPIENT,
    value: '0x7',
    chain_id: 31337,
    nonce: 0,
    gas_limit: '0x5208',
    max_fee_per_gas: '0xb2d05e00',
    max_priority_fee_per_gas: '0x3b9aca00',
  })
  chain.mine()
  await until(() => fixture.status(id) === 'finalized')
  expect(fixture.told(id)).toEqual(['created', 'broadcasted', 'still_pending', 'confirmed'])
})

function replacementOf(id: string) {
  const asked = fixture.asked('w1', {})
  return { ...asked, request: { ...asked.request, path: `/v1/transactions/${id}/replace` } }
}

test('the pipeline refuses a replacement whose transaction a block includes while it is signed', async () => {
  chain.mines = false
  const { id, transaction_hash: hash } = await fixture.send('w1')
  fixture.signer.before = () => {
    chain.mine()
    return until(() => fixture.status(id) === 'finalized')
  }
  await expect(fixture.pipeline.replace(replacementOf(id), id, {})).rejects.toThrow(
    'the transaction is finalized: only a waiting one can be replaced',
  )
  expect(chain.taken.length).toBe(1)
  expect(fixture.pipeline.find('app', id)).toMatchObject({
    status: 'finalized',
    transaction_hash: hash,
  })
  expect(fixture.told(id)).toEqual(['created', 'broadcasted', 'confirmed'])
})

test('the pipeline replaces a transaction on request: the same nonce for an eighth more, until one is executed', async () => {
  chain.mines = false
  const first = await fixture.send('w1')
  const asked = replacementOf(first.id)
  await expect(
    fixture.pipeline.replace(asked, first.id, { max_fee_per_gas: '0xb2d05e01' }),
  ).rejects.toEqual(error('invalid_data'))
  const second = await fixture.pipeline.replace(asked, first.id, {})
  expect(second.id).toBe(first.id)
  expect(second.transaction_hash).not.toBe(first.transaction_hash)
  expect(fixture.signer.signed.map(({ filled }) => [filled.nonce, filled.maxFeePerGas])).toEqual([
    [0n, 3_000_000_000n],
    [0n, 3_375_000_001n],
  ])
  chain.mine()
  await until(() => fixture.status(first.id) === 'finalized')
  await expect(fixture.pipeline.replace(asked, first.id, {})).rejects.toEqual(error('invalid_data'))
  expect(chain.executed.map(({ hash }) => hash)).toEqual([second.transaction_hash])
  await expect(
    fixture.pipeline.replace({ ...asked, appId: 'other' }, first.id, {}),
  ).rejects.toEqual(error('not_found'))
})

test('the pipeline treats a transaction with the nonce of a pending one as its replacement', async () => {
  chain.mines = false
  const first = await fixture.send('w1')
  const second = await fixture.send('w1', {
    nonce: 0,
    max_fee_per_gas: 9_000_000_000,
    value: '0x1',
  })
  const third = await fixture.send('w1')
  chain.mine()
  await until(() => fixture.status(second.id) === 'finalized')
  await until(() => fixture.status(third.id) === 'finalized')
  expect(fixture.status(first.id)).toBe('replaced')
  expect(fixture.told(first.id)).toEqual(['created', 'broadcasted', 'replaced'])
  expect(nonces('w1')).toEqual([0, 1])
})

test('the pipeline keeps the pending transaction if its replacement is refused', async () => {
  chain.mines = false
  await fixture.send('w1')
  await expect(fixture.send('w1', { nonce: 0, value: '0x1' })).rejects.toEqual(
    error('transaction_broadcast_failure'),
  )
  await fixture.send('w1')
  expect([...chain.pool.values()].map(({ nonce }) => nonce)).toEqual([0, 1])
})

test('the pipeline refuses nonces that leave a gap or are used', async () => {
  const { id } = await fixture.send('w1')
  // The nonce of a pending transaction may be given, and replaces it.
  await until(() => fixture.status(id) === 'finalized')
  await expect(fixture.send('w1', { nonce: 3 })).rejects.toThrow(
    'nonce too high: next nonce 1, tx nonce 3',
  )
  await expect(fixture.send('w1', { nonce: 0 })).rejects.toThrow(
    'nonce too low: next nonce 1, tx nonce 0',
  )
  expect(fixture.signer.signed).toHaveLength(1)
})

test('the pipeline reports a transaction whose nonce another one used', async () => {
  chain.mines = false
  const { id } = await fixture.send('w1')
  const [ours] = chain.pool.values()
  chain.pool.clear()
  chain.blocks.push({
    hash: `0x${'f'.repeat(64)}`,
    transactions: ours === undefined ? [] : [{ ...ours, hash: `0x${'e'.repeat(64)}` }],
  })
  await until(() => fixture.status(id) === 'replaced')
  expect(fixture.told(id)).toEqual(['created', 'broadcasted', 'replaced'])
  await fixture.send('w1')
  expect([...chain.pool.values()].map(({ nonce }) => nonce)).toEqual([1])
})

test('the pipeline sends a transaction of a removed block again', async () => {
  chain.finalizedBehind = 2
  const { id } = await fixture.send('w1')
  await until(() => fixture.status(id) === 'confirmed')
  chain.reorganize(1)
  chain.mine()
  chain.mine()
  chain.mine()
  await until(() => chain.executed.length === 1)
  await until(() => fixture.status(id) === 'confirmed')
  chain.mine()
  chain.mine()
  await until(() => fixture.status(id) === 'finalized')
  expect(nonces('w1')).toEqual([0])
})

test('the pipeline sends a transaction that the pool lost again', async () => {
  chain.mines = false
  const sent = await Promise.all([fixture.send('w1'), fixture.send('w1'), fixture.send('w1')])
  chain.pool.clear()
  await until(() => chain.pool.size === 3)
  chain.mine()
  await until(() => sent.every(({ id }) => fixture.status(id) === 'finalized'))
  expect(nonces('w1')).toEqual([0, 1, 2])
})

test('the pipeline serves two chains with separate nonces, and lists them', async () => {
  const other = await WalletChain.start(1329)
  await fixture.close()
  fixture = await new PipelineFixture([chain, other]).open()
  try {
    await Promise.all([
      fixture.send('w1'),
      fixture.send('w1', {}, { chain: 1 }),
      fixture.send('w1', {}, { chain: 1 }),
    ])
    expect(nonces('w1')).toEqual([0])
    expect(other.executed.map(({ nonce }) => nonce)).toEqual([0, 1])
    await expect(fixture.send('w1', {}, { chain: 2 })).rejects.toEqual(error('invalid_data'))
    await expect(fixture.send('w1', { chain_id: 5 }, { chain: 2 })).rejects.toThrow(
      'eip155:5 is not configured: this service sends to eip155:31337, eip155:1329',
    )
    await expect(fixture.send('w1', { chain_id: 5 })).rejects.toEqual(error('invalid_data'))
  } finally {
    await fixture.close()
    await other.stop()
    fixture = await new PipelineFixture([chain]).open()
  }
})

test('the pipeline signs without sending, and uses no nonce for that', async () => {
  const body = { caip2: chain.caip2, params: { transaction: { to: RECIPIENT } } } as const
  const sign = () => fixture.pipeline.sign(fixture.asked('w1', body), 'w1', body)
  expect(await sign()).toBe(await sign())
  expect(chain.taken).toEqual([])
  await fixture.send('w1')
  await sign()
  expect(fixture.signer.signed.at(-1)?.filled.nonce).toBe(1n)
})

test('the pipeline fills the nonce of a delegation: the next one, or the one after if its sender executes it', async () => {
  await fixture.send('w1')
  const filled: unknown[] = []
  fixture.signer.sign = async (_, fields) => {
    filled.push(fields?.nonce)
    throw new WalletError('policy_violation')
  }
  const asked = fixture.asked('w1', {})
  for (const params of [{}, { executor: 'self' as const }, { nonce: 9 }]) {
    const body = { params: { chain_id: 31337, ...params } }
    await expect(fixture.pipeline.authorize(asked, 'w1', body)).rejects.toThrow()
  }
  expect(filled).toEqual([1n, 2n, undefined])
})

test('the pipeline lists the transactions of an app newest first, in pages', async () => {
  const sent = []
  for (let i = 0; i < 5; i++) sent.push((await fixture.send('w1', { value: i })).id)
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = fixture.pipeline.list('app', 'w1', { limit: 2, ...(cursor && { cursor }) })
    seen.push(...page.transactions.map(({ id }) => id))
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  expect([...seen].sort()).toEqual([...sent].sort())
  expect(fixture.pipeline.list('other', 'w1', {}).transactions).toEqual([])
  expect(fixture.pipeline.find('other', sent[0] as string)).toBeUndefined()
  expect(() => fixture.pipeline.list('app', 'w1', { cursor: 'x' })).toThrow(
    'cursor: pass next_cursor',
  )
})

test('the pipeline returns the balance of a wallet', async () => {
  expect(await fixture.pipeline.balances('app', 'w1')).toEqual([
    {
      caip2: 'eip155:31337',
      chain: 'eip155:31337',
      asset: 'eth',
      raw_value: '1500000000000000000',
      raw_value_decimals: 18,
      display_values: { eth: '1.5' },
    },
  ])
  await expect(fixture.pipeline.balances('app', 'missing')).rejects.toEqual(error('not_found'))
})
