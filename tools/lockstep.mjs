#!/usr/bin/env node
// The command line from a checkout: makes it ready, then runs host/cli/main.ts.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { prepare, ROOT, runInForeground, runTool } from './bootstrap.mjs'

await runTool(async () => {
  const node = await prepare({ explorer: process.argv[2] === 'start' ? 'wanted' : undefined })
  const main = join(ROOT, 'host', 'cli', 'main.ts')
  if (node === process.execPath) {
    await import(pathToFileURL(main).href)
  } else {
    process.exitCode = await runInForeground(node, [main, ...process.argv.slice(2)])
  }
})
