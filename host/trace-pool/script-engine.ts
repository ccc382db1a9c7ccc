import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { openQuickJs } from '../trace/script/quickjs.ts'
import type { ScriptEngine } from '../trace/script/sandbox.ts'

const { resolve } = createRequire(import.meta.url)

/** QuickJS for the scripts of one thread: opened when it is first asked for, and again once it is spent. */
export class ScriptEngines {
  #engine: Promise<ScriptEngine> | undefined

  async open(): Promise<ScriptEngine> {
    const known = await this.#engine
    if (known?.quickJs.isUsable === true) return known
    this.#engine = openEngine()
    return this.#engine
  }
}

async function openEngine(): Promise<ScriptEngine> {
  const wasm = new Uint8Array(await readFile(resolve('@jitl/quickjs-wasmfile-release-sync/wasm')))
  const bigInteger = await readFile(resolve('big-integer/BigInteger.min.js'), 'utf8')
  return { quickJs: await openQuickJs(await WebAssembly.compile(wasm)), bigInteger }
}
