import { bytesKey } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { beginPlan, type PlanRun } from '../../evm/execute/replay/plan-run.ts'
import { plannedOptions } from '../../evm/execute/replay/replay-plan.ts'
import { runUntil } from '../../evm/execute/run-until.ts'
import { slotKey } from '../../evm/state/recorded-state.ts'
import type { StateView } from '../../evm/state/view.ts'
import type { ValueRead, WorkerState } from '../trace-pool/remote-state.ts'

/** A view that assumes missing values to be empty, and records them. */
class RehearsedView implements StateView {
  readonly #base: WorkerState
  readonly #lacking = new Map<string, ValueRead>()

  constructor(base: WorkerState) {
    this.#base = base
  }

  get lacking(): readonly ValueRead[] {
    return [...this.#lacking.values()]
  }

  account(address: Uint8Array): Uint8Array | undefined {
    if (this.#base.isCached({ kind: 'account', address })) return this.#base.account(address)
    const key = bytesKey(address)
    if (!this.#lacking.has(key)) {
      this.#lacking.set(key, { kind: 'account', address: address.slice() })
    }
    return undefined
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    const read = { kind: 'storage', address, slot } as const
    if (this.#base.isCached(read)) return this.#base.storage(address, slot)
    const key = slotKey(address, slot)
    if (!this.#lacking.has(key)) {
      this.#lacking.set(key, { ...read, address: address.slice(), slot: slot.slice() })
    }
    return undefined
  }

  code(codeHash: Uint8Array): Uint8Array {
    return this.#base.code(codeHash)
  }

  blockHash(number: number): Uint8Array | undefined {
    return this.#base.blockHash(number)
  }
}

/** Rounds of speculative execution: values behind a fetched slot are read in the next one. */
const ROUNDS = 2

/**
 * Executes a block speculatively to find what it reads, and fetches those values in batches. Each value missing in
 * the actual run stalls both threads for a round trip. Mispredicted reads are harmless: the actual run fetches what
 * is missing.
 */
export async function prefetchSpeculatively(run: PlanRun, view: WorkerState): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const rehearsed = new RehearsedView(view)
    const { engine, plan, signal } = run
    try {
      await beginPlan({ ...run, view: rehearsed })
      for (const planned of plan.transactions) {
        await runUntil(
          engine.transact(planned.transaction, plannedOptions(planned)),
          rehearsed,
          signal,
        )
      }
    } catch (thrown) {
      // A failure with assumed values says nothing about the actual run.
      if (!(thrown instanceof LockstepError) || !engine.isUsable) throw thrown
    }
    const { lacking } = rehearsed
    if (lacking.length === 0) return
    view.prefetch(lacking)
  }
}
