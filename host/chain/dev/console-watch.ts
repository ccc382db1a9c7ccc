import type { StateView } from '../../evm/state/view.ts'
import { isConsole } from '../../evm/trace/tracers/console-call.ts'

/** The same state; `onConsole` hears when it is asked for the account of `console.log`. */
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
 * Tells blocks that may have called `console.log` from those that cannot have: a call asks the state for the account of
 * its address, and the engine forgets from block to block what it was answered.
 */
export class ConsoleWatch {
  #wasAsked = false

  /** True where the account was asked for since this was called last. */
  take(): boolean {
    const wasAsked = this.#wasAsked
    this.#wasAsked = false
    return wasAsked
  }

  /** The same state, for a block to be executed on. */
  over(view: StateView): StateView {
    return watchedView(view, () => {
      this.#wasAsked = true
    })
  }
}

/** What ends a run over `silentView` that is about to call `console.log`. */
export class ConsoleAsked extends Error {
  override readonly name = 'ConsoleAsked'
}

/** The same state, for runs that do not call `console.log`: who asks for its account is thrown a ConsoleAsked. */
export function silentView(view: StateView): StateView {
  return watchedView(view, () => {
    throw new ConsoleAsked('console.log was called')
  })
}
