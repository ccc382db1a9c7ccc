// Computes the digests of test/runtimes/digest in a page, for the cases file beside it.

import { loadEngine } from '../../../host/evm/engine/engine.ts'
import { fetchEngine } from '../../../host/explorer/browser/engine-files.ts'
import { ScriptFiles } from '../../../host/explorer/browser/script-files.ts'
import { computeDigests, type Digests } from './digest-program.ts'

async function digests(): Promise<Digests> {
  const { engine, ...modules } = await fetchEngine()
  const scripts = new ScriptFiles({})
  const cases = await (await fetch('cases.json')).json()
  return computeDigests(cases, {
    engine: await loadEngine(engine, modules),
    scripts: () => scripts.open(),
  })
}

const program = { digests }

export type DigestPage = typeof program

Object.assign(globalThis, program)
