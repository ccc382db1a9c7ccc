import { keccak_256 } from '@noble/hashes/sha3.js'
import { expect, test } from 'vitest'
import {
  expectedAddresses,
  prefetchedAccounts,
} from '../../../../host/api/trace-pool/prefetched-accounts.ts'
import { WorkerState } from '../../../../host/api/trace-pool/remote-state.ts'
import {
  newStateArea,
  StateAnswers,
  StatePort,
} from '../../../../host/api/trace-pool/state-port.ts'
import { bigintToBytes } from '../../../../host/base/bytes.ts'
import { RecordingView } from '../../../../host/evm/state/recorded-state.ts'
import type { TraceJob } from '../../../../host/evm/trace/job/trace-job.ts'
import { TestState } from '../../../support/chain/test-state.ts'

const at = (number: number) => bigintToBytes(BigInt(number), 20)
const [COINBASE, SENDER, RECIPIENT, OVERRIDDEN] = [at(1), at(2), at(3), at(4)]

const CALL = {
  plan: undefined,
  target: {
    kind: 'call',
    call: {
      input: { from: SENDER, to: RECIPIENT },
      env: { coinbase: COINBASE },
      // The recipient's code is part of the call, too.
      stateOverrides: [{ address: OVERRIDDEN }, { address: RECIPIENT }],
    },
  },
} as unknown as TraceJob

/** Returns a block of `count` transactions, each between accounts of its own. */
const blockOf = (count: number) =>
  ({
    plan: {
      env: { coinbase: COINBASE },
      transactions: Array.from({ length: count }, (_, i) => ({
        transaction: { from: at(100 + 2 * i), to: at(101 + 2 * i) },
      })),
    },
    target: { kind: 'block' },
  }) as unknown as TraceJob

function open() {
  const state = new TestState(keccak_256, () => undefined)
  state.setAccount(SENDER, 1n, 5n, Uint8Array.of(0))
  return new RecordingView(state)
}

test('a prefetch reads each account of a call once, including missing ones', () => {
  const view = open()
  const known = prefetchedAccounts(view, CALL, 64)
  expect(known).toEqual([
    { address: COINBASE, record: undefined },
    { address: SENDER, record: view.account(SENDER) },
    { address: RECIPIENT, record: undefined },
    { address: OVERRIDDEN, record: undefined },
  ])
})

test('a prefetch copies what it reads, since messages must be small and records are reused', () => {
  const record = new Uint8Array(4096).subarray(0, 72)
  const known = prefetchedAccounts({ account: () => record } as never, CALL, 64)
  expect(known.map((one) => one.record?.buffer.byteLength)).toEqual([72, 72, 72, 72])
  expect(known.map(({ address }) => address.buffer.byteLength)).toEqual([20, 20, 20, 20])
})

test('a prefetch stays within its limit and stops at a failure', () => {
  expect(prefetchedAccounts(open(), blockOf(100), 64)).toHaveLength(64)
  let reads = 0
  const failing = {
    account: () => {
      if (++reads > 2) throw new Error('gone')
      return undefined
    },
  }
  expect(prefetchedAccounts(failing as never, CALL, 64)).toHaveLength(2)
})

test('a thread requests nothing that was prefetched, and the rest of a block in one request', () => {
  const view = open()
  const job = blockOf(40)
  const known = prefetchedAccounts(view, job, 64)
  const reads: number[] = []
  const area = newStateArea()
  const answers = new StateAnswers(area)
  const notify = (number: number) => {
    reads.push(new Int32Array(area)[2] as number)
    answers.answer(number, () => view)
  }
  const remote = new WorkerState(new StatePort(area, notify), 0, known)
  expect(remote.account(at(100))).toBeUndefined()
  expect(reads).toEqual([])
  remote.prefetchAccounts(expectedAddresses(job))
  expect(reads).toEqual([81 - 64])
  expect(remote.account(at(179))).toBeUndefined()
  expect(reads).toHaveLength(1)
})
