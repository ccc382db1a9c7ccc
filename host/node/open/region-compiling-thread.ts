import type { LockstepError } from '../../base/error.ts'
import { WorkerClient } from '../../base/worker/worker-client.ts'
import type {
  CompiledCodeSettings,
  CompiledRegion,
  HotCode,
  RegionThread,
} from '../../evm/engine/compiled-code.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import type { Disposables } from '../disposables.ts'

export interface RegionWorkerData {
  /** engine.wasm. */
  readonly engine: WebAssembly.Module
  readonly settings: Omit<CompiledCodeSettings, 'thread'>
}

/** Compiles hot EVM code on a thread, which starts with the first. All engines of this thread share it. */
class RegionCompilingThread implements RegionThread {
  readonly #worker: WorkerClient<HotCode, CompiledRegion>

  constructor(workerData: RegionWorkerData, onDeath: (error: LockstepError) => void) {
    const script = new URL('./region-worker.ts', import.meta.url)
    this.#worker = new WorkerClient({
      script,
      name: 'the thread that compiles EVM code',
      workerData,
      onDeath,
    })
  }

  compile(hot: HotCode): Promise<CompiledRegion> {
    return this.#worker.run(hot)
  }

  close(): Promise<void> {
    return this.#worker.close()
  }
}

/**
 * Returns how the engines of the main thread compile hot code; undefined if the modules have no compiler.
 * @param onDeath called if the thread dies, after which they interpret all code
 */
export function openCompiledCode(
  { engine, compiledCode: settings }: EngineModules,
  onDeath: (error: LockstepError) => void,
  closers: Disposables,
): CompiledCodeSettings | undefined {
  if (settings === undefined) return undefined
  const thread = new RegionCompilingThread({ engine, settings }, onDeath)
  closers.add(() => thread.close())
  return { ...settings, thread }
}
