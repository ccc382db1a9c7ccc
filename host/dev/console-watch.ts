import type { StateView } from '../state/view.ts'
import { isConsole } from '../trace/tracers/console-call.ts'

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
    return {
      account: (address) => {
        this.#wasAsked ||= isConsole(address)
        return view.account(address)
      },
      storage: (address, slot) => view.storage(address, slot),
      code: (codeHash) => view.code(codeHash),
      blockHash: (number) => view.blockHash(number),
    }
  }
}
