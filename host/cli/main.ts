#!/usr/bin/env node
import { keepCompiledCode } from '../base/process/compile-cache.ts'
import { NODE_RANGE } from '../node/version.ts'
import { checkNodeVersion } from './node-version.ts'
import { reportError } from './report-error.ts'

let code: number
try {
  checkNodeVersion(process.versions.node, NODE_RANGE)
  keepCompiledCode(import.meta.url)
  // What follows may need what an older Node does not have
  const args = process.argv.slice(2)
  const isStart = args.find((argument) => !argument.startsWith('-')) === 'start'
  // From the first object on: those of the modules are many
  if (isStart) (await import('./start/garbage-collection.ts')).collectOnOwnThread()
  const run = isStart
    ? (await import('./start-line.ts')).runStartLine
    : (await import('./command-line.ts')).runCommandLine
  code = await run(args)
} catch (error) {
  code = reportError(error, process.argv.includes('--verbose'))
}
// A pipe takes as much as its reader leaves room for: what waits must leave before the process does.
await new Promise<void>((resolve) => process.stdout.write('', () => resolve()))
// Ends the process even if something still holds it: a command that is over has nothing left to do.
process.exit(code)
