import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const CACHE = fileURLToPath(new URL('../../../.cache/', import.meta.url))

/** Returns the path of a Node of this major release, installed by npm in .cache/ or running this, or undefined. */
export function nodeOf(major: number): string | undefined {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath
  const found = globSync(`node-${major}/node_modules/*/bin/node`, { cwd: CACHE })[0]
  return found === undefined ? undefined : `${CACHE}${found}`
}

/** Returns the reason why a test cannot run, for its name. */
export function whyNoNode(major: number): string {
  const name = `node-${process.platform}-${process.arch}@${major}`
  return `no Node ${major}: npm install --prefix .cache/node-${major} --ignore-scripts ${name}`
}

/** Runs a program of the checkout with a Node and returns its standard output, without warnings. */
export function runUnder(node: string, program: string, args: readonly string[]): string {
  const path = fileURLToPath(new URL(program, import.meta.url))
  const argv = ['--disable-warning=ExperimentalWarning', path, ...args]
  return execFileSync(node, argv, { encoding: 'utf8', maxBuffer: 1 << 28 })
}
