/**
 * Formats and lints assembly/ with biome, whose parser rejects the decorators that AssemblyScript puts on functions.
 * Biome gets a copy of the tree in which decorators are comments. Lines keep their numbers, so messages name
 * positions in assembly/. With `--write`, biome's changes are copied back with the decorators restored. node
 * tools/check-assembly.ts [--write] [root]; exit 1 on a finding.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const HERE = fileURLToPath(new URL('..', import.meta.url))
const BIOME = join(HERE, 'node_modules', '@biomejs', 'biome', 'bin', 'biome')

const { values, positionals } = parseArgs({
  options: { write: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const [root = HERE] = positionals

function hideDecorators(source: string): string {
  return source.replaceAll(/^( *)@(?=\w)/gm, '$1//@')
}

function showDecorators(source: string): string {
  return source.replaceAll(/^( *)\/\/@(?=\w)/gm, '$1@')
}

/**
 * Returns the sources of assembly/ as paths from the root, without generated ones, which keep their generators'
 * format.
 */
function listSources(): string[] {
  return readdirSync(join(root, 'assembly'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('generated'))
    .map((name) => join('assembly', name))
}

/** Returns the project's rules (.biome.json), for a tree outside git with only assembly/. */
function configuration(): string {
  const rules: unknown = JSON.parse(readFileSync(join(HERE, '.biome.json'), 'utf8'))
  return JSON.stringify({
    ...Object(rules),
    vcs: { enabled: false },
    files: { includes: ['assembly/**'] },
  })
}

const copy = mkdtempSync(join(tmpdir(), 'lockstep-assembly-'))
try {
  const sources = new Map(
    listSources().map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  )
  writeFileSync(join(copy, '.biome.json'), configuration())
  for (const [path, source] of sources) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    writeFileSync(join(copy, path), hideDecorators(source))
  }
  const { status } = spawnSync(
    process.execPath,
    [BIOME, 'check', '--error-on-warnings', ...(values.write ? ['--write'] : [])],
    { cwd: copy, stdio: 'inherit' },
  )
  process.exitCode = status ?? 1
  if (values.write) {
    for (const [path, source] of sources) {
      const written = showDecorators(readFileSync(join(copy, path), 'utf8'))
      if (written !== source) writeFileSync(join(root, path), written)
    }
  }
} finally {
  rmSync(copy, { recursive: true, force: true })
}
