import { LockstepError } from '../../base/error.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import type { AsyncStateView } from '../../evm/state/view.ts'
import type { Replayed } from '../../evm/trace/recording/recording.ts'
import type { PlainSource } from './bundle-source.ts'
import type { AssumedRead } from './edit/assumed-read.ts'
import type { Changes } from './edit/changes.ts'
import type { UnsentCall } from './edit/unsent-call.ts'
import type { BundleFacts } from './facts.ts'
import type { LibraryFiles } from './library-files.ts'
import type { Stepper } from './step/stepper.ts'
import type { TracerQuestion } from './tracer-question.ts'

/** Number of an open bundle in a runner. */
export type BundleKey = number

/** The calls that a runner answers, by name. All values are plain data, so that a worker can receive them. */
export interface Calls {
  open(source: PlainSource): OpenedBundle
  closeBundle(key: BundleKey): void
  /** Returns its result in chunks. */
  trace(question: TracerQuestion & { readonly key: BundleKey }): void
  verify(key: BundleKey): Replayed
  /** Creates the new bundle in the same runner. */
  edit(edit: {
    readonly key: BundleKey
    readonly transaction: number
    readonly changes: Changes
  }): EditedFacts
  /** Runs a call on the state of the source, and creates its bundle. */
  simulate(call: UnsentCall): EditedFacts
  openStepper(opening: { readonly key: BundleKey; readonly transaction: number }): StepperKey
  askStepper(question: StepperQuestion): unknown
  closeStepper(key: StepperKey): void
}

export type Argument<Name extends keyof Calls> = Parameters<Calls[Name]>[0]
export type Result<Name extends keyof Calls> = ReturnType<Calls[Name]>

/** The facts of a bundle created by changes. */
export interface EditedFacts extends OpenedBundle {
  readonly assumed: readonly AssumedRead[]
}

/** Number of an open stepper in a runner. */
export type StepperKey = number

/** A method of a stepper with its arguments, without the signal. */
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

export interface RunnerCallOptions {
  readonly signal: AbortSignal
  /** Receives the chunks of a call before its result; the call awaits the returned promises. */
  readonly onChunk?: ((chunk: Chunk) => void | Promise<void>) | undefined
  /** Called now and then with the step that a search has reached. */
  readonly onProgress?: ((step: number) => void) | undefined
  /** Answers reads that the call cannot answer itself. */
  readonly source?: AsyncStateView | undefined
}

/** The resources of a runner. */
export interface SessionParts {
  readonly files: LibraryFiles
  /** Undefined if they must be fetched. */
  readonly modules: EngineModules | undefined
  /** True to fetch the compiler of hot EVM code too. */
  readonly compiledCode: boolean
}

/** Runs bundles, in a worker or on the page's own thread. */
export interface BundleRunner {
  call<Name extends keyof Calls>(
    name: Name,
    argument: Argument<Name>,
    options: RunnerCallOptions,
  ): Promise<Result<Name>>
  /** Cancels its calls and frees all its resources. */
  close(): void
}

/** Returns the error of every call on a closed bundle. */
export function closedError(): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', 'the bundle was closed', { hint: 'open it again' })
}
