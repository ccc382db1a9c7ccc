import type { StateDiff } from '../../evm/engine/state-diff.ts'
import type { Amendments } from '../../evm/state/amendments.ts'
import type { Changeset } from '../../evm/state/changeset.ts'
import { OverlayState } from '../../evm/state/overlay-state.ts'
import type { StateView } from '../../evm/state/view.ts'
import type { KeyedTable } from '../../storage/store/state/keyed-table.ts'
import type { StateStore } from '../../storage/store/state/state-store.ts'
import type { Storage } from '../../storage/store/storage.ts'

/** The amendments of a height over the state after its block. */
interface Overlay {
  readonly state: OverlayState
  count: number
  /** The last applied amendment, which tells whether amendments were reverted and replaced. */
  last: StateDiff | undefined
}

/** A state store whose heights can be amended. Reads of other heights are unchanged. */
export class AmendedState implements StateStore {
  readonly #state: StateStore
  readonly #amendments: Amendments
  readonly #overlays = new Map<number, Overlay>()

  constructor(state: StateStore, amendments: Amendments) {
    this.#state = state
    this.#amendments = amendments
  }

  get earliest(): number {
    return this.#state.earliest
  }

  get latest(): number {
    return this.#state.latest
  }

  get firstWithEvm(): number {
    return this.#state.firstWithEvm
  }

  get evmWholeFrom(): number {
    return this.#state.evmWholeFrom
  }

  view(height: number): StateView {
    const view = this.#state.view(height)
    const diffs = this.#amendments.diffs(height)
    if (diffs.length === 0) {
      this.#overlays.delete(height)
      return view
    }
    const overlay = this.#overlayOf(height, view, diffs)
    for (const diff of diffs.slice(overlay.count)) overlay.state.apply(diff)
    overlay.count = diffs.length
    overlay.last = diffs.at(-1)
    return overlay.state
  }

  legacy(key: Uint8Array, height: number): Uint8Array | undefined {
    return this.#state.legacy(key, height)
  }

  module(name: string): KeyedTable {
    return this.#state.module(name)
  }

  apply(changeset: Changeset): void {
    this.#state.apply(changeset)
  }

  #overlayOf(height: number, view: StateView, diffs: readonly StateDiff[]): Overlay {
    const known = this.#overlays.get(height)
    if (known !== undefined && diffs[known.count - 1] === known.last) return known
    const overlay: Overlay = { state: new OverlayState(view), count: 0, last: undefined }
    this.#overlays.set(height, overlay)
    return overlay
  }
}

/** Returns a storage whose state reads include amendments. */
export function amendedStorage(storage: Storage, amendments: Amendments): Storage {
  return {
    chain: storage.chain,
    state: new AmendedState(storage.state, amendments),
    append: (record) => storage.append(record),
    changesets: (from) => storage.changesets(from),
    close: () => storage.close(),
  }
}
