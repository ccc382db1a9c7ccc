import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import { LockstepError } from '../../../../base/error.ts'
import { type PlainError, toPlainError } from '../../../../base/plain-error.ts'
import type { ViewLocation } from '../../view/view-location.ts'
import { type Change, withChange, withoutChange } from './change.ts'
import { formatChanges, parseChanges } from './change-text.ts'
import { Task } from './task.ts'

/** A transaction that was run again with changes. */
export interface ClosableRun {
  close(): void
}

/** The changes of a view, and the transaction run again with them. */
export class WhatIf<Run extends ClosableRun> {
  readonly changes: ReadonlySignal<readonly Change[]>
  /** The run with the changes; undefined if there are none, and until it has run. */
  readonly edited: ReadonlySignal<Run | undefined>
  readonly error: ReadonlySignal<PlainError | undefined>
  readonly task = new Task()
  readonly #location: ViewLocation
  readonly #open: (changes: readonly Change[], signal: AbortSignal) => Promise<Run>
  readonly #edited = signal<Run | undefined>(undefined)
  readonly #error = signal<PlainError | undefined>(undefined)
  readonly #stop: () => void
  #ranWith = ''

  constructor(
    location: ViewLocation,
    open: (changes: readonly Change[], signal: AbortSignal) => Promise<Run>,
  ) {
    this.#location = location
    this.#open = open
    this.edited = this.#edited
    this.error = this.#error
    const text = computed(() => location.view.value.changes)
    this.changes = computed(() => readChanges(text.value))
    this.#stop = effect(() => {
      void this.#follow(text.value)
    })
  }

  /** Runs again with one more change. */
  set(change: Change): void {
    this.#write(withChange(this.changes.peek(), change))
  }

  remove(subject: string): void {
    this.#write(withoutChange(this.changes.peek(), subject))
  }

  clear(): void {
    this.#write([])
  }

  /** Shows the original run, or the one with changes. */
  show(side: 'original' | 'edited'): void {
    this.#location.set({ side }, 'push')
  }

  close(): void {
    this.#stop()
    this.task.cancel()
    this.#edited.peek()?.close()
  }

  #write(changes: readonly Change[]): void {
    this.#location.set({ changes: formatChanges(changes) }, 'push')
  }

  /** Runs again with the changes of the view, unless they are those of the current run. */
  async #follow(text: string): Promise<void> {
    if (text === this.#ranWith) return
    this.#ranWith = text
    this.#error.value = undefined
    try {
      const changes = parseChanges(text)
      const opened = await this.task.run('Running the transaction with the changes', (signal) =>
        changes.length === 0
          ? Promise.resolve(undefined)
          : this.#openUnlessAborted(changes, signal),
      )
      if (this.#ranWith === text) this.#replace(opened?.answer)
    } catch (thrown) {
      if (this.#ranWith !== text) return
      this.#replace(undefined)
      this.#error.value = toPlainError(thrown)
    }
  }

  /** Closes a run that completes after it was cancelled. */
  async #openUnlessAborted(changes: readonly Change[], signal: AbortSignal): Promise<Run> {
    const run = await this.#open(changes, signal)
    if (signal.aborted) run.close()
    return run
  }

  #replace(run: Run | undefined): void {
    const before = this.#edited.peek()
    this.#edited.value = run
    before?.close()
  }
}

/** A truncated link has no changes; running them reports the error. */
function readChanges(text: string): readonly Change[] {
  try {
    return parseChanges(text)
  } catch (thrown) {
    if (thrown instanceof LockstepError) return []
    throw thrown
  }
}
