import { beforeEach, describe, expect, test } from 'vitest'
import { EMPTY_BYTES } from '../../../../../host/base/bytes.ts'
import { formatData } from '../../../../../host/base/hex.ts'
import type { StateStore } from '../../../../../host/storage/store/state/state-store.ts'
import { keccak256, repeat, SENDER, transaction } from '../../../../support/chain/fake-chain.ts'
import { TestState } from '../../../../support/chain/test-state.ts'
import { RpcFixture } from '../rpc-fixture.ts'

const rpc = new RpcFixture()
const BLOCKS = 20
const sender = formatData(SENDER)

/** Nonces of the sender after each block: blocks 1 to 4 have one transaction each, 5 to 20 none, or several. */
const nonceAfter = (height: number) => BigInt(height <= 4 ? height : height < 18 ? 4 : 7)

function stateAfter(height: number): TestState {
  const state = new TestState(keccak256)
  state.setAccount(SENDER, nonceAfter(height), 9n, EMPTY_BYTES)
  return state
}

describe('eth_getTransactionBySenderAndNonce without an address index', () => {
  let reads: number
  beforeEach(() => {
    reads = 0
    const view = (height: number) => {
      reads++
      return stateAfter(height)
    }
    const { state } = rpc.node.context
    rpc.replaceNode({}, { state: Object.assign(Object.create(state), { view }) as StateStore })
    Object.defineProperty(rpc.node.context.state, 'evmWholeFrom', {
      get: () => rpc.node.stateEarliest,
    })
    for (let height = 1; height <= BLOCKS; height++) {
      const nonces: bigint[] = []
      for (let nonce = nonceAfter(height - 1); nonce < nonceAfter(height); nonce++) {
        // Nonce 5 was used by something else than a transaction.
        if (nonce !== 5n) nonces.push(nonce)
      }
      rpc.node.addBlock(nonces.map((nonce) => ({ transaction: transaction({ nonce }) })))
    }
  })

  const ask = (nonce: unknown) =>
    rpc.node.call('eth_getTransactionBySenderAndNonce', [sender, nonce])

  test('finds the block by the nonces of its states', async () => {
    for (const [nonce, blockNumber] of [
      ['0x0', '0x1'],
      [3, '0x4'],
      ['0x4', '0x12'],
      ['0x6', '0x12'],
    ]) {
      const hash = formatData(transaction({ nonce: BigInt(nonce as string) }).hash)
      reads = 0
      expect(await ask(nonce)).toMatchObject({ blockNumber, hash, from: sender })
      expect(reads).toBeLessThanOrEqual(7)
    }
  })

  test('returns null for a nonce that no transaction has used', async () => {
    expect(await ask('0x5')).toBeNull()
    expect(await ask('0x7')).toBeNull()
    const [other] = [formatData(repeat(0x99, 20))]
    expect(await rpc.node.call('eth_getTransactionBySenderAndNonce', [other, '0x0'])).toBeNull()
  })

  test('finds a pending transaction first', async () => {
    rpc.node.pool.announce(transaction({ nonce: 7n }))
    expect(await ask('0x7')).toMatchObject({ nonce: '0x7', blockNumber: null })
  })

  test('says which states are pruned', async () => {
    rpc.node.stateEarliest = 3
    expect(await ask('0x1')).toMatchObject({ error: { code: 4444, data: { earliest: 3 } } })
    expect(await ask('0x3')).toMatchObject({ blockNumber: '0x4' })
  })
})
