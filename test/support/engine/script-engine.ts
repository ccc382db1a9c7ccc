import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { openQuickJs } from '../../../host/evm/trace/script/quickjs.ts'
import type { ScriptEngine } from '../../../host/evm/trace/script/sandbox.ts'

const { resolve } = createRequire(import.meta.url)

/** The compiled QuickJS module. */
export const quickJsModule = new WebAssembly.Module(
  readFileSync(resolve('@jitl/quickjs-wasmfile-release-sync/wasm')),
)

const bigInteger = readFileSync(resolve('big-integer/BigInteger.min.js'), 'utf8')

/** Returns an instance of QuickJS for scripts, whose heap grows to `maxBytes`. */
export async function openScriptEngine(maxBytes?: number): Promise<ScriptEngine> {
  return { quickJs: await openQuickJs(quickJsModule, maxBytes), bigInteger }
}
