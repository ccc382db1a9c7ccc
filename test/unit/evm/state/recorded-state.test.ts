import { describe, expect, test } from 'vitest'
import { RecordedState, RecordingView } from '../../../../host/evm/state/recorded-state.ts'
import type { StateView } from '../../../../host/evm/state/view.ts'

const bytes = (length: number, byte: number) => new Uint8Array(length).fill(byte)
const ACCOUNT = bytes(20, 1)
const STRANGER = bytes(20, 2)
const SLOT = bytes(32, 3)
const EMPTY_SLOT = bytes(32, 4)
const CODE_HASH = bytes(32, 5)

/** Returns every value in one array that it overwrites, as the store does. */
function overwriting(): StateView {
  const shared = new Uint8Array(72)
  return {
    account: (address) => (address[0] === 1 ? shared.fill(7) : undefined),
    storage: (_, slot) => (slot[0] === 3 ? shared.fill(8).subarray(0, 32) : undefined),
    code: () => shared.fill(9).subarray(0, 4),
    blockHash: (number) => (number === 5 ? shared.fill(6).subarray(0, 32) : undefined),
  }
}

function readAll(view: StateView) {
  return {
    account: view.account(ACCOUNT),
    stranger: view.account(STRANGER),
    slot: view.storage(ACCOUNT, SLOT),
    empty: view.storage(ACCOUNT, EMPTY_SLOT),
    code: view.code(CODE_HASH),
    hash: view.blockHash(5),
    noHash: view.blockHash(4),
  }
}

const ANSWERS = {
  account: bytes(72, 7),
  stranger: undefined,
  slot: bytes(32, 8),
  empty: undefined,
  code: bytes(4, 9),
  hash: bytes(32, 6),
  noHash: undefined,
}

describe('a recording view', () => {
  test('answers as the state does, and so does its record, including absent values', () => {
    const recording = new RecordingView(overwriting())
    expect(readAll(recording)).toEqual(ANSWERS)
    expect(readAll(new RecordedState(recording.reads))).toEqual(ANSWERS)
  })

  test('keeps no reference to the array of a query', () => {
    const recording = new RecordingView(overwriting())
    const asked = ACCOUNT.slice()
    recording.account(asked)
    asked.fill(0xff)
    const [read] = recording.reads.accounts.values()
    expect(read?.address).toEqual(ACCOUNT)
  })
})

describe('a recorded state', () => {
  test('refuses each read that was not recorded and names it', () => {
    const state = new RecordedState(new RecordingView(overwriting()).reads)
    const refused = (read: () => unknown, what: string) => {
      expect(read).toThrow(`the recorded state has no ${what}`)
      expect(read).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }))
    }
    const account = `0x${'01'.repeat(20)}`
    refused(() => state.account(ACCOUNT), `account ${account}`)
    refused(() => state.storage(ACCOUNT, SLOT), `slot 0x${'03'.repeat(32)} of ${account}`)
    refused(() => state.code(CODE_HASH), `code of hash 0x${'05'.repeat(32)}`)
    refused(() => state.blockHash(5), 'hash of block 5')
  })
})
