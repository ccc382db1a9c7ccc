import { bytesKey } from '../../base/bytes.ts'
import { slotKey } from '../../evm/state/recorded-state.ts'
import type { StateView } from '../../evm/state/view.ts'
import type { PrefetchedAccount } from './prefetched-accounts.ts'
import { READS_AT_ONCE, type StatePort, type StatePortRead } from './state-port.ts'

/** A read of an account or a slot. */
export type ValueRead = Extract<StatePortRead, { kind: 'account' | 'storage' }>

function keyOf(read: ValueRead): string {
  return read.kind === 'account' ? bytesKey(read.address) : slotKey(read.address, read.slot)
}

/** The state of a run, held by another thread. Each read blocks this thread until it is answered. */
export class WorkerState implements StateView {
  readonly #port: StatePort
  readonly #run: number
  /** Cached account records. */
  readonly #known: Map<string, Uint8Array | undefined>
  /** Cached slot values. */
  readonly #slots = new Map<string, Uint8Array | undefined>()
  /** Accounts that do not exist, and so have no storage to request. */
  readonly #absent = new Set<string>()

  constructor(port: StatePort, run: number, known: readonly PrefetchedAccount[] = []) {
    this.#port = port
    this.#run = run
    this.#known = new Map(known.map(({ address, record }) => [bytesKey(address), record]))
  }

  account(address: Uint8Array): Uint8Array | undefined {
    const key = bytesKey(address)
    const record = this.#known.has(key)
      ? this.#known.get(key)
      : this.#readOne({ kind: 'account', address })
    if (record === undefined) this.#absent.add(key)
    return record
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    if (this.#absent.has(bytesKey(address))) return undefined
    const key = slotKey(address, slot)
    if (this.#slots.has(key)) return this.#slots.get(key)
    return this.#readOne({ kind: 'storage', address, slot })
  }

  code(codeHash: Uint8Array): Uint8Array {
    return this.#readOne({ kind: 'code', codeHash }) as Uint8Array
  }

  blockHash(number: number): Uint8Array | undefined {
    return this.#readOne({ kind: 'blockHash', number })
  }

  /** Prefetches accounts that are not cached, in batches. */
  prefetchAccounts(addresses: Iterable<Uint8Array>): void {
    this.prefetch(Array.from(addresses, (address) => ({ kind: 'account', address })))
  }

  /** Prefetches accounts and slots that are not cached, in batches. */
  prefetch(reads: readonly ValueRead[]): void {
    const wanted = new Map<string, ValueRead>()
    for (const read of reads) if (!this.isCached(read)) wanted.set(keyOf(read), read)
    const parts = [...wanted.values()]
    for (let from = 0; from < parts.length; from += READS_AT_ONCE) {
      const some = parts.slice(from, from + READS_AT_ONCE)
      for (const [i, answer] of this.#read(some).entries()) {
        const part = some[i] as ValueRead
        const known = part.kind === 'account' ? this.#known : this.#slots
        known.set(keyOf(part), answer)
      }
    }
  }

  /** Returns true if a read is answered from the cache. */
  isCached(read: ValueRead): boolean {
    if (read.kind === 'account') return this.#known.has(keyOf(read))
    return this.#absent.has(bytesKey(read.address)) || this.#slots.has(keyOf(read))
  }

  #readOne(asked: StatePortRead): Uint8Array | undefined {
    return this.#read([asked])[0]
  }

  #read(reads: readonly StatePortRead[]): (Uint8Array | undefined)[] {
    return this.#port.ask(this.#run, reads)
  }
}
