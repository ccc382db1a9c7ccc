// Plain JavaScript without dependencies, which every start loads.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { chooseNode, ROOT } from './choose-node.mjs'
import { readStamp } from './ready-stamp.mjs'

/**
 * Prepares the checkout with `prepare` of bootstrap.mjs, which is loaded only if something has changed since the last
 * time. Returns the Node to run it with, and the file of the command line.
 */
export async function ready(wanted = {}) {
  const node = chooseNode()
  const names = Object.keys(wanted).filter((name) => wanted[name] !== undefined)
  const stamp = join(ROOT, 'build', ['.ready', ...names.sort()].join('-'))
  const [main] = readStamp(ROOT, stamp) ?? []
  if (main !== undefined && existsSync(node)) return { node, main: join(ROOT, main) }
  const { prepare } = await import('./bootstrap.mjs')
  return prepare(wanted, stamp)
}
