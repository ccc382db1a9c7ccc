import { workerData } from 'node:worker_threads'
import { serveWork } from '../../base/worker/serve-work.ts'
import type { CompiledRegion, HotCode } from '../../evm/engine/compiled-code.ts'
import {
  type EngineExports,
  openEngineModule,
  type RegionExports,
} from '../../evm/engine/module.ts'
import { RegionCompiler } from '../../evm/engine/region-compiler.ts'
import { warmRegion } from '../../evm/engine/region-module.ts'
import type { RegionWorkerData } from './region-compiling-thread.ts'

// Compiles hot EVM code for the engines of the main thread, down to machine code.

const { engine, settings } = workerData as RegionWorkerData
const compiler = new RegionCompiler(settings)
const { exports } = await openEngineModule(engine)

serveWork<HotCode, CompiledRegion>((hot) => {
  const started = performance.now()
  const compiled = compiler.compile(hot)
  if (compiled.module !== undefined) {
    warmRegion(compiled.module, exports as EngineExports & RegionExports)
  }
  return { ...compiled, milliseconds: performance.now() - started }
})
