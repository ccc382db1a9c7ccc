import type { StateView } from '../../evm/state/view.ts'
import { isConsole } from '../../evm/trace/tracers/console-call.ts'

/** Wraps a state; `onConsole` is called on reads of the account of `console.log`. */
function watchedView(view: StateView, onConsole: () => void): StateView {
  return {
    account: (address) => {
      if (isConsole(address)) onConsole()
      return view.account(address)
    },
    storage: (address, slot) => view.storage(address, slot),
    code: (codeHash) => view.code(codeHash),
    blockHash: (number) => view.blockHash(number),
  }
}

/**
 * Detects blocks that may have called `console.log`. A call reads the account of its address, and the engine caches
 * no accounts between blocks.
 */
export class ConsoleDetector {
  #wasAsked = false

  /** Returns true if the account was read since the last call. */
  take(): boolean {
    const wasAsked = this.#wasAsked
    this.#wasAsked = false
    return wasAsked
  }

  /** Wraps the state that a block executes on. */
  over(view: StateView): StateView {
    return watchedView(view, () => {
      this.#wasAsked = true
    })
  }
}

/** Aborts a run over `silentView` that calls `console.log`. */
export class ConsoleCalled extends Error {
  override readonly name = 'ConsoleAsked'
}

/** Wraps a state for runs that must not call `console.log`: reads of its account throw ConsoleAsked. */
export function silentView(view: StateView): StateView {
  return watchedView(view, () => {
    throw new ConsoleCalled('console.log was called')
  })
}
