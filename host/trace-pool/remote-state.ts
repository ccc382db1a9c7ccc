import { bytesKey } from '../base/bytes.ts'
import type { StateView } from '../state/view.ts'
import type { KnownAccount } from './state-ahead.ts'
import { READS_AT_ONCE, type StatePort, type StateRead } from './state-port.ts'

/** The state of a run, which another thread holds: each read stops this thread until it is answered. */
export class RemoteState implements StateView {
  readonly #port: StatePort
  readonly #run: number
  /** Accounts whose records are known already. */
  readonly #known: Map<string, Uint8Array | undefined>
  /** Accounts that are not there: they have no storage to ask for. */
  readonly #absent = new Set<string>()

  constructor(port: StatePort, run: number, known: readonly KnownAccount[] = []) {
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
    return this.#readOne({ kind: 'storage', address, slot })
  }

  code(codeHash: Uint8Array): Uint8Array {
    return this.#readOne({ kind: 'code', codeHash }) as Uint8Array
  }

  blockHash(number: number): Uint8Array | undefined {
    return this.#readOne({ kind: 'blockHash', number })
  }

  /** Reads accounts that will be needed and are not known, many in one go. */
  readAhead(addresses: Iterable<Uint8Array>): void {
    const wanted = new Map(Array.from(addresses, (address) => [bytesKey(address), address]))
    const entries = [...wanted].filter(([key]) => !this.#known.has(key))
    for (let from = 0; from < entries.length; from += READS_AT_ONCE) {
      const some = entries.slice(from, from + READS_AT_ONCE)
      const answers = this.#read(some.map(([, address]) => ({ kind: 'account', address })))
      for (const [i, [key]] of some.entries()) this.#known.set(key, answers[i])
    }
  }

  #readOne(asked: StateRead): Uint8Array | undefined {
    return this.#read([asked])[0]
  }

  #read(reads: readonly StateRead[]): (Uint8Array | undefined)[] {
    return this.#port.ask(this.#run, reads)
  }
}
