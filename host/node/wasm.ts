import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { LockstepError, messageOf } from '../base/error.ts'
import type { EngineModules } from '../evm/engine/engine-modules.ts'

type ModuleName = 'engine' | 'compile' | 'commit' | 'pairing' | 'modules' | 'recovery'

/** The keys of `evm` that say whether hot code is compiled. */
export interface CodeCompilation {
  readonly compiledCode: boolean
  readonly compiledCodeBytes: number
}

const INTERPRETED: CodeCompilation = { compiledCode: false, compiledCodeBytes: 0 }

/** Compiles the modules of an engine. Without `compilation` its code is interpreted. Throws as `readModule`. */
export async function compileEngine({
  compiledCode: isCompiling,
  compiledCodeBytes: cacheBytes,
}: CodeCompilation = INTERPRETED): Promise<EngineModules> {
  const compile = async (name: ModuleName) => WebAssembly.compile(await readModule(name))
  const read = readModule('engine')
  const [bytes, engine, pairing, chainModules, compiler] = await Promise.all([
    read,
    read.then((module) => WebAssembly.compile(module)),
    compile('pairing'),
    compile('modules'),
    isCompiling ? compile('compile') : undefined,
  ])
  const compiledCode = compiler && { compiler, cacheBytes }
  return { engine, pairing, chainModules, compiledCode, engineHash: hash('sha256', bytes) }
}

/**
 * Returns the bytes of a module built from assembly/.
 * @throws ENGINE_FAULT if it was not built.
 */
export async function readModule(name: ModuleName): Promise<Uint8Array<ArrayBuffer>> {
  const path = fileURLToPath(new URL(`../../build/${name}.wasm`, import.meta.url))
  try {
    return new Uint8Array(await readFile(path))
  } catch (thrown) {
    throw new LockstepError(
      'ENGINE_FAULT',
      `cannot read build/${name}.wasm: ${messageOf(thrown)}`,
      {
        hint: 'in a checkout build the modules with `npm run build`, otherwise reinstall the package',
        cause: thrown,
      },
    )
  }
}
