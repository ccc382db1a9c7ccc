import { readFileSync } from 'node:fs'
import { loadEngine } from '../../../host/evm/engine/engine.ts'
import { compileEngine } from '../../../host/node/wasm.ts'
import { EVERY_JUMP } from '../../support/engine/every-jump.ts'
import { openScriptEngine } from '../../support/engine/script-engine.ts'
import { type CompiledDigests, computeDigests } from './digest-program.ts'

/**
 * `node run-digest.ts CASES [compiled]` prints the digests of a file of cases as JSON, with the code behind every jump
 * compiled if that is said.
 */
const isCompiling = process.argv[3] === 'compiled'
const { engine, compiledCode, ...modules } = await compileEngine({
  compiledCode: isCompiling,
  compiledCodeBytes: 16 << 20,
})
const cases = JSON.parse(readFileSync(process.argv[2] as string, 'utf8'))
const settings = compiledCode && { ...compiledCode, ...EVERY_JUMP }
const opened = await loadEngine(engine, { ...modules, compiledCode: settings })
const digests = await computeDigests(cases, { engine: opened, scripts: openScriptEngine })
const compiled = opened.compiledCode?.compiled ?? 0
console.log(JSON.stringify({ ...digests, compiled } satisfies CompiledDigests))
