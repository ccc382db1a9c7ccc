import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../../../support/until.ts'
import { PipelineFixture } from '../../../support/wallet/pipeline-fixture.ts'
import { WalletChain } from '../../../support/wallet/wallet-chain.ts'

let chain: WalletChain
let fixture: PipelineFixture

beforeEach(async () => {
  chain = await WalletChain.start()
  chain.isDevelopment = true
  fixture = await new PipelineFixture([chain]).open()
})

afterEach(async () => {
  await fixture.close()
  await chain.stop()
})

const nonces = () => chain.executed.map(({ nonce }) => nonce)

/** Sends a transaction, and waits until it is final. */
async function sendFinal(): Promise<string> {
  const { id } = await fixture.send('wallet')
  await until(() => fixture.status(id) === 'finalized')
  return id
}

describe('after a revert of a development chain the pipeline', () => {
  test('reuses the nonces of the removed blocks at once', async () => {
    const kept = await sendFinal()
    const removed = [await sendFinal(), await sendFinal()]
    chain.reorganize(2)
    const { id } = await fixture.send('wallet')
    await until(() => fixture.status(id) === 'finalized')
    expect(nonces()).toEqual([0, 1])
    expect([kept, ...removed].map((each) => fixture.status(each))).toEqual([
      'finalized',
      'failed',
      'failed',
    ])
  })

  test('marks the removed transactions as failed with the reason, and does not send them again', async () => {
    const id = await sendFinal()
    const { length } = chain.taken
    chain.reorganize(1)
    await until(() => fixture.status(id) === 'failed')
    expect(fixture.told(id).at(-1)).toBe('failed')
    expect(fixture.events.at(-1)).toMatchObject({
      transaction_id: id,
      problem: 'the development chain was rolled back: block 1, which contained it, was removed',
    })
    chain.mine()
    const { length: asked } = chain.calls
    await until(() => chain.calls.length > asked + 6)
    expect(chain.taken).toHaveLength(length)
  })

  test('detects the revert in the next process too', async () => {
    const removed = await sendFinal()
    await fixture.pipeline.close()
    chain.reorganize(1)
    await fixture.open()
    await until(() => fixture.status(removed) === 'failed')
    const { id } = await fixture.send('wallet')
    await until(() => fixture.status(id) === 'finalized')
    expect(nonces()).toEqual([0])
  })

  test('detects other blocks at the same height', async () => {
    const removed = await sendFinal()
    const kept = await sendFinal()
    chain.reorganize(2)
    chain.mine()
    chain.mine()
    chain.mine()
    const { id } = await fixture.send('wallet')
    await until(() => fixture.status(id) === 'finalized')
    expect(nonces()).toEqual([0])
    expect([removed, kept].map((each) => fixture.status(each))).toEqual(['failed', 'failed'])
  })

  test('fails transactions above a missing nonce, and keeps executable ones', async () => {
    await sendFinal()
    await sendFinal()
    chain.mines = false
    const stranded = await fixture.send('wallet')
    chain.reorganize(2)
    chain.pool.clear()
    await until(() => fixture.status(stranded.id) === 'failed')
    const next = await fixture.send('wallet')
    const after = await fixture.send('wallet')
    expect([next, after].map(({ id }) => fixture.status(id))).toEqual([
      'broadcasted',
      'broadcasted',
    ])
    chain.mine()
    await until(() => fixture.status(after.id) === 'finalized')
    expect(nonces()).toEqual([0, 1])
  })

  test('lets the same idempotency key send again', async () => {
    const headers = { 'wallet-idempotency-key': 'once' }
    const first = await fixture.send('wallet', {}, { headers })
    await until(() => fixture.status(first.id) === 'finalized')
    chain.reorganize(1)
    await until(() => fixture.status(first.id) === 'failed')
    const second = await fixture.send('wallet', {}, { headers })
    expect(second.id).not.toBe(first.id)
    await until(() => fixture.status(second.id) === 'finalized')
  })
})

test('on a chain without manual blocks, final transactions stay final, whatever its node says', async () => {
  await fixture.close()
  chain.isDevelopment = false
  fixture = await new PipelineFixture([chain]).open()
  const ids = [await sendFinal(), await sendFinal()]
  chain.reorganize(2)
  chain.mine()
  const { id } = await fixture.send('wallet')
  // A lagging node is corrected: this is the nonce after the last one known to be executed.
  expect(chain.taken.at(-1)?.nonce).toBe(2)
  expect(ids.map((each) => fixture.status(each))).toEqual(['finalized', 'finalized'])
  expect(fixture.status(id)).toBe('broadcasted')
})
