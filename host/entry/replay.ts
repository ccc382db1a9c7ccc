// The public module `lockstep/replay`: changing an export changes the API of the package.

import { ScriptEngines } from '../api/trace-pool/script-engine.ts'
import { loadEngine } from '../evm/engine/engine.ts'
import { EnginePool } from '../evm/execute/engine-pool.ts'
import { decodeBundle } from '../evm/trace/bundle/bundle.ts'
import { BundleRecording, type ReplayEngines } from '../evm/trace/recording/bundle-recording.ts'
import type { Recording } from '../evm/trace/recording/recording.ts'
import { DEFAULT_SCRIPT_LIMITS } from '../evm/trace/script/limits.ts'
import { compileEngine } from '../node/wasm.ts'

export { type ErrorCode, LockstepError } from '../base/error.ts'
export type { Hex } from '../base/hex.ts'
export {
  type Difference,
  describeDifference,
  type FirstDifference,
  type StepPlace,
} from '../evm/trace/bundle/difference.ts'
export type {
  Recording,
  Replayed,
  RunOptions,
  TraceOptions,
} from '../evm/trace/recording/recording.ts'

/** Executes recordings on one engine, one at a time. */
export interface Replayer {
  /** SHA-256 of its engine.wasm: 64 hex digits. */
  readonly engineHash: string
  /**
   * Parses a bundle: JSON written by `lockstep record`, or the result of debug_traceStateAccess or
   * debug_traceBlockStateAccess.
   * @throws LockstepError BUNDLE_INVALID with the member and the rule that it breaks
   */
  read(bundle: unknown): Promise<Recording>
}

/**
 * Opens an engine for recordings. Needs no node, database or network.
 * @throws LockstepError ENGINE_FAULT if a module of the package cannot be read
 */
export async function openReplayer(): Promise<Replayer> {
  const { engine, engineHash, ...modules } = await compileEngine()
  const open = () => loadEngine(engine, modules)
  const scripts = new ScriptEngines(DEFAULT_SCRIPT_LIMITS.memoryBytes)
  const place: ReplayEngines = {
    // An engine that traps or grows is replaced.
    engines: new EnginePool(open, 1, Number.POSITIVE_INFINITY, (one) => one.isUsable),
    scripts: () => scripts.open(),
  }
  return {
    engineHash,
    read: (json) =>
      place.engines.use(async (one) => {
        const bundle = decodeBundle(json, (bytes) => one.keccak256(bytes))
        return new BundleRecording(bundle, place)
      }),
  }
}
