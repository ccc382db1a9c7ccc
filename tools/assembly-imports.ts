import { dirname, join, relative } from 'node:path'
import { importGraph } from './import-graph.ts'

/** Folders of assembly/, some with their rooms, and files beside them, the entry of a module below what it runs. */
const ORDER: readonly string[] = [
  'generated',
  'layout.ts',
  'u256',
  'hash',
  'commit',
  'commit.ts',
  'curve',
  'natural',
  'trace',
  'precompile',
  'pairing.ts',
  'recovery.ts',
  'module',
  'modules.ts',
  'evm',
  'evm/context',
  'evm/machine',
  'evm/state',
  'evm/frame',
  'evm/instruction',
  'evm/interpreter',
  'evm/message',
  'engine.ts',
]

/** Place in the list of a file of assembly/: that of the innermost folder listed, -1 for none. */
function placeOf(file: string): number {
  for (let path = file; path !== '.'; path = dirname(path)) {
    const place = ORDER.indexOf(path)
    if (place !== -1) return place
  }
  return -1
}

function isOfCommit(file: string): boolean {
  return file === 'commit.ts' || dirname(file) === 'commit'
}

function brokenBy(file: string, targets: readonly string[]): string[] {
  const place = placeOf(file)
  const path = join('assembly', file)
  if (place === -1) return [`${path}: its folder is not in the list of tools/assembly-imports.ts`]
  return targets.flatMap((target) => {
    if (placeOf(target) > place) {
      return [`${path}: ${target}: imports run one way: only a folder above may be imported`]
    }
    if (isOfCommit(target) && !isOfCommit(file)) {
      return [`${path}: ${target}: only commit.wasm hashes state`]
    }
    return []
  })
}

/** A line for each import of assembly/ that leads down the list, or from the engine to what hashes state. */
export function findBrokenImports(root: string): string[] {
  const graph = importGraph(root, ['assembly'])
  return Array.from(graph, ([file, targets]) =>
    brokenBy(
      relative('assembly', file),
      targets.map((target) => relative('assembly', target)),
    ),
  ).flat()
}
