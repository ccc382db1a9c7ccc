import { keccak_256 } from '@noble/hashes/sha3.js'
import { expect, test } from 'vitest'
import { bigintToBytes } from '../../../host/base/bytes.ts'
import { RecordingView } from '../../../host/state/recorded-state.ts'
import { answerReads, newStateArea, RemoteState } from '../../../host/trace-pool/state-port.ts'
import { TestState } from '../../support/test-state.ts'

const HOLDER = bigintToBytes(1n, 20)
const NOBODY = bigintToBytes(2n, 20)
const word = (value: bigint) => bigintToBytes(value, 32)

/** A remote state whose other side answers at once, and what that side was asked. */
function open() {
  const state = new TestState(keccak_256, () => undefined)
  state.setAccount(HOLDER, 1n, 5n, Uint8Array.of(0))
  state.setStorage(HOLDER, word(7n), word(8n))
  const asked = new RecordingView(state)
  const area = newStateArea()
  return {
    state,
    remote: new RemoteState(area, () => answerReads(asked, area)),
    reads: asked.reads,
  }
}

test('reads what the other side holds', () => {
  const { state, remote, reads } = open()
  expect(remote.account(HOLDER)).toEqual(state.account(HOLDER))
  expect(remote.storage(HOLDER, word(7n))).toEqual(word(8n))
  expect(remote.storage(HOLDER, word(9n))).toBeUndefined()
  expect(reads.slots.size).toBe(2)
})

test('asks for no storage of an account that is not there', () => {
  const { remote, reads } = open()
  expect(remote.account(NOBODY)).toBeUndefined()
  expect(remote.storage(NOBODY, word(7n))).toBeUndefined()
  expect(reads.slots.size).toBe(0)
  remote.readAhead([bigintToBytes(3n, 20)])
  expect(remote.account(bigintToBytes(3n, 20))).toBeUndefined()
  expect(remote.storage(bigintToBytes(3n, 20), word(7n))).toBeUndefined()
  expect(reads.slots.size).toBe(0)
})
