import { existsSync, mkdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { LockstepError } from '../../base/error.ts'
import { ERRORS } from '../../base/error-table.ts'
import { openHasher } from '../../node/commit-hasher.ts'
import { homeAt } from '../../node/home/home.ts'
import { type HomeLock, lockHome } from '../../node/home/home-lock.ts'
import { VERSION } from '../../node/version.ts'
import { CommitDump } from '../../storage/commit/commit-dump.ts'
import { DATABASES, type DatabaseName } from '../../storage/commit/flatkv/flatkv.ts'
import { type Progress, withProgress } from '../progress/progress.ts'
import { upperHex } from './key-text.ts'
import { LineWriter } from './line-writer.ts'

const RESUME = 'run it again: it starts over, and changes nothing in the database'

/** Rows between two progress reports. */
const LOOK_ROWS = 256

interface DumpFlags {
  readonly dbDir?: string
  readonly outputDir?: string
  readonly height: number
}

interface IavlFlags extends DumpFlags {
  readonly module?: string
}

interface FlatFlags extends DumpFlags {
  readonly bucket?: string
  readonly lthash?: true
  readonly lthashOnly?: true
}

function readHeight(text: string): number {
  const height = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(height)) return height
  throw new InvalidArgumentError('It is not a height.')
}

function missing(what: string, flag: string): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', `Must provide ${what}`, { hint: `pass ${flag}` })
}

/** Returns the lock of the home that contains a state commit; undefined if it was copied out of one. */
function lockAround(dir: string): HomeLock | undefined {
  const root = dirname(dirname(resolve(dir)))
  return existsSync(join(root, 'config')) ? lockHome(homeAt(root)) : undefined
}

/** A dump in progress. */
interface DumpRun {
  readonly dump: CommitDump
  readonly folder: string
  readonly progress: Progress
}

async function withDump(
  { dbDir, outputDir }: DumpFlags,
  work: (run: DumpRun) => Promise<void>,
): Promise<void> {
  if (dbDir === undefined) throw missing('database dir', '-d with the data/committer.db of a node')
  if (outputDir === undefined) throw missing('output dir', '-o with a folder to write into')
  const lock = lockAround(dbDir)
  try {
    const dump = CommitDump.open(dbDir, await openHasher())
    try {
      mkdirSync(outputDir, { recursive: true, mode: 0o700 })
      const stage = { label: 'Dumping', unit: 'rows', resume: RESUME }
      await withProgress(stage, (progress) => work({ dump, folder: outputDir, progress }))
    } finally {
      await dump.close()
    }
  } finally {
    lock?.release()
  }
}

/** Returns the first line of a file. */
function headLine(name: string, version: number, root: Uint8Array): string {
  return `Tree ${name} has version ${version} and root hash: ${upperHex(root)} `
}

async function writeRows(
  path: string,
  head: string,
  rows: Iterable<{ readonly key: Uint8Array; readonly value?: Uint8Array | undefined }>,
  progress: Progress,
): Promise<void> {
  progress.stage({ label: `Dumping ${basename(path)}`, unit: 'rows' })
  progress.print(head)
  const file = LineWriter.toFile(path)
  await file.line(head)
  let written = 0
  for (const { key, value } of rows) {
    const wait = file.line(`Key: ${upperHex(key)}, Value: ${upperHex(value ?? new Uint8Array(0))} `)
    if (wait !== undefined) await wait
    if (++written % LOOK_ROWS === 0) await progress.update(written)
  }
  await file.end()
}

function dumpIavl(flags: IavlFlags): Promise<void> {
  const { height, module } = flags
  return withDump(flags, async ({ dump, folder, progress }) => {
    const trees = dump.trees(height)
    const wanted = trees.filter(({ name }) => module === undefined || name === module)
    if (module !== undefined && wanted.length === 0) {
      progress.print(`Tree does not exist for module ${module} `)
    }
    for (const tree of wanted) {
      const head = headLine(tree.name, height === 0 ? dump.version : height, tree.root)
      await writeRows(join(folder, tree.name), head, dump.leaves(tree), progress)
    }
  })
}

function dumpFlatKv(flags: FlatFlags): Promise<void> {
  const { height, bucket, lthash, lthashOnly } = flags
  const names = bucket === undefined ? DATABASES : DATABASES.filter((name) => name === bucket)
  if (names.length === 0) {
    throw new LockstepError('INVALID_ARGUMENT', `--bucket: there is no bucket ${bucket}`, {
      hint: `name one of ${DATABASES.join(', ')}`,
    })
  }
  return withDump(flags, async (run) => {
    const { dump } = run
    if (height !== 0 && height !== dump.version) {
      throw new LockstepError(
        'STATE_PRUNED',
        `Invalid version number: EVM state exists only at height ${dump.version}, not at ${height}`,
        {
          hint: 'omit --height; `lockstep rollback` takes a copy of the home to an earlier height',
        },
      )
    }
    if (lthashOnly !== true) for (const name of names) await writeBucket(run, name)
    if (lthash === true || lthashOnly === true) await writeLattices(run, names)
  })
}

async function writeBucket({ dump, folder, progress }: DumpRun, name: DatabaseName): Promise<void> {
  const head = headLine(name, dump.version, dump.flatRoot(name))
  await writeRows(join(folder, name), head, dump.flatRows(name), progress)
}

/** Writes the summed vectors, 2,048 bytes each, and the root over all buckets. */
async function writeLattices(
  { dump, folder, progress }: DumpRun,
  names: readonly DatabaseName[],
): Promise<void> {
  const file = LineWriter.toFile(join(folder, 'lthash'))
  const lattices = dump.lattices()
  for (const name of names) await file.line(`${name}: ${upperHex(lattices[name])} `)
  const head = headLine('evm_lattice', dump.version, dump.flatRoot())
  progress.print(head)
  await file.line(head)
  await file.end()
}

function addDumpFlags(command: Command): Command {
  return command
    .option('-d, --db-dir <DIR>', 'data/committer.db of a stopped node')
    .option('-o, --output-dir <DIR>', 'folder to write into')
    .option('--height <N>', 'a retained height; 0 is the latest', readHeight, 0)
}

/** Returns the commands of `lockstep-db` with their flags. */
export function buildDumpTool(): Command {
  const program = new Command('lockstep-db')
    .description("Dumps the state commit of a stopped node: its home's data/committer.db")
    .version(VERSION, '-V, --version', 'print the version')
    .option('--verbose', 'show the stack of an error')
    .helpOption('-h, --help', 'show this help')
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, 'Error: ')),
    })
  addDumpFlags(program.command('dump-iavl'))
    .description('write the module trees, one file each')
    .option('-m, --module <NAME>', 'module to write; all by default')
    .addHelpText(
      'after',
      '\nExample:\n  lockstep-db dump-iavl -d ~/.lockstep/data/committer.db -o dump',
    )
    .action((flags: IavlFlags) => dumpIavl(flags))
  addDumpFlags(program.command('dump-flatkv'))
    .description('write EVM state, one file per bucket')
    .option('-b, --bucket <NAME>', `one of ${DATABASES.join(', ')}; all by default`)
    .option('--lthash', 'also write the vector of each bucket, into the file lthash')
    .option('--lthash-only', 'write only the vectors')
    .addHelpText(
      'after',
      '\nExample:\n  lockstep-db dump-flatkv -d ~/.lockstep/data/committer.db -o dump',
    )
    .action((flags: FlatFlags) => dumpFlatKv(flags))
  return program
}

/** Runs one command line of `lockstep-db` and resolves with the exit code. */
export async function runDumpTool(args: readonly string[]): Promise<number> {
  try {
    await buildDumpTool().parseAsync([...args], { from: 'user' })
    return 0
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    // Commander has already written the message.
    return error.exitCode === 0 ? 0 : ERRORS.INVALID_ARGUMENT.exit
  }
}
