import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import type { StateArea } from '../trace-pool/state-port.ts'
import type { SourceBlock } from './source-block.ts'

/** Start-up data of the index worker. */
export interface AddressIndexWorkerData {
  /** Folder of the store, which the main thread has opened and verified. */
  readonly dir: string
  readonly modules: EngineModules
  /** The shared memory through which the worker reads states. */
  readonly area: StateArea
}

/** Messages to the worker, which processes them in order. */
export type ToAddressIndexWorker =
  /** Indexes the blocks after the last one; removes rows below `pruneHeight`. */
  | {
      readonly kind: 'add'
      readonly blocks: readonly SourceBlock[]
      /**
       * Run number with which the worker requests the state before the first block; the other blocks use the next
       * numbers.
       */
      readonly firstRun: number
      readonly pruneHeight: number
    }
  /** The blocks above a height go: they are no longer part of the chain. */
  | { readonly kind: 'cut'; readonly height: number }
  /** The store closes, and nothing may follow. */
  | { readonly kind: 'close' }
