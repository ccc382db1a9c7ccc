import { sha256 } from '@noble/hashes/sha2.js'
import { LockstepError, messageOf } from '../../base/error.ts'
import { hexDigits } from '../../base/hex.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import type { LibraryFiles } from './library-files.ts'

/**
 * Fetches and compiles the modules of an engine.
 * @param isCompiling true to compile hot EVM code too; by default all of it is interpreted
 * @throws ENGINE_FAULT naming the URL that failed to load
 */
export async function fetchEngine(
  urls: LibraryFiles = {},
  isCompiling = false,
): Promise<EngineModules> {
  // Written in the form of `new URL` that bundlers recognise.
  const [engine, pairing, chainModules, compiler] = await Promise.all([
    fetchFile(urls.engine ?? new URL('../../../build/engine.wasm', import.meta.url)),
    fetchFile(urls.pairing ?? new URL('../../../build/pairing.wasm', import.meta.url)),
    fetchFile(urls.modules ?? new URL('../../../build/modules.wasm', import.meta.url)),
    isCompiling
      ? fetchFile(urls.compiler ?? new URL('../../../build/compile.wasm', import.meta.url))
      : undefined,
  ])
  const compiledCode = compiler && { compiler: await compile(compiler) }
  const modules = await Promise.all([engine, pairing, chainModules].map(compile))
  const [compiledEngine, compiledPairing, compiledModules] = modules as [
    WebAssembly.Module,
    WebAssembly.Module,
    WebAssembly.Module,
  ]
  return {
    engine: compiledEngine,
    pairing: compiledPairing,
    chainModules: compiledModules,
    compiledCode,
    engineHash: hexDigits(sha256(engine.bytes)),
  }
}

/** Maximum length of a URL in an error: a data: URL can be huge. */
const SHOWN = 200

interface FetchedFile {
  readonly url: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** @throws ENGINE_FAULT */
export async function fetchFile(location: string | URL): Promise<FetchedFile> {
  const url = String(location)
  try {
    const response = await fetch(url)
    if (!response.ok) throw new Error(`HTTP ${response.status} ${response.statusText}`.trimEnd())
    return { url, bytes: new Uint8Array(await response.arrayBuffer()) }
  } catch (thrown) {
    throw unavailable(url, thrown)
  }
}

async function compile({ url, bytes }: FetchedFile): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(bytes)
  } catch (thrown) {
    throw unavailable(url, thrown)
  }
}

function unavailable(url: string, cause: unknown): LockstepError {
  const shown = url.length > SHOWN ? `${url.slice(0, SHOWN)}...` : url
  return new LockstepError('ENGINE_FAULT', `cannot load ${shown}: ${messageOf(cause)}`, {
    hint: 'serve the file there, or set its URL in `files`; the content security policy must allow it',
    cause,
  })
}
