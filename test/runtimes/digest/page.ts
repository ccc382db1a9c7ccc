// Computes the digests of test/runtimes/digest in a page, for the cases file beside it.

import { loadEngine } from '../../../host/evm/engine/engine.ts'
import { fetchEngine } from '../../../host/explorer/browser/engine-files.ts'
import { ScriptFiles } from '../../../host/explorer/browser/script-files.ts'
import { EVERY_JUMP } from '../../support/engine/every-jump.ts'
import { type CompiledDigests, computeDigests } from './digest-program.ts'

/** With `isCompiling` the code behind every jump is compiled. */
async function digests(isCompiling: boolean): Promise<CompiledDigests> {
  const { engine, compiledCode, ...modules } = await fetchEngine({}, isCompiling)
  const scripts = new ScriptFiles({})
  const cases = await (await fetch('cases.json')).json()
  const settings = compiledCode && { ...compiledCode, ...EVERY_JUMP }
  const opened = await loadEngine(engine, { ...modules, compiledCode: settings })
  const found = await computeDigests(cases, { engine: opened, scripts: () => scripts.open() })
  return { ...found, compiled: opened.compiledCode?.compiled ?? 0 }
}

const program = { digests }

export type DigestPage = typeof program

Object.assign(globalThis, program)
