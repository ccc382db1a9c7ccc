import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { LAYOUTS } from './store/layouts/layouts.ts'

const GROWTH = [1_000_000, 10_000_000, 50_000_000]

/**
 * Writes blocks of 120,000 account rows and 12,000 slots into stores of `--accounts`: one every 400 ms for
 * `--seconds`, then as fast as possible for half as long. Reads random accounts at random heights during and after.
 * Then does the same with writes of a general module, with the split off and on in turn, and with updates of the
 * state commit. `--layout` runs one layout alone, `--growth` the node's own at three sizes.
 */
export async function runStoreBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '60' },
      accounts: { type: 'string', default: '10000000' },
      layout: { type: 'string' },
      growth: { type: 'boolean', default: false },
    },
  })
  const { seconds, accounts, layout, growth } = values
  const names = LAYOUTS.map(({ name }) => name)
  if (layout !== undefined && !names.includes(layout)) {
    console.error(`no layout "${layout}"; there are ${names.join(', ')}`)
    process.exitCode = 64
    return
  }
  if (growth) {
    for (const count of GROWTH)
      await runPart('layout', layout ?? 'lockstep', seconds, String(count))
    return
  }
  for (const name of layout === undefined ? names : [layout]) {
    await runPart('layout', name, seconds, accounts)
  }
  if (layout !== undefined) return
  for (const name of ['split-off', 'split-on', 'split-off', 'split-on']) {
    await runPart('modules', name, String(Number(seconds) / 4), accounts)
  }
  await runPart('commit', 'lockstep', seconds, accounts)
}

/** Runs a part in a process of its own, to isolate its writes and memory, and forwards its output. */
async function runPart(...parts: readonly string[]): Promise<void> {
  const script = fileURLToPath(new URL('store/process.ts', import.meta.url))
  const child = spawn(process.execPath, [...process.execArgv, script, ...parts], {
    stdio: 'inherit',
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  if (code !== 0) process.exitCode = 1
}
