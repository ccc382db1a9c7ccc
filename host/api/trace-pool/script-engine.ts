import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { openQuickJs } from '../../evm/trace/script/quickjs.ts'
import type { ScriptEngine } from '../../evm/trace/script/sandbox.ts'

const { resolve } = createRequire(import.meta.url)

/** The QuickJS instance for the scripts of one thread. It is created on first use, and again when it is exhausted. */
export class ScriptEngines {
  readonly #maxBytes: number
  #engine: Promise<ScriptEngine> | undefined
  #opened: ScriptEngine | undefined

  /** @param maxBytes maximum heap of the instance, for all its scripts */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Bytes of its heap, which never shrinks. */
  get heapBytes(): number {
    return this.#opened?.quickJs.module.HEAPU8.length ?? 0
  }

  async open(): Promise<ScriptEngine> {
    const known = await this.#engine
    if (known?.quickJs.isUsable === true) return known
    this.#engine = openEngine(this.#maxBytes)
    this.#opened = await this.#engine
    return this.#opened
  }
}

async function openEngine(maxBytes: number): Promise<ScriptEngine> {
  const wasm = new Uint8Array(await readFile(resolve('@jitl/quickjs-wasmfile-release-sync/wasm')))
  const bigInteger = await readFile(resolve('big-integer/BigInteger.min.js'), 'utf8')
  return { quickJs: await openQuickJs(await WebAssembly.compile(wasm), maxBytes), bigInteger }
}
