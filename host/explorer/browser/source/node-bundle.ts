import type { NodeCost, NodeOptions } from '../../../client/remote-node/node-client.ts'
import type { Revision } from '../../../evm/chain-types/revision.ts'
import type { EngineModules } from '../../../evm/engine/engine-modules.ts'
import type { FirstDifference } from '../../../evm/trace/bundle/difference.ts'
import type { LibraryFiles } from '../library-files.ts'

/**
 * How a node gives what a bundle is made of: it records one itself (Lockstep's debug_traceStateAccess); it tells
 * the state that the transaction found (geth's prestateTracer); it answers plain reads of the state after the
 * parent block, on which the transactions before it are run.
 */
export type Way = 'lockstep' | 'prestateTracer' | 'reads'

export interface NodeBundleOptions extends NodeOptions {
  /** Ways that may be gone, all by default; they are tried in the order of `Way`. */
  readonly ways?: readonly Way[]
  /** The revision of the block, where the node does not tell it and its chain is not known. */
  readonly revision?: Revision
  /** Accounts, slots and hashes of blocks that may be read one by one. */
  readonly maxReads?: number
  /** Where files of the library are that do not lie beside it. */
  readonly files?: LibraryFiles
  /** The compiled modules, where they have been fetched already. */
  readonly modules?: EngineModules
}

/** A bundle made of what a node said. */
export interface NodeBundle {
  /** As `openBundle` takes it, and as a file holds it. */
  readonly document: object
  readonly way: Way
  /** Where the run differs from the node's receipt; undefined where it does not. */
  readonly difference: FirstDifference | undefined
  /** What is odd and no fault, a sentence each. */
  readonly notes: readonly string[]
  readonly cost: NodeCost
}
