import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { LockstepError } from '../../base/error.ts'
import { hexDigits } from '../../base/hex.ts'
import { openHasher } from '../../node/commit-hasher.ts'
import { lockHome } from '../../node/home/home-lock.ts'
import { CommitDump } from '../../storage/commit/commit-dump.ts'
import type { StoredRoot } from '../../storage/commit/version-rows.ts'
import { chooseHome, homeOption, requireHome } from '../option/home-option.ts'
import { withProgress } from '../progress/progress.ts'
import { iaviewerKeyText, upperHex } from './key-text.ts'
import { LineWriter } from './line-writer.ts'

interface DumpFlags {
  readonly outputDir?: string
  readonly module?: string
  readonly home?: string
}

/** Called after each written node; the caller awaits the result. */
type Count = () => Promise<void> | undefined

const RESUME = 'run it again: it starts over, and changes nothing in the databases'

function readHeight(text: string): number {
  const height = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(height)) return height
  throw new InvalidArgumentError(`Invalid version number: "${text}" is not a height`)
}

async function writeData(
  dump: CommitDump,
  tree: StoredRoot,
  path: string,
  count: Count,
): Promise<void> {
  const file = LineWriter.toFile(path)
  for (const { key, value } of dump.leaves(tree)) {
    await file.line(`  ${iaviewerKeyText(key)}`)
    await file.line(`    ${upperHex(value ?? new Uint8Array(0))}`)
    await count()
  }
  await file.line(`Hash: ${upperHex(tree.root)}`)
  await file.line(`Size: ${dump.size(tree).toString(16).toUpperCase()}`)
  await file.end()
}

/** Writes the tree from left to right: `*` and a key is a leaf, `-` and a hash is the parent of its neighbours. */
async function writeShape(
  dump: CommitDump,
  tree: StoredRoot,
  path: string,
  count: Count,
): Promise<void> {
  const file = LineWriter.toFile(path)
  if (tree.node === 0) await file.line('<nil>')
  for (const { row, depth } of dump.shape(tree)) {
    const text =
      row.height === 0
        ? `*${depth} ${iaviewerKeyText(row.key)}`
        : `-${depth} ${hexDigits(row.hash).toUpperCase()}`
    await file.line(`${'  '.repeat(depth)}${text}`)
    await count()
  }
  await file.end()
}

export function defineDumpIavl(command: Command): void {
  command
    .argument('<height>', 'a retained height; 0 is the latest', readHeight)
    .option('--output-dir <DIR>', 'folder to write into (default: state_<height> below the home)')
    .option('-m, --module <NAME>', 'module to write; all by default')
    .addOption(homeOption())
    .action(async (height: number, flags: DumpFlags) => {
      const home = chooseHome(flags.home)
      requireHome(home)
      const lock = lockHome(home)
      try {
        const dump = CommitDump.open(home.data.stateCommit, await openHasher())
        try {
          const folder = flags.outputDir ?? join(home.root, `state_${height}`)
          await withProgress(
            { label: 'Dumping', unit: 'nodes', resume: RESUME },
            async (progress) => {
              let nodes = 0
              const count: Count = () => progress.update(++nodes)
              const print = (line: string): void => progress.print(line)
              await dumpTrees(dump, height, flags, folder, home.data.stateCommit, print, count)
            },
          )
        } finally {
          await dump.close()
        }
      } finally {
        lock.release()
      }
    })
}

async function dumpTrees(
  dump: CommitDump,
  height: number,
  { module }: DumpFlags,
  folder: string,
  path: string,
  print: (line: string) => void,
  count: Count,
): Promise<void> {
  const trees = dump.trees(height)
  const wanted = trees.filter(({ name }) => module === undefined || name === module)
  if (module !== undefined && wanted.length === 0) {
    throw new LockstepError('NOT_FOUND', `no such store: ${module}`, {
      hint: `height ${height} has ${trees.map(({ name }) => name).join(', ') || 'no module stores'}`,
    })
  }
  print(`db path: ${path}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const tree of wanted) {
    print(`Processing Module: ${tree.name}`)
    await writeData(dump, tree, join(folder, `${tree.name}.data`), count)
    await writeShape(dump, tree, join(folder, `${tree.name}.shape`), count)
  }
}
