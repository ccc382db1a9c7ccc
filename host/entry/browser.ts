// The public module `lockstep/browser`: changing an export changes the API of the package.
export { type ErrorCode, LockstepError } from '../base/error.ts'
export type { Hex } from '../base/hex.ts'
export {
  NodeClient,
  type NodeClientOptions as NodeOptions,
  type NodeCost,
} from '../client/remote-node/node-client.ts'
export type { EngineModules } from '../evm/engine/engine-modules.ts'
export type { AsyncStateView } from '../evm/state/view.ts'
export {
  type Difference,
  describeDifference,
  type FirstDifference,
  type StepPlace,
} from '../evm/trace/bundle/difference.ts'
export type { Replayed } from '../evm/trace/recording/recording.ts'
export type { BundleSource } from '../explorer/browser/bundle-source.ts'
export { compareRuns as compare } from '../explorer/browser/compare/compare.ts'
export type * from '../explorer/browser/compare/comparison.ts'
export type { AssumedRead } from '../explorer/browser/edit/assumed-read.ts'
export type {
  AccountEdit,
  BlockChanges,
  Changes,
  TransactionChanges,
} from '../explorer/browser/edit/changes.ts'
export { type EditOptions, edit } from '../explorer/browser/edit.ts'
export { fetchEngine as compileEngine } from '../explorer/browser/engine-files.ts'
export type { BlockFacts, BundleFacts, TransactionFacts } from '../explorer/browser/facts.ts'
export type { LibraryFiles } from '../explorer/browser/library-files.ts'
export {
  type OpenBundle,
  type OpenOptions,
  openBundle,
  type RunOptions,
} from '../explorer/browser/open-bundle.ts'
export { openStepper } from '../explorer/browser/open-stepper.ts'
export { type ReplayOptions, replay, verify, writeReplay } from '../explorer/browser/replay.ts'
export type {
  AccountRow,
  BlockRow,
  BlockView,
  LogRow,
  ReceiptRow,
  TransactionRow,
  TransactionView,
} from '../explorer/browser/source/block-rows.ts'
export { bundleFromNode } from '../explorer/browser/source/bundle-from-node.ts'
export { type HeadWatchOptions, watchHeads } from '../explorer/browser/source/head-watch.ts'
export type { NodeBundle, NodeBundleOptions, Way } from '../explorer/browser/source/node-bundle.ts'
export { type Found, NodeReader } from '../explorer/browser/source/node-reader.ts'
export type { NodeStateOptions } from '../explorer/browser/source/node-state.ts'
export { stateOfNode } from '../explorer/browser/source/state-of-node.ts'
export type { Fault } from '../explorer/browser/step/fault.ts'
export type * from '../explorer/browser/step/stepper.ts'
export type { WorkerLike } from '../explorer/browser/worker-like.ts'
