import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import type { StateArea } from '../trace-pool/state-port.ts'
import type { SourceBlock } from './source-block.ts'

/** The data that the thread starts with. */
export interface IndexThreadData {
  /** Folder of the store, which the other thread has open and checked. */
  readonly dir: string
  readonly modules: EngineModules
  /** The memory through which the thread reads states. */
  readonly area: StateArea
}

/** To the thread, which does one piece of work after another. */
export type ToIndexThread =
  /** Blocks that follow the newest one; rows below `pruneHeight` go. */
  | {
      readonly kind: 'add'
      readonly blocks: readonly SourceBlock[]
      /** The run by which the thread asks for the state before the first of the blocks; the others follow. */
      readonly firstRun: number
      readonly pruneHeight: number
    }
  /** The blocks above a height go: they are no longer part of the chain. */
  | { readonly kind: 'cut'; readonly height: number }
  /** The store closes, and nothing may follow. */
  | { readonly kind: 'close' }
