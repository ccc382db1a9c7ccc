import type { NodeClientOptions, NodeCost } from '../../../client/remote-node/node-client.ts'
import type { Revision } from '../../../evm/chain-types/revision.ts'
import type { EngineModules } from '../../../evm/engine/engine-modules.ts'
import type { FirstDifference } from '../../../evm/trace/bundle/difference.ts'
import type { LibraryFiles } from '../library-files.ts'

/**
 * How a node provides a bundle's contents. `lockstep`: it records the bundle (debug_traceStateAccess).
 * `prestateTracer`: it returns the state before the transaction (geth's prestateTracer). `reads`: it answers plain
 * reads of the state after the parent block, on which the earlier transactions are run.
 */
export type Way = 'lockstep' | 'prestateTracer' | 'reads'

export interface NodeBundleOptions extends NodeClientOptions {
  /** Allowed ways, all by default; they are tried in the order of `Way`. */
  readonly ways?: readonly Way[]
  /** The revision of the block, if the node does not report it and its chain is unknown. */
  readonly revision?: Revision
  /** Maximum accounts, slots and block hashes read one by one. */
  readonly maxReads?: number
  /** URLs of library files that are not beside the library. */
  readonly files?: LibraryFiles
  /** The compiled modules, if they have been fetched already. */
  readonly modules?: EngineModules
}

/** A bundle made from a node's responses. */
export interface NodeBundle {
  /** Accepted by `openBundle`, and saved in files. */
  readonly document: object
  readonly way: Way
  /** First difference between the run and the node's receipt; undefined if there is none. */
  readonly difference: FirstDifference | undefined
  /** Oddities that are not errors, a sentence each. */
  readonly notes: readonly string[]
  readonly cost: NodeCost
}
