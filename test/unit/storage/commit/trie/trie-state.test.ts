import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { bytesKey, concatBytes, EMPTY_BYTES } from '../../../../../host/base/bytes.ts'
import { formatData } from '../../../../../host/base/hex.ts'
import type { StateDiff } from '../../../../../host/evm/engine/state-diff.ts'
import { EMPTY_CODE_HASH, encodeAccount } from '../../../../../host/evm/state/account.ts'
import { CommitHasher } from '../../../../../host/storage/commit/hash/commit-hasher.ts'
import { StateTrie } from '../../../../../host/storage/commit/trie/state-trie.ts'
import { EMPTY_ROOT } from '../../../../../host/storage/commit/trie/trie-node.ts'
import { TrieState } from '../../../../../host/storage/commit/trie/trie-state.ts'
import { MerkleState } from '../../../../support/chain/merkle-state.ts'
import { compileCommit } from '../../../../support/engine/commit-module.ts'

let hasher: CommitHasher

beforeAll(async () => {
  hasher = new CommitHasher(await compileCommit())
}, 60_000)

const address = fc.nat({ max: 7 }).map((byte) => new Uint8Array(20).fill(byte + 1))
const slot = fc.nat({ max: 5 }).map((byte) => new Uint8Array(32).fill(byte))
const word = fc.nat({ max: 3 }).map((byte) => {
  const value = new Uint8Array(32)
  value[31] = byte
  return value
})
const account = fc.record({
  nonce: fc.bigInt({ min: 0n, max: 2n }),
  balance: fc.bigInt({ min: 0n, max: 2n ** 70n }),
})

const change = fc.record({
  address,
  /** Undefined deletes the account. */
  account: fc.option(account, { nil: undefined, freq: 5 }),
  isCleared: fc.boolean(),
  slots: fc.array(fc.tuple(slot, word), { maxLength: 4 }),
})

/** Encodes a block's state diff in the engine's format; each account occurs once. */
function diffOf(
  changes: readonly (typeof change extends fc.Arbitrary<infer T> ? T : never)[],
): StateDiff {
  const distinct = new Map(changes.map((one) => [bytesKey(one.address), one]))
  const accounts: Uint8Array[] = []
  const cleared: Uint8Array[] = []
  const storage: Uint8Array[] = []
  for (const one of distinct.values()) {
    const record =
      one.account === undefined
        ? new Uint8Array(72)
        : encodeAccount({ ...one.account, codeHash: EMPTY_CODE_HASH })
    accounts.push(one.address, record)
    if (one.account === undefined) continue
    if (one.isCleared) cleared.push(one.address)
    const slots = new Map(one.slots.map(([key, value]) => [bytesKey(key), [key, value] as const]))
    for (const [key, value] of slots.values()) storage.push(one.address, key, value)
  }
  return {
    accounts: concatBytes(accounts),
    cleared: concatBytes(cleared),
    storage: concatBytes(storage),
    codes: [],
  }
}

const NOTHING = {
  account: () => undefined,
  storage: () => undefined,
  code: () => EMPTY_BYTES,
  blockHash: () => undefined,
}

describe('a state that is stored in its trie', () => {
  test('has the state root of the whole state hashed at once, block after block', () => {
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 6 }), { maxLength: 6 }), (blocks) => {
        const whole = new MerkleState(hasher, () => undefined)
        const state = new TrieState(NOTHING, { get: () => undefined }, keccak_256, EMPTY_ROOT)
        for (const changes of blocks) {
          const diff = diffOf(changes)
          whole.apply(diff)
          state.apply(diff)
          expect(formatData(state.root())).toBe(formatData(whole.root()))
          for (const { address: changed, slots } of changes) {
            // Skip the storage flag: this state sets it only if it matters
            const record = whole.account(changed)?.subarray(0, 72)
            expect(state.account(changed)?.subarray(0, 72)).toEqual(record)
            for (const [key] of slots) {
              expect(state.storage(changed, key)).toEqual(whole.storage(changed, key))
            }
          }
        }
        // The accumulated changes of all blocks must lead to the same root when applied at once
        const again = new StateTrie({ get: () => undefined }, keccak_256, EMPTY_ROOT)
        again.apply(state.diff())
        expect(formatData(again.root())).toBe(formatData(whole.root()))
      }),
      { numRuns: 300 },
    )
  })

  test('reports existing storage of an account at which code could be deployed (EIP-7610)', () => {
    const owner = new Uint8Array(20).fill(9)
    const state = new TrieState(NOTHING, { get: () => undefined }, keccak_256, EMPTY_ROOT)
    const record = encodeAccount({ nonce: 0n, balance: 1n, codeHash: EMPTY_CODE_HASH })
    const one = new Uint8Array(32).fill(1)
    const none = { accounts: EMPTY_BYTES, cleared: EMPTY_BYTES, storage: EMPTY_BYTES, codes: [] }
    state.apply({ ...none, accounts: concatBytes([owner, record]) })
    expect(state.account(owner)).toEqual(record)
    state.apply({ ...none, storage: concatBytes([owner, one, one]) })
    expect(state.account(owner)).toEqual(concatBytes([record, Uint8Array.of(1)]))
    state.apply({ ...none, storage: concatBytes([owner, one, new Uint8Array(32)]) })
    expect(state.account(owner)).toEqual(record)
  })
})
