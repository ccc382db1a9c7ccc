import { existsSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { lockHome } from '../../node/home/home-lock.ts'
import { addConfigFlags, settingsOfFlags } from '../option/config-flags.ts'
import { chooseHome, configOf, homeOption } from '../option/home-option.ts'
import { withProgress } from '../progress/progress.ts'
import { showImportStep } from './import-step.ts'
import { namedSnapshot, SNAPSHOT_ARGUMENT } from './snapshot-argument.ts'
import { describeSnapshot } from './snapshot-text.ts'

const RESUME = 'run the same command again: it continues after the imported chunks'

interface ImportFlags {
  readonly home?: string
  readonly genesis?: string
  readonly mode: 'full' | 'validator'
}

const SIGNS =
  'This node signs from the next height on: if another node has its key, or has signed beyond the ' +
  'snapshot, two blocks get signed at one height\n'

const FOLLOWS =
  'This node follows the chain and signs nothing (mode = "full" in config.toml); rpc-servers of [follow] ' +
  'names the nodes that it takes blocks from\n'

export function defineSnapshotImport(command: Command): void {
  command
    .argument(...SNAPSHOT_ARGUMENT)
    .option('--genesis <FILE>', "the chain's genesis.json, for a home without one")
    .addOption(
      new Option(
        '--mode <MODE>',
        'full follows the chain and signs nothing; validator signs with the key of this home, which no other ' +
          'node may have',
      )
        .choices(['full', 'validator'])
        .default('full'),
    )
    .addOption(homeOption())
  const readFlags = addConfigFlags(command)
  command.action(async (text: string, flags: ImportFlags) => {
    const passed = readFlags()
    const home = chooseHome(flags.home)
    const { dir, source } = namedSnapshot(text, home)
    const genesis = flags.genesis ?? source?.config.genesis
    const { mode } = flags
    const config = configOf(home, passed)
    const settings = settingsOfFlags(passed)
    const write = (line: string): void => void process.stderr.write(line)
    if (genesis !== undefined && !existsSync(home.config.genesis)) {
      write(`Initializing ${home.root} for the chain of ${genesis}, with new keys\n`)
    }
    const lock = lockHome(home)
    try {
      const metadata = await withProgress(
        { label: 'Taking chunks', unit: 'chunks', resume: RESUME },
        async (progress) => {
          // Loaded here: help and argument errors need neither the stores nor the engine.
          const { importHome } = await import('../../node/offline/home-snapshots.ts')
          progress.update(0)
          return importHome({ home, config }, { dir, genesis, mode, settings }, (step) =>
            showImportStep(step, progress),
          )
        },
      )
      write(`Imported ${describeSnapshot(metadata)}\n`)
      write(mode === 'validator' ? SIGNS : FOLLOWS)
    } finally {
      lock.release()
    }
  })
}
