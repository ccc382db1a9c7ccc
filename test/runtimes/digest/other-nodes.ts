import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const CACHE = fileURLToPath(new URL('../../../.cache/', import.meta.url))

/** The Node of a major release that npm has put into .cache/, or the one that runs this. */
export function nodeOf(major: number): string | undefined {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath
  const found = globSync(`node-${major}/node_modules/*/bin/node`, { cwd: CACHE })[0]
  return found === undefined ? undefined : `${CACHE}${found}`
}

/** For the name of a test that cannot run without it. */
export function whyNoNode(major: number): string {
  const name = `node-${process.platform}-${process.arch}@${major}`
  return `no Node ${major}: npm install --prefix .cache/node-${major} --ignore-scripts ${name}`
}

/** Standard output of a program of the checkout under a Node, without its warnings. */
export function runUnder(node: string, program: string, args: readonly string[]): string {
  const path = fileURLToPath(new URL(program, import.meta.url))
  const argv = ['--disable-warning=ExperimentalWarning', path, ...args]
  return execFileSync(node, argv, { encoding: 'utf8', maxBuffer: 1 << 28 })
}
