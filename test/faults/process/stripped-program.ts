import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** A relative path to another source file, in an import or for a worker. */
const SOURCE = /(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g

/**
 * Writes a program and all its imports as JavaScript into a new folder, which saves Node the type stripping at each
 * start: a process of some 70 sources then starts in 150 ms of CPU instead of 450.
 * @returns the program, and the folder to delete at the end.
 */
export function stripProgram(entry: string): { readonly program: string; readonly dir: string } {
  // Within the checkout, so that packages resolve
  mkdirSync(join(ROOT, 'build/test'), { recursive: true })
  const dir = mkdtempSync(join(ROOT, 'build/test/stripped-'))
  const target = (source: string): string =>
    join(dir, relative(ROOT, source)).replace(/\.ts$/, '.js')
  const waiting = [entry]
  for (const source of waiting) {
    const stripped = stripTypeScriptTypes(readFileSync(source, 'utf8'))
    for (const [, , path] of stripped.matchAll(SOURCE)) {
      const imported = resolve(dirname(source), `${path}.ts`)
      if (!waiting.includes(imported)) waiting.push(imported)
    }
    mkdirSync(dirname(target(source)), { recursive: true })
    writeFileSync(target(source), stripped.replace(SOURCE, '$1$2.js$1'))
  }
  return { program: target(entry), dir }
}
