import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)
const cache = fileURLToPath(new URL('../../../build/test/', import.meta.url))

interface Failures {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
}

/**
 * Returns solc's output for `input`, both standard JSON as text. Caches the output in build/test by compiler version
 * and input, because loading the compiler takes each process a second.
 * @throws Error with the compiler's message
 */
export function solcOutput(input: string): string {
  const { version } = require('solc/package.json') as { version: string }
  const name = createHash('sha256').update(version).update(input).digest('hex').slice(0, 16)
  const file = `${cache}solc-${name}.json`
  const cached = readIfPresent(file)
  if (cached !== undefined) return cached
  const output = compileOnce(input)
  mkdirSync(cache, { recursive: true })
  // Another worker may write the same file, but rename is atomic.
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, output)
  renameSync(draft, file)
  return output
}

/**
 * Returns solc's output for `input` without caching it, for random sources.
 * @throws Error with the compiler's message
 */
export function compileOnce(input: string): string {
  const output = loadSolc().compile(input)
  const { errors } = JSON.parse(output) as Failures
  const failure = errors?.find(({ severity }) => severity === 'error')
  if (failure !== undefined) throw new Error(failure.formattedMessage)
  return output
}

/** Removes solc's handler of unhandled rejections, which ends the process. The test runner reports them. */
function loadSolc(): { compile(input: string): string } {
  const before = process.listeners('unhandledRejection')
  const solc = require('solc') as { compile(input: string): string }
  for (const listener of process.listeners('unhandledRejection')) {
    if (!before.includes(listener)) process.off('unhandledRejection', listener)
  }
  return solc
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
