import { bigintToBytes, bytesKey, compareBytes } from '../../../base/bytes.ts'
import type { AccessListEntry } from '../../chain-types/transaction.ts'
import {
  BALANCE,
  CALL,
  CALLCODE,
  DELEGATECALL,
  EXTCODECOPY,
  EXTCODEHASH,
  EXTCODESIZE,
  SELFDESTRUCT,
  SLOAD,
  SSTORE,
  STATICCALL,
} from '../../engine/generated/opcode.ts'
import type { EnterEvent, StepRecord, TraceEvent, TraceSink } from '../../engine/trace-event.ts'

/** Opcodes with the address at the top of the stack. */
const ACCOUNT_ON_TOP: ReadonlySet<number> = new Set([
  BALANCE,
  EXTCODESIZE,
  EXTCODECOPY,
  EXTCODEHASH,
  SELFDESTRUCT,
])
/** Opcodes with the address below the gas. */
const CALLS: ReadonlySet<number> = new Set([CALL, CALLCODE, DELEGATECALL, STATICCALL])
/** Stack words that geth requires before it examines a call. */
const CALL_WORDS = 5

/** Returns the contract whose storage a frame uses. */
function contractOf({ type, from, to }: EnterEvent): Uint8Array {
  return (type === 'DELEGATECALL' || type === 'CALLCODE' ? from : to).slice()
}

/**
 * Collects the addresses and slots that a run's opcodes name, failing steps included. Follows geth's access list
 * tracer, which omits created accounts and delegation targets.
 */
export class TouchedSink implements TraceSink {
  readonly steps = { stack: true, memory: false }
  readonly ignoresLogs = true
  readonly #isWarm: (address: Uint8Array) => boolean
  readonly #entries = new Map<string, { address: Uint8Array; slots: Map<string, Uint8Array> }>()
  readonly #contracts: Uint8Array[] = []

  /** `isWarm` is true for addresses that need no entry. */
  constructor(isWarm: (address: Uint8Array) => boolean) {
    this.#isWarm = isWarm
  }

  /** Adds the entries of a list, except those of warm addresses. */
  addList(list: readonly AccessListEntry[]): void {
    for (const { address, storageKeys } of list) {
      if (this.#isWarm(address)) continue
      const { slots } = this.#entry(address)
      for (const key of storageKeys) slots.set(bytesKey(key), key)
    }
  }

  /** Returns the list in ascending order. */
  list(): AccessListEntry[] {
    return [...this.#entries.values()]
      .map(({ address, slots }) => ({
        address,
        storageKeys: [...slots.values()].sort(compareBytes),
      }))
      .sort((left, right) => compareBytes(left.address, right.address))
  }

  onEvent(event: TraceEvent): void {
    if (event.kind === 'enter') this.#contracts.push(contractOf(event))
    else if (event.kind === 'exit') this.#contracts.pop()
  }

  onStep(step: StepRecord): void {
    const { opcode, stackHeight } = step
    if (stackHeight === 0) return
    if (opcode === SLOAD || opcode === SSTORE) {
      const key = bigintToBytes(step.wordAt(stackHeight - 1), 32)
      this.#entry(this.#contracts.at(-1) as Uint8Array).slots.set(bytesKey(key), key)
    } else if (ACCOUNT_ON_TOP.has(opcode)) {
      this.#addAccount(step.wordAt(stackHeight - 1))
    } else if (CALLS.has(opcode) && stackHeight >= CALL_WORDS) {
      this.#addAccount(step.wordAt(stackHeight - 2))
    }
  }

  #addAccount(word: bigint): void {
    const address = bigintToBytes(BigInt.asUintN(160, word), 20)
    if (!this.#isWarm(address)) this.#entry(address)
  }

  #entry(address: Uint8Array) {
    const key = bytesKey(address)
    const known = this.#entries.get(key)
    if (known !== undefined) return known
    const entry = { address, slots: new Map<string, Uint8Array>() }
    this.#entries.set(key, entry)
    return entry
  }
}
