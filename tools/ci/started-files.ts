import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DependencyGraph } from './dependency-graph.ts'

/** Starts a file of the project in a Node process or thread, or through npm. */
const STARTS =
  /\bfork\(|\bnew Worker\(|'npm'|spawn\w*\(\s*process\.execPath|execFile\w*\(\s*process\.execPath/

/** The program is in the text itself. */
const INLINE = /'-e'|'--eval'|\beval: true\b/

/** A path of a started file that the graph resolves. MAIN is that of the command line. */
const NAMES = /\bMAIN\b|new URL\(\s*['"`]|\bjoin\(\s*[\w.]+,\s*'|'[\w./-]+\.(?:ts|mjs|cjs|js)'/

/**
 * Returns the files of test/ that start a file unknown to the graph: neither a path in the text nor a row of the
 * declared list names it. A change of the started file would not select their tests.
 */
export function unknownStarts(
  root: string,
  graph: DependencyGraph,
  declared: ReadonlySet<string>,
): string[] {
  return [...graph.keys()].filter((file) => {
    if (!file.startsWith('test/') || declared.has(file)) return false
    const source = readFileSync(join(root, file), 'utf8')
    const code = source.replace(/^import .*? from '[^']+'$/gms, '')
    if (!/'node:(?:child_process|worker_threads)'/.test(source)) return false
    return STARTS.test(code) && !INLINE.test(code) && !NAMES.test(code)
  })
}
