import type { TraceRun } from './trace-run.ts'

/** Traces that wait, by client: one of each in turn, and those of a client in the order of their requests. */
export class TraceQueue {
  /** Clients in the order of their turns; no list is empty. */
  readonly #clients = new Map<object, TraceRun[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(run: TraceRun): void {
    const { client } = run.request
    const waiting = this.#clients.get(client)
    if (waiting === undefined) this.#clients.set(client, [run])
    else waiting.push(run)
    this.#size++
  }

  /** The next of the first client whose turn it is and that `mayRun` admits. */
  take(mayRun: (client: object) => boolean = () => true): TraceRun | undefined {
    for (const [client, waiting] of this.#clients) {
      if (!mayRun(client)) continue
      const run = waiting.shift()
      this.#size--
      this.#clients.delete(client)
      if (waiting.length > 0) this.#clients.set(client, waiting)
      return run
    }
    return undefined
  }

  /** Removes a trace; false where it does not wait here. */
  remove(run: TraceRun): boolean {
    const { client } = run.request
    const waiting = this.#clients.get(client) ?? []
    const at = waiting.indexOf(run)
    if (at < 0) return false
    waiting.splice(at, 1)
    this.#size--
    if (waiting.length === 0) this.#clients.delete(client)
    return true
  }

  /** The newest trace of a client. */
  newest(client: object): TraceRun | undefined {
    return this.#clients.get(client)?.at(-1)
  }

  /** Removes and returns all traces. */
  clear(): TraceRun[] {
    const runs = [...this.#clients.values()].flat()
    this.#clients.clear()
    this.#size = 0
    return runs
  }
}
