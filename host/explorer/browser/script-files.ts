import type { ScriptEngine } from '../../evm/trace/script/sandbox.ts'
import { fetchFile } from './engine-files.ts'
import type { LibraryFiles } from './library-files.ts'

/** QuickJS for script tracers, fetched for the first of them. */
export class ScriptFiles {
  readonly #urls: LibraryFiles
  #engine: Promise<ScriptEngine> | undefined

  constructor(urls: LibraryFiles) {
    this.#urls = urls
  }

  async open(): Promise<ScriptEngine> {
    const known = await this.#engine?.catch(() => undefined)
    if (known?.quickJs.isUsable === true) return known
    this.#engine = openScripts(this.#urls)
    return this.#engine
  }
}

async function openScripts(urls: LibraryFiles): Promise<ScriptEngine> {
  const { openQuickJs } = await import('../../evm/trace/script/quickjs.ts')
  const [wasm, bigInteger] = await Promise.all([
    fetchFile(
      urls.quickJs ??
        new URL(
          '../../../node_modules/@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm',
          import.meta.url,
        ),
    ),
    fetchFile(
      urls.bigInteger ??
        new URL('../../../node_modules/big-integer/BigInteger.min.js', import.meta.url),
    ),
  ])
  return {
    quickJs: await openQuickJs(await WebAssembly.compile(wasm.bytes)),
    bigInteger: new TextDecoder().decode(bigInteger.bytes),
  }
}
