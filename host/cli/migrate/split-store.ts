import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { LockstepError } from '../../base/error.ts'
import type { ImportStep } from '../../chain/snapshot/import-snapshot.ts'
import { lockHome } from '../../node/home/home-lock.ts'
import type { MigrationSource } from '../../node/offline/split-migration.ts'
import type { StoreBackend } from '../../storage/store/backend-choice.ts'
import { chooseHome, configOf, homeOption, requireHome } from '../option/home-option.ts'
import { withProgress } from '../progress/progress.ts'
import { showImportStep } from '../snapshot/import-step.ts'

interface SplitStoreFlags {
  readonly home?: string
  readonly from?: string
  readonly snapshot?: string
  readonly backend?: StoreBackend
  readonly dryRun?: true
}

const RESUME = 'run the same command again: it continues with the interrupted step'

const NEXT =
  'The home is ready. `lockstep start` logs `NodeDB SS is enabled`, ' +
  '`NodeDB EVM StateStore optimization is enabled` and `EVM state store enabled`; then ' +
  'debug_traceBlockByNumber answers for "latest"\n'

export function defineSplitStore(command: Command): void {
  command
    .option(
      '--from <URL>',
      'consensus RPC of a trusted node of the chain, from which the next start syncs the state',
    )
    .option('--snapshot <DIR>', 'folder of a snapshot to import instead of a state sync')
    .addOption(
      new Option(
        '--backend <BACKEND>',
        'ss-backend of the new databases (default: that of app.toml)',
      ).choices(['pebbledb', 'rocksdb', 'lmdb']),
    )
    .option('--dry-run', 'check everything and print the steps without changing anything')
    .addOption(homeOption())
    .action(async (flags: SplitStoreFlags) => {
      const home = chooseHome(flags.home)
      const source = sourceOf(flags)
      requireHome(home)
      const lock = lockHome(home)
      try {
        // Loaded here: help and argument errors need neither the stores nor the engine.
        const migration = await import('../../node/offline/split-migration.ts')
        const config = configOf(home)
        const backend = flags.backend ?? config.stateStore.ssBackend
        const plan = { home, config, source, backend }
        if (flags.dryRun === true) {
          const steps = await migration.planSplitMigration(plan)
          steps.forEach((step, i) => {
            process.stdout.write(`${i + 1}. ${step}\n`)
          })
          return
        }
        const stage = { label: 'Migrating', unit: 'steps', resume: RESUME }
        await withProgress(stage, async (progress) => {
          let steps = 0
          const onStep = (text: string): void => {
            progress.update(steps++)
            progress.note(text)
          }
          const onImport = (step: ImportStep) => showImportStep(step, progress)
          await migration.migrateToSplit({ ...plan, onStep, onImport })
        })
        process.stderr.write(NEXT)
      } finally {
        lock.release()
      }
    })
}

/** Returns the source of the state. @throws INVALID_ARGUMENT unless exactly one flag names it */
function sourceOf({ from, snapshot }: SplitStoreFlags): MigrationSource {
  if (from !== undefined && snapshot === undefined) return { from }
  if (snapshot !== undefined && from === undefined) return { snapshot: resolve(snapshot) }
  throw new LockstepError('INVALID_ARGUMENT', 'the state comes from either --from or --snapshot', {
    hint: 'pass one of the two: --from http://host:26657, or --snapshot with a folder',
  })
}
