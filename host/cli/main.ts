#!/usr/bin/env node
import { keepCompiledCode } from '../base/process/compile-cache.ts'
import { openExitGate } from '../base/process/stop-gate.ts'
import { NODE_RANGE } from '../node/version.ts'
import { checkNodeVersion } from './node-version.ts'
import { reportError } from './report-error.ts'

let code: number
try {
  checkNodeVersion(process.versions.node, NODE_RANGE)
  keepCompiledCode(import.meta.url)
  openExitGate()
  // Loaded after the version check: an older Node may lack what these modules need.
  const args = process.argv.slice(2)
  const name = args.find((argument) => !argument.startsWith('-'))
  const isStart = name === 'start' || name === 'anvil'
  // Before the modules are loaded: they create many objects.
  if (isStart) (await import('./start/garbage-collection.ts')).collectOnOwnThread()
  const run = isStart
    ? (await import('./start-line.ts')).runStartLine
    : (await import('./command-line.ts')).runCommandLine
  code = await run(args)
} catch (error) {
  code = reportError(error, process.argv.includes('--verbose'))
}
// Flush the pipe before the process exits: its reader may not have made room yet.
await new Promise<void>((resolve) => process.stdout.write('', () => resolve()))
// Ends the process even if a handle is still open: the command is done.
process.exit(code)
