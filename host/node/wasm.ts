import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { LockstepError, messageOf } from '../base/error.ts'
import type { EngineModules } from '../engine/engine-modules.ts'

/** Compiles the modules that an engine is made of. Throws as `readModule`. */
export async function compileEngine(): Promise<EngineModules> {
  const engine = await readModule('engine')
  return {
    engine: await WebAssembly.compile(engine),
    pairing: await WebAssembly.compile(await readModule('pairing')),
    chainModules: await WebAssembly.compile(await readModule('modules')),
    engineHash: createHash('sha256').update(engine).digest('hex'),
  }
}

/**
 * Bytes of a module built from assembly/.
 * @throws ENGINE_FAULT when it has not been built.
 */
export async function readModule(
  name: 'engine' | 'commit' | 'pairing' | 'modules' | 'recovery',
): Promise<Uint8Array<ArrayBuffer>> {
  const path = fileURLToPath(new URL(`../../build/${name}.wasm`, import.meta.url))
  try {
    return new Uint8Array(await readFile(path))
  } catch (thrown) {
    throw new LockstepError(
      'ENGINE_FAULT',
      `cannot read build/${name}.wasm: ${messageOf(thrown)}`,
      {
        hint: 'in a checkout build the modules with `npm run build`, elsewhere install the package again',
        cause: thrown,
      },
    )
  }
}
