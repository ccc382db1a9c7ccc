import type { Command } from 'commander'
import { lockHome } from '../node/home/home-lock.ts'
import { measureData, type PartSize } from '../storage/store/state-size.ts'
import { chooseHome, configOf, homeOption, requireHome } from './option/home-option.ts'

interface SizeFlags {
  readonly home?: string
  readonly json?: true
}

const COLUMNS = ['part', 'name', 'rows', 'bytes'] as const

/** Returns a table for people: texts at the left of their columns, numbers at the right, and a line with the total. */
export function formatSizes(sizes: readonly PartSize[]): string {
  const lines = sizes.map((size) => COLUMNS.map((column) => String(size[column] ?? '-')))
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
  const cells = [[...COLUMNS], ...lines, ['total', '', '', String(total)]]
  const widths = COLUMNS.map((_, i) => Math.max(...cells.map((line) => (line[i] ?? '').length)))
  return cells
    .map((line) =>
      line
        .map((cell, i) => (i < 2 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
        .join('  '),
    )
    .join('\n')
}

export function defineStateSize(command: Command): void {
  command
    .addOption(homeOption())
    .option('--json', 'print an array of objects')
    .action(async (flags: SizeFlags) => {
      const home = chooseHome(flags.home)
      requireHome(home)
      const config = configOf(home)
      const lock = lockHome(home)
      try {
        const sizes = await measureData(home.data.directory, config.stateStore.ssBackend)
        process.stdout.write(
          `${flags.json === true ? JSON.stringify(sizes) : formatSizes(sizes)}\n`,
        )
      } finally {
        lock.release()
      }
    })
}
