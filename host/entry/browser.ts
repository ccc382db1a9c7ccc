// The module `lockstep/browser`. Its exports are public: a change of one is a change of the package.
export { type ErrorCode, LockstepError } from '../base/error.ts'
export type { Hex } from '../base/hex.ts'
export type { BundleSource } from '../browser/bundle-source.ts'
export type { FileUrls } from '../browser/engine-files.ts'
export type { BlockFacts, BundleFacts, TransactionFacts } from '../browser/facts.ts'
export type { Fault } from '../browser/fault.ts'
export {
  type OpenBundle,
  type OpenOptions,
  openBundle,
  type RunOptions,
} from '../browser/open-bundle.ts'
export { type ReplayOptions, replay, verify, writeReplay } from '../browser/replay.ts'
export type { ScriptUrls } from '../browser/script-files.ts'
export type * from '../browser/stepper.ts'
export type { EngineModules } from '../engine/engine-modules.ts'
export {
  type Difference,
  describeDifference,
  type FirstDifference,
  type StepPlace,
} from '../trace/bundle/difference.ts'
export type { Replayed } from '../trace/recording/recording.ts'
