import { bytesKey } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { formatData } from '../../base/hex.ts'
import type { StateView } from './view.ts'

/** The values that a run has read, by key. */
export interface RecordedReads {
  /** 72-byte records; undefined if the account does not exist. */
  readonly accounts: Map<string, { readonly address: Uint8Array; readonly record?: Uint8Array }>
  /** Undefined for a zero slot. */
  readonly slots: Map<
    string,
    { readonly address: Uint8Array; readonly slot: Uint8Array; readonly value?: Uint8Array }
  >
  readonly codes: Map<string, { readonly codeHash: Uint8Array; readonly code: Uint8Array }>
  readonly blockHashes: Map<number, Uint8Array | undefined>
}

export function noReads(): RecordedReads {
  return { accounts: new Map(), slots: new Map(), codes: new Map(), blockHashes: new Map() }
}

/** Returns the key of a slot in `slots`. */
export function slotKey(address: Uint8Array, slot: Uint8Array): string {
  return `${bytesKey(address)}/${bytesKey(slot)}`
}

/** Records everything read from a state. */
export class RecordingView implements StateView {
  readonly reads: RecordedReads = noReads()
  readonly #base: StateView

  constructor(base: StateView) {
    this.#base = base
  }

  account(address: Uint8Array): Uint8Array | undefined {
    const record = this.#base.account(address)?.slice()
    this.reads.accounts.set(bytesKey(address), {
      address: address.slice(),
      ...(record !== undefined && { record }),
    })
    return record
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    const value = this.#base.storage(address, slot)?.slice()
    this.reads.slots.set(slotKey(address, slot), {
      address: address.slice(),
      slot: slot.slice(),
      ...(value !== undefined && { value }),
    })
    return value
  }

  code(codeHash: Uint8Array): Uint8Array {
    const code = this.#base.code(codeHash).slice()
    this.reads.codes.set(bytesKey(codeHash), { codeHash: codeHash.slice(), code })
    return code
  }

  blockHash(number: number): Uint8Array | undefined {
    const hash = this.#base.blockHash(number)?.slice()
    this.reads.blockHashes.set(number, hash)
    return hash
  }
}

function absent(what: string): LockstepError {
  return new LockstepError('NOT_FOUND', `the recorded state has no ${what}`, {
    hint: 'the run reads values that the recorded run did not: the engine differs',
  })
}

/** A state of recorded reads only. Every method throws NOT_FOUND for a read that was not recorded. */
export class RecordedState implements StateView {
  readonly #reads: RecordedReads

  constructor(reads: RecordedReads) {
    this.#reads = reads
  }

  account(address: Uint8Array): Uint8Array | undefined {
    const read = this.#reads.accounts.get(bytesKey(address))
    if (read === undefined) throw absent(`account ${formatData(address)}`)
    return read.record
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    const read = this.#reads.slots.get(slotKey(address, slot))
    if (read === undefined) {
      throw absent(`slot ${formatData(slot)} of ${formatData(address)}`)
    }
    return read.value
  }

  code(codeHash: Uint8Array): Uint8Array {
    const read = this.#reads.codes.get(bytesKey(codeHash))
    if (read === undefined) throw absent(`code of hash ${formatData(codeHash)}`)
    return read.code
  }

  blockHash(number: number): Uint8Array | undefined {
    const { blockHashes } = this.#reads
    if (!blockHashes.has(number)) throw absent(`hash of block ${number}`)
    return blockHashes.get(number)
  }
}
