import { LockstepError } from '../../base/error.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import type { AsyncStateView } from '../../evm/state/view.ts'
import type { Replayed } from '../../evm/trace/recording/recording.ts'
import type { PlainSource } from './bundle-source.ts'
import type { AssumedRead } from './edit/assumed-read.ts'
import type { Changes } from './edit/changes.ts'
import type { BundleFacts } from './facts.ts'
import type { LibraryFiles } from './library-files.ts'
import type { Stepper } from './stepper.ts'
import type { TracerQuestion } from './tracer-question.ts'

/** Number of a bundle that is open at a place. */
export type BundleKey = number

/** What a place is asked, by name: plain data, so that it can be asked of a worker. */
export interface Calls {
  open(source: PlainSource): OpenedBundle
  closeBundle(key: BundleKey): void
  /** Gives its result in chunks. */
  trace(question: TracerQuestion & { readonly key: BundleKey }): void
  verify(key: BundleKey): Replayed
  /** The new bundle runs at the same place. */
  edit(edit: {
    readonly key: BundleKey
    readonly transaction: number
    readonly changes: Changes
  }): EditedFacts
  openStepper(opening: { readonly key: BundleKey; readonly transaction: number }): StepperKey
  askStepper(question: StepperQuestion): unknown
  closeStepper(key: StepperKey): void
}

export type Argument<Name extends keyof Calls> = Parameters<Calls[Name]>[0]
export type Result<Name extends keyof Calls> = ReturnType<Calls[Name]>

/** A bundle that changes made of another. */
export interface EditedFacts extends OpenedBundle {
  readonly assumed: readonly AssumedRead[]
}

/** Number of a stepper that is open at a place. */
export type StepperKey = number

/** A method of a stepper with its arguments, but for a signal. */
export interface StepperQuestion {
  readonly key: StepperKey
  readonly method: Exclude<keyof Stepper, 'close'>
  readonly args: readonly unknown[]
}

export interface OpenedBundle {
  readonly key: BundleKey
  readonly facts: BundleFacts
}

export type Chunk = Uint8Array<ArrayBuffer>

export interface CallOptions {
  readonly signal: AbortSignal
  /** Takes what a call gives before its result; the call waits for the promises that it gives. */
  readonly onChunk?: ((chunk: Chunk) => void | Promise<void>) | undefined
  /** Hears now and then of the step that a search has reached. */
  readonly onProgress?: ((step: number) => void) | undefined
  /** A state that answers what the call lacks. */
  readonly source?: AsyncStateView | undefined
}

/** What a place works with. */
export interface SessionParts {
  readonly files: LibraryFiles
  /** Undefined where they are to be fetched. */
  readonly modules: EngineModules | undefined
}

/** Where the work is done: a worker, or the page's own thread. */
export interface Place {
  call<Name extends keyof Calls>(
    name: Name,
    argument: Argument<Name>,
    options: CallOptions,
  ): Promise<Result<Name>>
  /** Ends what runs there and frees all of it. */
  close(): void
}

/** The error of whatever is asked of a bundle that was closed. */
export function closedError(): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', 'the bundle was closed', { hint: 'open it again' })
}
