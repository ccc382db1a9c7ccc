import { type FSWatcher, readFileSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'

interface State {
  readonly height?: string
  readonly round?: number
  readonly step?: number
  readonly signature?: string
}

/** Reads the signing state of a validator after every write, and records every signature. */
export class SignatureWatch {
  readonly #path: string
  readonly #seen = new Map<string, string>()
  readonly #twice: string[] = []
  readonly #watcher: FSWatcher

  /** @param path `priv_validator_state.json`, which each write replaces */
  constructor(path: string) {
    this.#path = path
    this.#watcher = watch(dirname(path), (_, name) => {
      if (name === basename(path)) this.read()
    })
  }

  /** Number of heights, rounds and steps with a signature. */
  get count(): number {
    return this.#seen.size
  }

  /** Those with two different signatures. */
  get twice(): readonly string[] {
    return this.#twice
  }

  read(): void {
    let state: State
    try {
      state = JSON.parse(readFileSync(this.#path, 'utf8')) as State
    } catch {
      // The file is being replaced.
      return
    }
    const { height, round, step, signature } = state
    if (signature === undefined) return
    const place = `${height}/${round}/${step}`
    const earlier = this.#seen.get(place)
    if (earlier !== undefined && earlier !== signature) this.#twice.push(place)
    this.#seen.set(place, earlier ?? signature)
  }

  close(): void {
    this.#watcher.close()
  }
}
