import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeRandom, runSeed } from '../../../support/random.ts'
import { FakeRefusal } from '../../../support/rpc/fake-node.ts'
import { until } from '../../../support/until.ts'
import { PipelineFixture } from '../../../support/wallet/pipeline-fixture.ts'
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

const error = (code: string) => expect.objectContaining({ code })
const SEND = 'eth_sendRawTransaction'

test('the pipeline signs nothing while the node is unreachable, and names it', async () => {
  chain.isAway = true
  await expect(fixture.send('w1')).rejects.toEqual(error('chain_unreachable'))
  expect(fixture.signer.signed).toEqual([])
  expect(fixture.pipeline.list('app', 'w1', {}).transactions).toEqual([])
})

test('the pipeline returns a signed transaction if the node disconnects, and sends it until it is accepted', async () => {
  chain.mines = false
  chain.after = ({ method }, result) => {
    if (method !== SEND) return result
    chain.isAway = true
    return 'lost'
  }
  const { id, status, transaction_hash } = await fixture.send('w1')
  expect(status).toBe('pending')
  expect(transaction_hash).toMatch(/^0x/)
  chain.after = (_, result) => result
  chain.pool.clear()
  chain.isAway = false
  await until(() => fixture.status(id) === 'broadcasted')
  chain.mine()
  await until(() => fixture.status(id) === 'finalized')
  expect(chain.executed.map(({ hash }) => hash)).toEqual([transaction_hash])
})

test('the pipeline signs no second transaction before a node has accepted the first', async () => {
  chain.before = ({ method }) =>
    method === SEND ? new FakeRefusal(-32005, 'limit exceeded') : undefined
  const { id } = await fixture.send('w1')
  await expect(fixture.send('w1')).rejects.toThrow(
    `an earlier transaction of the wallet, ${id}, is waiting for the chain's node: limit exceeded`,
  )
  chain.before = () => undefined
  await fixture.send('w1')
  await until(() => chain.executed.length === 2)
  expect(chain.executed.map(({ nonce }) => nonce)).toEqual([0, 1])
})

test('the pipeline drops a transaction that a node refuses with an unknown error, and reuses its nonce', async () => {
  await fixture.close()
  fixture = await new PipelineFixture([chain], { times: { giveUpMs: 20 } }).open()
  chain.before = ({ method }) =>
    method === SEND ? new FakeRefusal(-32603, 'internal error') : undefined
  const { id } = await fixture.send('w1')
  await until(() => fixture.status(id) === 'provider_error')
  expect(fixture.told(id)).toEqual(['created', 'provider_error'])
  chain.before = () => undefined
  await fixture.send('w1')
  expect(chain.executed.map(({ nonce }) => nonce)).toEqual([0])
})

test('the pipeline corrects a dropped transaction that is in a block after all', async () => {
  chain.after = ({ method }, result) =>
    method === SEND ? new FakeRefusal(-32000, 'intrinsic gas too low') : result
  chain.before = ({ method }) => (method === 'eth_getTransactionByHash' ? null : undefined)
  const failure = await fixture.send('w1').catch((thrown) => thrown)
  expect(failure).toEqual(error('transaction_broadcast_failure'))
  chain.after = (_, result) => result
  await fixture.send('w1', { value: '0x1' })
  await until(() => fixture.status(failure.details.transaction_id) === 'finalized')
  expect(chain.executed.map(({ nonce }) => nonce)).toEqual([0, 1])
})

test('the pipeline does not reuse a nonce if a node lags', async () => {
  for (let i = 0; i < 3; i++) await fixture.send('w1')
  await until(() =>
    fixture.pipeline.list('app', 'w1', {}).transactions.every((one) => one.status === 'finalized'),
  )
  chain.before = ({ method }) => (method === 'eth_getTransactionCount' ? '0x1' : undefined)
  await fixture.send('w1')
  expect(chain.executed.map(({ nonce }) => nonce)).toEqual([0, 1, 2, 3])
})

test('the pipeline fills the gap that a node ahead of the chain caused', async () => {
  await fixture.close()
  fixture = await new PipelineFixture([chain], { times: { trustMs: 0 } }).open()
  chain.mines = false
  chain.before = ({ method }) => (method === 'eth_getTransactionCount' ? '0x2' : undefined)
  const ahead = await fixture.send('w1')
  chain.before = () => undefined
  await fixture.send('w1')
  await fixture.send('w1')
  chain.mine()
  await until(() => fixture.status(ahead.id) === 'finalized')
  expect(chain.executed.map(({ nonce }) => nonce)).toEqual([0, 1, 2])
})

test.each(['nonsense', '{}', '[]', 'null', '{"jsonrpc":"2.0","id":0}', '<html>'])(
  'the pipeline treats %s as no answer',
  async (text) => {
    const sent = await fixture.send('w1')
    await until(() => fixture.status(sent.id) === 'finalized')
    chain.garbage = text
    await expect(fixture.send('w1')).rejects.toEqual(error('chain_unreachable'))
    chain.garbage = undefined
    await fixture.send('w1')
    expect(chain.executed.map(({ nonce }) => nonce)).toEqual([0, 1])
  },
)

const seed = runSeed()

test(`the pipeline loses nothing and sends nothing twice over a node that fails and lies at random (seed ${seed})`, async () => {
  const random = makeRandom(seed)
  chain.mines = false
  let isBad = true
  chain.before = ({ method }) => {
    if (!isBad || random() < 0.8) return undefined
    if (method === SEND)
      return new FakeRefusal(
        -32000,
        ['txpool is full', 'nonce too low'][random() < 0.5 ? 0 : 1] ?? '',
      )
    if (method === 'eth_getTransactionCount') return random() < 0.5 ? '0x0' : 'garbage'
    return random() < 0.5 ? null : {}
  }
  chain.after = (_, result) => (isBad && random() < 0.1 ? 'garbage' : result)
  const wallets = ['w1', 'w2', 'w3']
  const accepted: string[] = []
  for (let i = 0; i < 60; i++) {
    if (random() < 0.3) chain.mine()
    await fixture.send(wallets[i % 3] as string, { value: i }).then(
      ({ id }) => accepted.push(id),
      () => {},
    )
  }
  isBad = false
  await until(async () => {
    chain.mine()
    return accepted.every((id) => fixture.status(id) === 'finalized')
  })
  for (const walletId of wallets) {
    const own = chain.executed.filter(({ from }) => from === walletAddress(walletId))
    expect(own.map(({ nonce }) => nonce)).toEqual(own.map((_, i) => i))
  }
  expect(chain.executed).toHaveLength(accepted.length)
}, 60_000)
