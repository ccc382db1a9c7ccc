// Measures the engine's speed in a tab, on the cases next to the page.

import { loadEngine } from '../../host/evm/engine/engine.ts'
import { fetchEngine } from '../../host/explorer/browser/engine-files.ts'
import { measureSpeed, type SpeedCase, type SpeedRow } from './speed-program.ts'

async function speed(withEthereumjs: boolean): Promise<readonly SpeedRow[]> {
  const { engine, ...modules } = await fetchEngine()
  const cases = (await (await fetch('cases.json')).json()) as readonly SpeedCase[]
  return measureSpeed(cases, await loadEngine(engine, modules), withEthereumjs)
}

const program = { speed }

export type SpeedPage = typeof program

Object.assign(globalThis, program)
