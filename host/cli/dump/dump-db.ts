import type { Command } from 'commander'
import { lockHome } from '../../node/home/home-lock.ts'
import { dumpStateRows, type StateRowFilter } from '../../storage/store/state-dump.ts'
import { chooseHome, configOf, homeOption, requireHome } from '../option/home-option.ts'
import { withProgress } from '../progress/progress.ts'
import { upperHex } from './key-text.ts'
import { LineWriter } from './line-writer.ts'

interface DumpFlags extends StateRowFilter {
  readonly output?: string
  readonly home?: string
}

const RESUME = 'run it again: it starts over, and changes nothing in the home'

/** Rows between two progress reports. */
const LOOK_ROWS = 256

export function defineDumpDb(command: Command): void {
  command
    .option('--store <NAME>', 'one table: account, code, storage, cleared, legacy, modules')
    .option('-m, --module <NAME>', 'one module')
    .option('-o, --output <FILE>', 'file to write; stdout by default')
    .addOption(homeOption())
    .action(async (flags: DumpFlags) => {
      const home = chooseHome(flags.home)
      requireHome(home)
      const { stateStore } = configOf(home)
      const lock = lockHome(home)
      const { output } = flags
      const writer = output === undefined ? LineWriter.toStdout() : LineWriter.toFile(output)
      try {
        // Rows on a terminal show the progress themselves.
        const quiet = output === undefined && process.stdout.isTTY
        const stage = { label: 'Dumping', unit: 'rows', resume: RESUME, quiet }
        await withProgress(stage, async (progress) => {
          let section = ''
          let rows = 0
          for await (const row of dumpStateRows(home.data.directory, stateStore, flags)) {
            const { store, module, key, value, height } = row
            const name =
              module === undefined ? `Store: ${store}` : `Store: ${store} Module: ${module}`
            if (name !== section) await writer.line(name)
            section = name
            const text = value === undefined ? 'TOMBSTONE' : upperHex(value)
            const wait = writer.line(`Key: ${upperHex(key)} Val: ${text} Version: ${height}`)
            if (wait !== undefined) await wait
            if (!writer.isWanted) break
            if (++rows % LOOK_ROWS === 0) await progress.update(rows)
          }
        })
        await writer.end()
      } finally {
        lock.release()
      }
    })
}
