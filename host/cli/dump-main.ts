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
  const { runDumpTool } = await import('./dump/dump-tool.ts')
  code = await runDumpTool(process.argv.slice(2))
} catch (error) {
  code = reportError(error, process.argv.includes('--verbose'))
}
process.exit(code)
