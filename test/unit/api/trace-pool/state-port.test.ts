import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, test } from 'vitest'
import { WorkerState } from '../../../../host/api/trace-pool/remote-state.ts'
import {
  newStateArea,
  StateAnswers,
  StatePort,
} from '../../../../host/api/trace-pool/state-port.ts'
import { bigintToBytes } from '../../../../host/base/bytes.ts'
import { LockstepError } from '../../../../host/base/error.ts'
import { MissingState } from '../../../../host/evm/state/missing-state.ts'
import { RecordingView } from '../../../../host/evm/state/recorded-state.ts'
import { TestState } from '../../../support/chain/test-state.ts'
import { until } from '../../../support/until.ts'

const HOLDER = bigintToBytes(1n, 20)
const NOBODY = bigintToBytes(2n, 20)
const word = (value: bigint) => bigintToBytes(value, 32)

/** Returns a remote state whose other side answers at once, and the reads of that side. */
function open() {
  const state = new TestState(keccak_256, () => undefined)
  state.setAccount(HOLDER, 1n, 5n, Uint8Array.of(0))
  state.setStorage(HOLDER, word(7n), word(8n))
  const asked = new RecordingView(state)
  const area = newStateArea()
  const answers = new StateAnswers(area)
  const port = new StatePort(area, (number) => answers.answer(number, () => asked))
  return {
    state,
    remote: new WorkerState(port, 0),
    reads: asked.reads,
  }
}

test('a state port reads the values of the other side', () => {
  const { state, remote, reads } = open()
  expect(remote.account(HOLDER)).toEqual(state.account(HOLDER))
  expect(remote.storage(HOLDER, word(7n))).toEqual(word(8n))
  expect(remote.storage(HOLDER, word(9n))).toBeUndefined()
  expect(reads.slots.size).toBe(2)
})

test('a state port requests no storage of a missing account', () => {
  const { remote, reads } = open()
  expect(remote.account(NOBODY)).toBeUndefined()
  expect(remote.storage(NOBODY, word(7n))).toBeUndefined()
  expect(reads.slots.size).toBe(0)
  remote.prefetchAccounts([bigintToBytes(3n, 20)])
  expect(remote.account(bigintToBytes(3n, 20))).toBeUndefined()
  expect(remote.storage(bigintToBytes(3n, 20), word(7n))).toBeUndefined()
  expect(reads.slots.size).toBe(0)
})

describe('a run with missing state', () => {
  const slots = [7n, 9n].map(
    (slot) => ({ kind: 'storage', address: HOLDER, slot: word(slot) }) as const,
  )

  /** Returns what the requesting side finds after the answer: the status word and the number of answered reads. */
  async function answered(fetch: () => Promise<void>, isHere: () => boolean) {
    const area = newStateArea()
    const control = new Int32Array(area, 0, 6)
    const answers = new StateAnswers(area)
    const view = new TestState(keccak_256, () => undefined)
    view.setAccount(HOLDER, 1n, 5n, Uint8Array.of(0))
    view.storage = (_, slot) => {
      if (isHere()) return slot
      throw new MissingState('a slot', fetch)
    }
    const port = new StatePort(area, (number) => {
      answers.answer(number, () => view)
      // A real thread would block here. Its side is checked below.
      throw new RangeError('asked')
    })
    expect(() => port.ask(0, slots)).toThrow('asked')
    expect(control[3]).toBe(0)
    await until(() => control[3] === 1)
    return control[4]
  }

  test('resumes after the values have arrived, all fetched in one batch', async () => {
    let fetches = 0
    let isHere = false
    const fetch = async () => {
      fetches++
      isHere = true
    }
    expect(await answered(fetch, () => isHere)).toBe(0)
    expect(fetches).toBe(2)
  })

  test('fails if the values do not arrive', async () => {
    const fetch = () => Promise.reject(new LockstepError('NODE_UNREACHABLE', 'the node is gone'))
    expect(await answered(fetch, () => false)).toBe(1)
  })
})

describe('a state port that is out of step', () => {
  const slot = { kind: 'storage', address: HOLDER, slot: word(7n) } as const
  const nothing = new TestState(keccak_256, () => undefined)
  const none = () => nothing

  test('refuses a read that was already answered', () => {
    const area = newStateArea()
    const answers = new StateAnswers(area)
    new StatePort(area, (number) => answers.answer(number, none)).ask(0, [slot])
    expect(() => answers.answer(1, none)).toThrow('notified of reads 1, found 1 after 1')
  })

  test('refuses reads other than the pending ones', () => {
    const area = newStateArea()
    const answers = new StateAnswers(area)
    expect(() => answers.answer(1, none)).toThrow('notified of reads 1, found 0 after 0')
    const port = new StatePort(area, (number) => answers.answer(number + 1, none))
    expect(() => port.ask(0, [slot])).toThrow('notified of reads 2, found 1 after 0')
  })

  test('refuses the reads of a finished run', () => {
    const area = newStateArea()
    const answers = new StateAnswers(area)
    const port = new StatePort(area, (number) => answers.answer(number, () => undefined))
    expect(() => port.ask(3, [slot])).toThrow('reads 1 are for run 3, which does not exist')
  })

  test('refuses an answer to other reads', () => {
    const area = newStateArea()
    const control = new Int32Array(area)
    const port = new StatePort(area, (number) => Atomics.store(control, 3, number + 1))
    expect(() => port.ask(0, [slot])).toThrow('reads 1 were answered as 2')
  })

  test('refuses an answer with another length than its reads', () => {
    const area = newStateArea()
    const answers = new StateAnswers(area)
    const port = new StatePort(area, (number) => {
      answers.answer(number, none)
      new Int32Array(area)[5] = 8
    })
    expect(() => port.ask(0, [slot])).toThrow('1 reads were answered with 8 bytes, 4 expected')
  })
})
