import { dirname, join, relative } from 'node:path'
import { importGraph } from './import-graph.ts'

/** Folders of assembly/, some with subfolders, and files next to them, each module's entry below the code it runs. */
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
  'compile',
  'compile.ts',
]

/** Returns the index in the list of the innermost folder of a file of assembly/, or -1. */
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
  if (place === -1) return [`${path}: its folder is not listed in tools/assembly-imports.ts`]
  return targets.flatMap((target) => {
    if (placeOf(target) > place) {
      return [
        `${path}: ${target}: imports run one way: a file may import only from folders above its own`,
      ]
    }
    if (isOfCommit(target) && !isOfCommit(file)) {
      return [`${path}: ${target}: only commit.wasm may import state hashing`]
    }
    return []
  })
}

/** Returns a line for each import of assembly/ down the list, or from the engine to the state hashing. */
export function findBrokenImports(root: string): string[] {
  const graph = importGraph(root, ['assembly'])
  return Array.from(graph, ([file, targets]) =>
    brokenBy(
      relative('assembly', file),
      targets.map((target) => relative('assembly', target)),
    ),
  ).flat()
}
