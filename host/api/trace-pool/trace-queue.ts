import type { TraceRun } from './trace-run.ts'

interface WaitingClient {
  /** In the order of the requests; never empty. */
  readonly runs: TraceRun[]
  /** None of its traces has run since it came. */
  readonly isNew: boolean
}

/** Traces that wait, by client: one of each in turn, and those of a client in the order of their requests. */
export class TraceQueue {
  /** Clients in the order of their turns. */
  readonly #clients = new Map<object, WaitingClient>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(run: TraceRun): void {
    const { client } = run.request
    const waiting = this.#clients.get(client)
    if (waiting === undefined) this.#clients.set(client, { runs: [run], isNew: run.turns === 0 })
    else waiting.runs.push(run)
    this.#size++
  }

  /** The next of the first client whose turn it is and that `mayRun` admits. */
  take(mayRun: (client: object) => boolean = () => true): TraceRun | undefined {
    for (const client of this.#clients.keys()) if (mayRun(client)) return this.#takeOf(client)
    return undefined
  }

  /** The first of the client that came last, if `mayRun` admits it and none of its traces has run since. */
  takeNewest(mayRun: (client: object) => boolean): TraceRun | undefined {
    let newest: object | undefined
    for (const [client, { isNew }] of this.#clients) if (isNew && mayRun(client)) newest = client
    return newest && this.#takeOf(newest)
  }

  /** Removes a trace; false where it does not wait here. */
  remove(run: TraceRun): boolean {
    const { client } = run.request
    const runs = this.#clients.get(client)?.runs ?? []
    const at = runs.indexOf(run)
    if (at < 0) return false
    runs.splice(at, 1)
    this.#size--
    if (runs.length === 0) this.#clients.delete(client)
    return true
  }

  /** The newest trace of a client. */
  newest(client: object): TraceRun | undefined {
    return this.#clients.get(client)?.runs.at(-1)
  }

  /** Removes and returns all traces. */
  clear(): TraceRun[] {
    const all = [...this.#clients.values()].flatMap(({ runs }) => runs)
    this.#clients.clear()
    this.#size = 0
    return all
  }

  #takeOf(client: object): TraceRun | undefined {
    const runs = this.#clients.get(client)?.runs ?? []
    const run = runs.shift()
    this.#size--
    this.#clients.delete(client)
    if (runs.length > 0) this.#clients.set(client, { runs, isNew: false })
    return run
  }
}
