import type { Hex } from '../base/hex.ts'
import { neverAborted, type OpenBundle, type RunOptions } from './open-bundle.ts'
import type { Place, StepperKey, StepperQuestion } from './place.ts'
import type {
  CallNode,
  CodeGas,
  Condition,
  RunSummary,
  SearchOptions,
  Stepper,
  StepRow,
  StepView,
  Written,
} from './stepper.ts'

/**
 * Opens a transaction of a bundle, by its place in `transactions`: it runs once, with those before it, and is then
 * looked at step by step. It has an engine of its own until it is closed.
 * @throws LockstepError INVALID_ARGUMENT
 */
export async function openStepper(
  { place, key }: OpenBundle,
  transaction = 0,
  { signal = neverAborted() }: RunOptions = {},
): Promise<Stepper> {
  return new PlacedStepper(place, await place.call('openStepper', { key, transaction }, { signal }))
}

/** A stepper of a place. */
class PlacedStepper implements Stepper {
  readonly #place: Place
  readonly #key: StepperKey

  constructor(place: Place, key: StepperKey) {
    this.#place = place
    this.#key = key
  }

  summary(): Promise<RunSummary> {
    return this.#ask('summary', [])
  }

  calls(): Promise<readonly CallNode[]> {
    return this.#ask('calls', [])
  }

  step(index: number): Promise<StepView> {
    return this.#ask('step', [index])
  }

  rows(from: number, count: number): Promise<readonly StepRow[]> {
    return this.#ask('rows', [from, count])
  }

  find(
    conditions: readonly Condition[],
    from: number,
    direction: 'forward' | 'back',
    options?: SearchOptions,
  ): Promise<{ readonly index: number; readonly which: number } | undefined> {
    return this.#ask('find', [conditions, from, direction], options)
  }

  lastWriter(what: Written, at: number, options?: SearchOptions): Promise<number | undefined> {
    return this.#ask('lastWriter', [what, at], options)
  }

  gasByCode(): Promise<readonly CodeGas[]> {
    return this.#ask('gasByCode', [])
  }

  code(codeHash: Hex): Promise<Uint8Array> {
    return this.#ask('code', [codeHash])
  }

  close(): Promise<void> {
    return this.#place.call('closeStepper', this.#key, { signal: neverAborted() })
  }

  #ask<Method extends StepperQuestion['method']>(
    method: Method,
    args: readonly unknown[],
    { signal = neverAborted() }: SearchOptions = {},
  ): ReturnType<Stepper[Method]> {
    const question = { key: this.#key, method, args }
    return this.#place.call('askStepper', question, { signal }) as ReturnType<Stepper[Method]>
  }
}
