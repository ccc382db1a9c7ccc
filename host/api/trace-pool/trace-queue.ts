import type { TraceRun } from './trace-run.ts'

interface WaitingClient {
  /** In request order; never empty. */
  readonly runs: TraceRun[]
  /** True if none of its traces has run since it joined the queue. */
  readonly isNew: boolean
}

/** Queue of traces with round-robin scheduling among clients; the traces of a client are in request order. */
export class TraceQueue {
  /** Clients in scheduling order. */
  readonly #clients = new Map<object, WaitingClient>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(run: TraceRun): void {
    const { client } = run.request
    const waiting = this.#clients.get(client)
    if (waiting === undefined)
      this.#clients.set(client, { runs: [run], isNew: run.preemptions === 0 })
    else waiting.runs.push(run)
    this.#size++
  }

  /** Dequeues the next trace of the first client that `mayRun` accepts. */
  take(mayRun: (client: object) => boolean = () => true): TraceRun | undefined {
    for (const client of this.#clients.keys()) if (mayRun(client)) return this.#takeOf(client)
    return undefined
  }

  /**
   * Dequeues the first trace of the client that joined last, if `mayRun` accepts it and none of its traces has run
   * since.
   */
  takeNewest(mayRun: (client: object) => boolean): TraceRun | undefined {
    let newest: object | undefined
    for (const [client, { isNew }] of this.#clients) if (isNew && mayRun(client)) newest = client
    return newest && this.#takeOf(newest)
  }

  /** Removes a trace; returns false if it is not queued. */
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

  /** Returns the latest trace of a client. */
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
