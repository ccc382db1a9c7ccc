import { readFileSync } from 'node:fs'
import { loadEngine } from '../../../host/evm/engine/engine.ts'
import { compileEngine } from '../../../host/node/wasm.ts'
import { openScriptEngine } from '../../support/engine/script-engine.ts'
import { computeDigests } from './digest-program.ts'

/** `node run-digest.ts CASES` prints the digests of a file of cases as JSON. */
const { engine, ...modules } = await compileEngine()
const cases = JSON.parse(readFileSync(process.argv[2] as string, 'utf8'))
const machines = { engine: await loadEngine(engine, modules), scripts: openScriptEngine }
console.log(JSON.stringify(await computeDigests(cases, machines)))
