import { afterEach, beforeEach, expect, test } from 'vitest'
import { bigintToBytes } from '../../../../../host/base/bytes.ts'
import { formatData } from '../../../../../host/base/hex.ts'
import type { StateDiff } from '../../../../../host/evm/engine/state-diff.ts'
import { FakeNode, keccak256, repeat } from '../../../../support/chain/fake-chain.ts'
import { TestState } from '../../../../support/chain/test-state.ts'
import { failedCallAnswer } from '../rpc-fixture.ts'

// What debug_ methods return for the states of our own chain, which has no trie. Those of an imported chain are
// compared with geth's in test/clients/geth.slow.test.ts.

const [PAYER, PAYEE, CONTRACT, GONE, SAME] = [1, 2, 3, 4, 5].map((byte) => repeat(byte, 20)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const SLOT = repeat(9, 32)
const NO_CODE = new Uint8Array()

let node: FakeNode
/** States by height. */
let states: TestState[]

function diffOf(accounts: readonly Uint8Array[], slots: readonly Uint8Array[] = []): StateDiff {
  const rows = accounts.map((address) => [...address, ...repeat(1, 72)])
  const storage = slots.map((address) => [...address, ...SLOT, ...repeat(1, 32)])
  return {
    accounts: Uint8Array.from(rows.flat()),
    cleared: new Uint8Array(),
    storage: Uint8Array.from(storage.flat()),
    codes: [],
  }
}

beforeEach(() => {
  states = [0, 1, 2].map((height) => {
    const state = new TestState(keccak256)
    state.setAccount(PAYER, BigInt(height), 100n - BigInt(height), NO_CODE)
    if (height > 0) state.setAccount(PAYEE, 0n, 1n, NO_CODE)
    if (height < 2) state.setAccount(GONE, 0n, 7n, NO_CODE)
    state.setAccount(SAME, 0n, 7n, NO_CODE)
    state.setAccount(CONTRACT, 1n, 0n, Uint8Array.of(0))
    state.setStorage(CONTRACT, SLOT, bigintToBytes(BigInt(height === 2 ? 5 : 4), 32))
    return state
  })
  const diffs = [diffOf([PAYER, PAYEE, SAME]), diffOf([PAYER, GONE], [CONTRACT])]
  node = new FakeNode({}, { replay: async (height) => diffs[height - 1] as StateDiff })
  node.context.state.view = (height) => states[height] as TestState
  node.addBlock([])
  node.addBlock([])
})

afterEach(() => {
  node.close()
  expect(node.defects).toEqual([])
})

const inOrderOfHashes = (...addresses: Uint8Array[]): string[] =>
  addresses
    .map((address) => [formatData(keccak256(address)), formatData(address)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, address]) => address)

test('the accounts that blocks changed are found by executing the blocks again', async () => {
  const ask = (...params: unknown[]) => node.call('debug_getModifiedAccountsByNumber', params)
  expect(await ask(1)).toEqual(inOrderOfHashes(PAYER, PAYEE))
  expect(await ask(2)).toEqual(inOrderOfHashes(PAYER, CONTRACT))
  expect(await ask(0, 2)).toEqual(inOrderOfHashes(PAYER, PAYEE, CONTRACT))
  const hash = formatData(node.chain.header(1)?.hash as Uint8Array)
  expect(await node.call('debug_getModifiedAccountsByHash', [hash])).toEqual(await ask(1))
})

test('an invalid block range is refused with the name of the block', async () => {
  const ask = (...params: unknown[]) => node.call('debug_getModifiedAccountsByNumber', params)
  expect(await ask(0)).toEqual(failedCallAnswer('block 0 has no parent'))
  expect(await ask(2, 1)).toEqual(
    failedCallAnswer('start block height (2) must be less than end block height (1)'),
  )
  expect(await ask(26)).toEqual(failedCallAnswer('start block 1a not found'))
  expect(await ask(1, 26)).toEqual(failedCallAnswer('end block 26 not found'))
})

test('a method that needs a trie names an alternative', async () => {
  const word = `0x${'12'.repeat(32)}`
  expect(await node.call('debug_preimage', [word])).toEqual(
    failedCallAnswer(
      'preimages are unavailable on this chain: its state is not keyed by hashes; debug_traceTransaction with keccak256PreimageTracer returns those of a transaction',
    ),
  )
  expect(await node.call('debug_executionWitness', ['0x1'])).toEqual(
    failedCallAnswer(
      'witnesses are unavailable on this chain: its state is not a Merkle Patricia trie; debug_traceBlockStateAccess returns everything that a block read, for an offline replay',
    ),
  )
  const ordered = 'on this chain: its state is not ordered by hash'
  expect(await node.call('debug_dumpBlock', ['latest'])).toEqual(
    failedCallAnswer(
      `accounts cannot be listed ${ordered}; \`lockstep debug dump-db\` writes all rows of a stopped node`,
    ),
  )
  const range = ['latest', '0x', 1, true, true, true]
  expect(await node.call('debug_accountRange', range)).toEqual(
    await node.call('debug_dumpBlock', ['latest']),
  )
  const slots = ['0x1', 0, formatData(CONTRACT), '0x', 10]
  expect(await node.call('debug_storageRangeAt', slots)).toEqual(
    failedCallAnswer(
      `slots cannot be listed ${ordered}; debug_traceTransaction with prestateTracer returns those that a transaction touched`,
    ),
  )
})
