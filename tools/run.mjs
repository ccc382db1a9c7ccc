#!/usr/bin/env node
// The tasks of a developer: prepares the checkout, then runs one.
import { join } from 'node:path'
import { ROOT, runTool } from './choose-node.mjs'
import { runInForeground } from './foreground.mjs'
import { ready } from './ready.mjs'

const installed = (...path) => join(ROOT, 'node_modules', ...path)
const biome = installed('@biomejs', 'biome', 'bin', 'biome')

const VITEST = [installed('vitest', 'vitest.mjs'), 'run', '-c', 'test/vitest.config.ts']

/** Command lines for Node, run in order. Arguments after the task's name go to the last one. */
const TASKS = {
  ready: [],
  build: [],
  explorer: [['tools/explorer/standalone.ts', 'build/explorer.html']],
  component: [['tools/component.ts']],
  package: [['tools/package/emit.ts']],
  'pack:try': [['tools/package/try.ts']],
  test: [[...VITEST, '--project', 'fast']],
  'test:all': [VITEST],
  'test:steady': [['tools/steady/main.ts']],
  check: [
    [biome, 'check', '--error-on-warnings'],
    ['tools/check-assembly.ts'],
    [installed('typescript', 'bin', 'tsc'), '-p', 'host'],
    ['tools/check-lookups.ts'],
    ['tools/check-imports.ts'],
    ['tools/check-timers.ts'],
    ['tools/check-waits.ts'],
    ['tools/check-affected.ts'],
    ['tools/check-folders.ts', '--quiet'],
    ['tools/gen-docs.ts', '--check'],
    ['tools/check-mentions.ts'],
    ['tools/check-words.ts'],
    ['tools/scan-wasm.ts'],
  ],
  folders: [['tools/check-folders.ts']],
  generate: [['tools/generate-tables.ts'], ['tools/generate-contracts.ts'], ['tools/gen-docs.ts']],
  format: [
    [biome, 'check', '--write'],
    ['tools/check-assembly.ts', '--write'],
  ],
  bench: [['bench/main.ts']],
  conformance: [['test/conformance/main.ts']],
  fuzz: [['test/fuzz/main.ts']],
  mutate: [['tools/mutation/main.ts']],
  ci: [['tools/ci/main.ts']],
}

/** Tasks that serve, pack or open the explorer's page. */
const WITH_EXPLORER = [
  'build',
  'explorer',
  'package',
  'pack:try',
  'test',
  'test:all',
  'test:steady',
  'mutate',
  'ci',
  'bench',
]

/** Tasks that start nodes. */
const WITH_BUNDLE = ['build', 'test', 'test:all', 'test:steady', 'ci', 'bench']

await runTool(async () => {
  const [name = '', ...args] = process.argv.slice(2)
  const commands = Object.hasOwn(TASKS, name) ? TASKS[name] : undefined
  if (commands === undefined) {
    process.stderr.write(
      `Usage: node tools/run.mjs <${Object.keys(TASKS).join('|')}> [arguments]\n`,
    )
    process.exitCode = 64
    return
  }
  const { node, main } = await ready({
    explorer: WITH_EXPLORER.includes(name) ? 'needed' : undefined,
    bundle: WITH_BUNDLE.includes(name) ? 'needed' : undefined,
  })
  // Nodes under test and measurement start from it
  if (WITH_BUNDLE.includes(name)) process.env.BUNDLED_COMMAND = main
  process.chdir(ROOT)
  for (const [index, command] of commands.entries()) {
    const own = index === commands.length - 1 ? args : []
    const code = await runInForeground(node, [...command, ...own])
    process.exitCode ||= code
  }
})
