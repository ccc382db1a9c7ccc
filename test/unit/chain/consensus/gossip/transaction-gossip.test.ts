import { beforeEach, describe, expect, test } from 'vitest'
import { LockstepError } from '../../../../../host/base/error.ts'
import { TransactionGossip } from '../../../../../host/chain/consensus/gossip/transaction-gossip.ts'
import { encodeFrom, type TransactionFields } from '../../../../support/engine/unsigned-sender.ts'
import { ALICE, BOB, CAROL } from '../../../../support/node/test-pool.ts'
import { until } from '../../../../support/until.ts'
import { AgreedChain, connectAll, GossipNode, makeBlock, settleAll } from './gossip-node.ts'

let chain: AgreedChain
beforeEach(() => {
  chain = new AgreedChain()
})

const from = (who: Uint8Array, fields: TransactionFields = {}) => encodeFrom(who, fields)
const ask = (node: GossipNode, transaction: Uint8Array, isRecheck = false) =>
  node.gossip.check({ transaction, isRecheck })

/** Creates nodes that are all connected with each other. */
function network(count: number, options: ConstructorParameters<typeof GossipNode>[1] = {}) {
  const nodes = Array.from({ length: count }, () => new GossipNode(chain, options))
  connectAll(nodes)
  return nodes as [GossipNode, GossipNode, ...GossipNode[]]
}

describe('the CheckTx answer to CometBFT', () => {
  test('accepts a valid transaction with its gas, and one that is already in the pool', async () => {
    const node = new GossipNode(chain)
    const raw = from(ALICE, { gas: 30_000n })
    const kept = { code: 0, codespace: '', log: '', gasWanted: 30_000n }
    expect(await ask(node, raw)).toEqual(kept)
    expect(await ask(node, raw)).toEqual(kept)
    expect(node.pool.counts).toEqual({ pending: 1, queued: 0 })
  })

  test('has the error of the mempool, and refuses bytes that are not a transaction', async () => {
    const node = new GossipNode(chain)
    chain.nonces.set('01'.padStart(40, '0'), 3n)
    expect(await ask(node, from(ALICE, { nonce: 1n }))).toEqual({
      code: 1,
      codespace: 'evm',
      log: 'nonce too low: next nonce 3, tx nonce 1',
      gasWanted: 0n,
    })
    for (const bytes of [new Uint8Array(), Uint8Array.of(2), new Uint8Array(300).fill(0xff)]) {
      expect(await ask(node, bytes)).toMatchObject({ code: 1, codespace: 'evm' })
    }
    expect(node.pool.size).toBe(0)
  })

  test('refuses a transaction that cannot be journaled, and reports a fatal error', async () => {
    const node = new GossipNode(chain)
    const failing = (error: Error) => {
      node.pool.add = () => Promise.reject(error)
      return ask(node, from(ALICE))
    }
    const full = new LockstepError('STORE_FULL', 'cannot write to mempool.journal')
    expect(await failing(full)).toMatchObject({ code: 1, log: 'cannot write to mempool.journal' })
    const dead = new LockstepError('ENGINE_FAULT', 'the recovery thread died')
    await expect(failing(dead)).rejects.toBe(dead)
  })

  test('accepts a repeated transaction only after the first one would survive a crash', async () => {
    const node = new GossipNode(chain)
    const raw = from(ALICE)
    let finish = () => {}
    const written = new Promise<void>((resolve) => {
      finish = resolve
    })
    node.pool.persisted = () => written
    await node.pool.add(raw)
    let isAnswered = false
    const answer = ask(node, raw).then((response) => {
      isAnswered = true
      return response
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isAnswered).toBe(false)
    finish()
    expect(await answer).toMatchObject({ code: 0 })
  })

  test('keeps a transaction with a nonce gap here, and gossips it after the gap is filled', async () => {
    const [a, b] = network(2)
    const [first, second] = [from(ALICE), from(ALICE, { nonce: 1n })]
    await a.pool.add(second)
    expect(await ask(a, second)).toMatchObject({
      code: 1,
      log: 'nonce too high: it waits here for nonce 0, tx nonce 1',
    })
    await settleAll([a, b])
    expect([a.comet.transactions, b.pool.size]).toEqual([[], 0])
    await b.pool.add(first)
    await settleAll([a, b])
    expect(a.comet.transactions).toEqual([first, second])
    expect(b.comet.transactions).toEqual([first, second])
    expect(b.pool.counts).toEqual({ pending: 2, queued: 0 })
  })

  test('is a lookup for a recheck: no sender is recovered, and a removed transaction leaves CometBFT', async () => {
    const [a, b] = network(2)
    await a.pool.add(from(ALICE))
    await b.pool.add(from(BOB))
    await settleAll([a, b])
    const block = await makeBlock(chain, a, [a, b])
    expect(block).toHaveLength(2)
    await a.pool.add(from(CAROL))
    await settleAll([a, b])
    a.pool.add = () => Promise.reject(new Error('a recheck adds nothing'))
    expect(await ask(a, from(CAROL), true)).toMatchObject({ code: 0 })
    expect(await ask(a, from(ALICE), true)).toEqual({
      code: 1,
      codespace: 'evm',
      log: 'it has left the mempool',
      gasWanted: 0n,
    })
  })
})

describe('a transaction of one node', () => {
  test('reaches all nodes in nonce order, and CometBFT does not receive its own transactions back', async () => {
    const nodes = network(4)
    const raws = Array.from({ length: 50 }, (_, i) => from(ALICE, { nonce: BigInt(i) }))
    for (const raw of raws) await nodes[0].pool.add(raw)
    await settleAll(nodes)
    for (const { comet, pool, gossip } of nodes) {
      expect(comet.transactions).toEqual(raws)
      expect(pool.counts).toEqual({ pending: 50, queued: 0 })
      expect(gossip.waiting).toBe(0)
    }
  })

  test('that replaces another removes it from all gossip after the next block', async () => {
    const nodes = network(3) as [GossipNode, GossipNode, GossipNode]
    const dear = from(BOB, { nonce: 0n })
    const [old, better] = [
      from(ALICE, { nonce: 1n }),
      from(ALICE, { nonce: 1n, maxFeePerGas: 200n, maxPriorityFeePerGas: 2n }),
    ]
    await nodes[0].pool.add(from(ALICE))
    await nodes[0].pool.add(old)
    await settleAll(nodes)
    await nodes[1].pool.add(better)
    await nodes[2].pool.add(dear)
    await settleAll(nodes)
    for (const { pool } of nodes) expect(pool.counts).toEqual({ pending: 3, queued: 0 })
    // A block that contains none of them.
    for (const node of nodes) node.propose = () => []
    await makeBlock(chain, nodes[0], nodes)
    for (const { comet } of nodes) {
      expect(comet.transactions).not.toContainEqual(old)
      expect(comet.transactions).toContainEqual(better)
    }
  })

  test('is sent again in order after CometBFT was down, and so is the whole pool after it restarted', async () => {
    const node = new GossipNode(chain)
    const [first, second, third] = [0n, 1n, 2n].map((nonce) => from(ALICE, { nonce })) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ]
    node.comet.isUp = false
    await node.pool.add(first)
    await node.pool.add(second)
    await until(() => node.unsent.length > 0)
    expect(node.unsent).toEqual(['connect ENOENT rpc.sock'])
    expect(node.gossip.waiting).toBe(2)
    await node.pool.add(third)
    node.comet.restart()
    node.gossip.sendAll()
    await settleAll([node])
    expect(node.comet.transactions).toEqual([first, second, third])
    node.comet.restart()
    node.gossip.sendAll()
    await settleAll([node])
    expect(node.comet.transactions).toEqual([first, second, third])
  })

  test('that was restored from the journal is sent at the start', async () => {
    const before = new GossipNode(chain)
    await before.pool.add(from(ALICE))
    const handed: Uint8Array[] = []
    const gossip = new TransactionGossip({
      pool: before.pool,
      keccak256: (bytes) => bytes,
      broadcast: async (raws) => {
        handed.push(...raws)
        return raws.map(() => ({ kind: 'taken' }))
      },
      height: 0,
      onRefused: () => {},
      onUnsent: () => {},
    })
    await until(() => handed.length > 0)
    gossip.close()
    expect(handed).toEqual([from(ALICE)])
  })

  test('waits if the mempool of CometBFT is full and ours is not, and is sent after the next block', async () => {
    const nodes = network(2, { cometSize: 3 })
    for (let nonce = 0n; nonce < 3n; nonce++) await nodes[0].pool.add(from(ALICE, { nonce }))
    await settleAll(nodes)
    for (let nonce = 3n; nonce < 5n; nonce++) await nodes[0].pool.add(from(ALICE, { nonce }))
    await until(() => nodes[0].comet.refusedFull > 0)
    expect(nodes[0].gossip.waiting).toBe(2)
    expect(nodes[1].pool.size).toBe(3)
    // Its own proposal includes what its CometBFT had no room for.
    expect(nodes[0].propose()).toHaveLength(5)
    expect(await makeBlock(chain, nodes[1], nodes)).toHaveLength(3)
    await settleAll(nodes)
    expect(nodes[1].pool.size).toBe(2)
  })

  test('that CometBFT accepted and silently evicted is sent again', async () => {
    const nodes = network(2, { cometSize: 3 })
    for (let nonce = 0n; nonce < 5n; nonce++) await nodes[0].pool.add(from(ALICE, { nonce }))
    await settleAll(nodes)
    expect([nodes[0].gossip.waiting, nodes[1].pool.size]).toEqual([0, 3])
    const taken: number[] = []
    for (let block = 1; block <= 4; block++) {
      taken.push((await makeBlock(chain, nodes[1], nodes)).length)
      await settleAll(nodes)
    }
    expect(taken).toEqual([3, 0, 2, 0])
  })

  test('that CometBFT can never accept is dropped with the reason', async () => {
    const node = new GossipNode(chain)
    node.gossip.close()
    const refused: string[] = []
    const gossip = new TransactionGossip({
      pool: node.pool,
      keccak256: (bytes) => bytes,
      broadcast: async (raws) => raws.map(() => ({ kind: 'refused', reason: 'Tx too large' })),
      height: 0,
      onRefused: (_, reason) => refused.push(reason),
      onUnsent: () => {},
    })
    await node.pool.add(from(ALICE))
    await until(() => refused.length > 0)
    gossip.close()
    expect([refused, node.pool.size]).toEqual([['Tx too large'], 0])
  })
})

describe('a peer that refused a transaction because it was full', () => {
  test('receives the transaction again after a block made room', async () => {
    const [full, validator] = network(2)
    // The peer's state is one block behind: the sender has no balance there yet.
    const { add } = validator.pool
    validator.pool.add = () =>
      Promise.reject(new LockstepError('TRANSACTION_REJECTED', 'insufficient funds'))
    await full.pool.add(from(ALICE))
    await settleAll([full, validator])
    expect(validator.comet.refused).toEqual(['insufficient funds'])
    validator.pool.add = add
    const taken: number[] = []
    for (let block = 1; block <= 3; block++) {
      taken.push((await makeBlock(chain, validator, [full, validator])).length)
      await settleAll([full, validator])
    }
    expect(taken).toEqual([0, 0, 1])
  })

  test('does not receive it again while blocks are full', async () => {
    const nodes = network(2, { gasLimit: 42_000n })
    const [full, validator] = nodes
    for (let nonce = 0n; nonce < 12n; nonce++) {
      await full.pool.add(from(ALICE, { nonce, maxPriorityFeePerGas: 50n }))
    }
    await full.pool.add(from(BOB))
    await settleAll(nodes)
    validator.comet.refused = []
    let handed = 0
    const { receive } = full.comet
    full.comet.receive = (raw, peer) => {
      if (peer === undefined) handed++
      return receive.call(full.comet, raw, peer)
    }
    for (let block = 0; block < 6; block++) {
      expect(await makeBlock(chain, validator, nodes)).toHaveLength(2)
      await settleAll(nodes)
    }
    expect(handed).toBe(0)
    expect(await makeBlock(chain, validator, nodes)).toHaveLength(1)
  })
})
