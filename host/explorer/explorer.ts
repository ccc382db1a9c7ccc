import { type ReadonlySignal, signal } from '@preact/signals'
import { toPlainError } from '../base/plain-error.ts'
import type { Stepper } from '../browser/stepper.ts'
import { OpenedRun } from './run/opened-run.ts'
import type { Opening } from './run/opening.ts'
import { readSearch } from './search.ts'
import type { ViewLocation } from './view/view-location.ts'

/** What the whole page shares. */
export class Explorer {
  readonly location: ViewLocation
  /** The transaction of the view. */
  readonly opening: ReadonlySignal<Opening>
  readonly #opening = signal<Opening>({ kind: 'none' })

  /** `nodeUrl` is the node's that serves the page. */
  constructor(location: ViewLocation, _nodeUrl: string | undefined) {
    this.location = location
    this.opening = this.#opening
  }

  /** Goes to what somebody typed; answers with what is wrong with it. */
  async search(typed: string): Promise<string | undefined> {
    const found = readSearch(typed)
    if (found.kind === 'nothing') return found.problem
    const page = found.kind === 'hash' ? ({ kind: 'tx', hash: found.hash } as const) : found.page
    this.location.go({ page })
    return undefined
  }

  async openFiles(_files: readonly File[]): Promise<void> {}

  async show(open: () => Promise<Stepper>): Promise<void> {
    this.#opening.value = { kind: 'opening', doing: 'Reading the bundle' }
    try {
      const run = new OpenedRun(this.location, await open())
      this.#opening.value = { kind: 'open', run }
    } catch (thrown) {
      this.#opening.value = { kind: 'failed', error: toPlainError(thrown) }
    }
  }
}
