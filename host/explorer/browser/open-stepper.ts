import type { Hex } from '../../base/hex.ts'
import type { StepperKey, StepperQuestion } from './bundle-runner.ts'
import type { OpenBundle, RunOptions } from './open-bundle.ts'
import type { LineMarks } from './step/line-marks.ts'
import type {
  CallNode,
  CodeGas,
  Condition,
  FindOptions,
  FoundStep,
  InternalCall,
  RunSummary,
  SearchOptions,
  StepDigests,
  Stepper,
  StepRow,
  StepView,
  UndoneWrites,
  Written,
} from './step/stepper.ts'

/**
 * Opens a transaction of a bundle by its index in `transactions`. It runs once, with those before it, and can then be
 * examined step by step. It has its own engine until it is closed.
 * @throws LockstepError INVALID_ARGUMENT
 */
export async function openStepper(
  bundle: OpenBundle,
  transaction = 0,
  { signal }: RunOptions = {},
): Promise<Stepper> {
  const opening = { key: bundle.key, transaction }
  return new PlacedStepper(bundle, await bundle.call('openStepper', opening, { signal }))
}

/** A stepper whose calls are sent to a runner. */
class PlacedStepper implements Stepper {
  readonly #bundle: OpenBundle
  readonly #key: StepperKey

  constructor(bundle: OpenBundle, key: StepperKey) {
    this.#bundle = bundle
    this.#key = key
  }

  summary(): Promise<RunSummary> {
    return this.#ask('summary', [])
  }

  calls(): Promise<readonly CallNode[]> {
    return this.#ask('calls', [])
  }

  step(index: number, options?: SearchOptions): Promise<StepView> {
    return this.#ask('step', [index], options)
  }

  rows(from: number, count: number, options?: SearchOptions): Promise<readonly StepRow[]> {
    return this.#ask('rows', [from, count], options)
  }

  find(
    conditions: readonly Condition[],
    from: number,
    direction: 'forward' | 'back',
    options?: FindOptions,
  ): Promise<FoundStep | undefined> {
    return this.#ask('find', [conditions, from, direction], options)
  }

  lastWriter(what: Written, at: number, options?: SearchOptions): Promise<number | undefined> {
    return this.#ask('lastWriter', [what, at], options)
  }

  internalCalls(
    marks: ReadonlyMap<Hex, LineMarks>,
    options?: SearchOptions,
  ): Promise<readonly InternalCall[]> {
    return this.#ask('internalCalls', [marks], options)
  }

  undoneWrites(): Promise<readonly UndoneWrites[]> {
    return this.#ask('undoneWrites', [])
  }

  gasByCode(
    marks: ReadonlyMap<Hex, LineMarks> = new Map(),
    options?: SearchOptions,
  ): Promise<readonly CodeGas[]> {
    return this.#ask('gasByCode', [marks], options)
  }

  linePc(at: number, marks: LineMarks, options?: SearchOptions): Promise<number | undefined> {
    return this.#ask('linePc', [at, marks], options)
  }

  digests(from: number, count: number, options?: SearchOptions): Promise<StepDigests> {
    return this.#ask('digests', [from, count], options)
  }

  code(codeHash: Hex): Promise<Uint8Array> {
    return this.#ask('code', [codeHash])
  }

  close(): Promise<void> {
    return this.#bundle.call('closeStepper', this.#key)
  }

  #ask<Method extends StepperQuestion['method']>(
    method: Method,
    args: readonly unknown[],
    { signal, onProgress }: FindOptions = {},
  ): ReturnType<Stepper[Method]> {
    const question = { key: this.#key, method, args }
    return this.#bundle.call('askStepper', question, { signal, onProgress }) as ReturnType<
      Stepper[Method]
    >
  }
}
