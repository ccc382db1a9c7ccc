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
  const { runDumpTool } = await import('./dump/dump-tool.ts')
  code = await runDumpTool(process.argv.slice(2))
} catch (error) {
  code = reportError(error, process.argv.includes('--verbose'))
}
process.exit(code)
