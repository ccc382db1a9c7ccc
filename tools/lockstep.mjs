#!/usr/bin/env node
// The command line from a checkout: prepares it, then runs its bundle.
import { pathToFileURL } from 'node:url'
import { runTool } from './choose-node.mjs'
import { ready } from './ready.mjs'

await runTool(async () => {
  const explorer = process.argv[2] === 'start' ? 'wanted' : undefined
  const { node, main } = await ready({ explorer, bundle: 'wanted' })
  if (node === process.execPath) {
    await import(pathToFileURL(main).href)
  } else {
    const { runInForeground } = await import('./foreground.mjs')
    process.exitCode = await runInForeground(node, [main, ...process.argv.slice(2)])
  }
})
