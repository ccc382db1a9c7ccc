// The module `lockstep/browser`. Its exports are public: a change of one is a change of the package.
export { type ErrorCode, LockstepError } from '../base/error.ts'
export type { Hex } from '../base/hex.ts'
export type { BundleSource } from '../browser/bundle-source.ts'
export { compareRuns as compare } from '../browser/compare/compare.ts'
export type * from '../browser/compare/comparison.ts'
export type { AssumedRead } from '../browser/edit/assumed-read.ts'
export type {
  AccountEdit,
  BlockChanges,
  Changes,
  TransactionChanges,
} from '../browser/edit/changes.ts'
export { type EditOptions, edit } from '../browser/edit.ts'
export { fetchEngine as compileEngine } from '../browser/engine-files.ts'
export type { BlockFacts, BundleFacts, TransactionFacts } from '../browser/facts.ts'
export type { Fault } from '../browser/fault.ts'
export type { LibraryFiles } from '../browser/library-files.ts'
export {
  type OpenBundle,
  type OpenOptions,
  openBundle,
  type RunOptions,
} from '../browser/open-bundle.ts'
export { openStepper } from '../browser/open-stepper.ts'
export { type ReplayOptions, replay, verify, writeReplay } from '../browser/replay.ts'
export type {
  AccountRow,
  BlockRow,
  BlockView,
  LogRow,
  ReceiptRow,
  TransactionRow,
  TransactionView,
} from '../browser/source/block-rows.ts'
export { bundleFromNode } from '../browser/source/bundle-from-node.ts'
export { type HeadWatchOptions, watchHeads } from '../browser/source/head-watch.ts'
export type { NodeBundle, NodeBundleOptions, Way } from '../browser/source/node-bundle.ts'
export { type Found, NodeReader } from '../browser/source/node-reader.ts'
export type { NodeStateOptions } from '../browser/source/node-state.ts'
export { stateOfNode } from '../browser/source/state-of-node.ts'
export type * from '../browser/stepper.ts'
export type { WorkerLike } from '../browser/worker-like.ts'
export type { EngineModules } from '../engine/engine-modules.ts'
export { NodeClient, type NodeCost, type NodeOptions } from '../remote-node/node-client.ts'
export type { AsyncStateView } from '../state/view.ts'
export {
  type Difference,
  describeDifference,
  type FirstDifference,
  type StepPlace,
} from '../trace/bundle/difference.ts'
export type { Replayed } from '../trace/recording/recording.ts'
