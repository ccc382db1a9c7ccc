import { folderOf, type Mutant } from './draw.ts'
import type { Verdict } from './verdict.ts'

/** A mutant with its verdict. */
export interface JudgedMutant extends Verdict {
  readonly mutant: Mutant
  readonly seconds: number
}

/** Returns two lines: the change of a mutant, and its verdict. */
export function describeMutant({ mutant, outcome, detail, seconds }: JudgedMutant): string {
  const { number, path, line, mutation, before, after } = mutant
  return [
    `${number}. ${path}:${line} ${mutation.mutator}: ${outcome} (${detail}) in ${Math.round(seconds)} s`,
    `     - ${before}`,
    `     + ${after}`,
  ].join('\n')
}

/** Returns how many were caught in each folder, and in total. */
export function describeFolders(judged: readonly JudgedMutant[]): string {
  const folders = [...new Set(judged.map(({ mutant }) => folderOf(mutant.path)))].sort()
  const rows = folders.map(
    (folder) => [folder, judged.filter(({ mutant }) => folderOf(mutant.path) === folder)] as const,
  )
  const width = Math.max('folder'.length, 'all'.length, ...rows.map(([name]) => name.length))
  const row = (name: string, cells: readonly (string | number)[]): string =>
    [name.padEnd(width), ...cells.map((cell) => String(cell).padStart(8))].join('  ')
  const count = (of: readonly JudgedMutant[]) =>
    (['caught', 'survived', 'stopped'] as const).map(
      (outcome) => of.filter((one) => one.outcome === outcome).length,
    )
  return [
    row('folder', ['caught', 'survived', 'stopped']),
    ...rows.map(([name, of]) => row(name, count(of))),
    row('all', count(judged)),
  ].join('\n')
}
