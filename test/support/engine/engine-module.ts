import { readFileSync } from 'node:fs'
import { Engine } from '../../../host/evm/engine/engine.ts'
import { openEngineModule } from '../../../host/evm/engine/module.ts'
import { readModule } from '../../../host/node/wasm.ts'
import { builtModule } from './assembly.ts'

/** Returns engine.wasm compiled, built as in asconfig.json. */
export async function compileEngine(): Promise<WebAssembly.Module> {
  const path = await builtModule('engine', ['--initialMemory', '4672', '--maximumMemory', '65536'])
  return new WebAssembly.Module(readFileSync(path))
}

const chainModules = new WebAssembly.Module(await readModule('modules'))

/** Returns an engine with its own memory. */
export async function openEngine(module: WebAssembly.Module): Promise<Engine> {
  return new Engine((await openEngineModule(module)).exports, { chainModules })
}
