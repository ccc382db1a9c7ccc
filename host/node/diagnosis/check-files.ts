import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Home } from '../home/home.ts'
import { isMigrationUnfinished, migrationFolder } from '../offline/split-migration.ts'
import { type Finding, fault, warning } from './finding.ts'
import type { HomeFacts } from './home-facts.ts'

/** Files that only their owner may read. */
const secretsOf = ({ config }: Home): readonly string[] => [config.validatorKey, config.nodeKey]

/** What an unfinished operation leaves in `data/` or the home, by name. */
const LEFTOVERS: readonly (readonly [RegExp, string, string])[] = [
  [
    /^snapshot-import\.json$/,
    'the import of a snapshot is not finished',
    'run `lockstep snapshot import` again, or `lockstep consensus unsafe-reset-all` to start over',
  ],
  [
    /^rollback\.json$/,
    'a rollback is not finished: the stores have different heights',
    'run `lockstep rollback` again: it continues',
  ],
  [/\.tmp$/, 'a write was interrupted', 'remove the file while no node runs: it was never used'],
]

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`
}

function* checkAccess(path: string, isFolder: boolean): Generator<Finding, void> {
  const { R_OK, W_OK, X_OK } = constants
  try {
    accessSync(path, isFolder ? R_OK | W_OK | X_OK : R_OK)
  } catch {
    const owner = statSync(path, { throwIfNoEntry: false })?.uid
    yield fault(
      'files',
      `user ${process.getuid?.()} cannot ${isFolder ? 'write' : 'read'} ${path}` +
        (owner === undefined ? '' : `: it belongs to user ${owner}`),
      `run the node as that user, or as root: \`chown -R ${process.getuid?.()} ${quoted(path)}\` ` +
        `and \`chmod u+rwX ${quoted(path)}\``,
    )
  }
}

function* checkOwner(path: string): Generator<Finding, void> {
  const stat = statSync(path, { throwIfNoEntry: false })
  const user = process.getuid?.()
  if (stat === undefined || user === undefined || user === 0 || stat.uid === user) return
  yield warning(
    'files',
    `${path} belongs to user ${stat.uid}, and this is user ${user}`,
    `as root: \`chown -R ${user} ${quoted(path)}\`, or run the node as user ${stat.uid}`,
  )
}

function* checkSecret(path: string): Generator<Finding, void> {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined || process.platform === 'win32' || (stat.mode & 0o077) === 0) return
  const mode = (stat.mode & 0o777).toString(8).padStart(4, '0')
  yield fault(
    'files',
    `permissions ${mode} for ${path} are too open: others can read the key`,
    `\`chmod 600 ${quoted(path)}\``,
  )
}

function* checkLeftovers({ home, process: pid }: HomeFacts): Generator<Finding, void> {
  if (pid !== undefined) return
  for (const folder of [home.root, home.config.directory, home.data.directory]) {
    if (!existsSync(folder)) continue
    for (const name of readdirSync(folder)) {
      const row = LEFTOVERS.find(([pattern]) => pattern.test(name))
      if (row === undefined) continue
      const [, what, remedy] = row
      const path = relative(home.root, join(folder, name))
      const isHarmless = name.endsWith('.tmp')
      yield (isHarmless ? warning : fault)('leftovers', `${path}: ${what}`, remedy)
    }
  }
  if (isMigrationUnfinished(home)) {
    yield fault(
      'leftovers',
      `${relative(home.root, migrationFolder(home))}: a migration to the split store is not finished`,
      'run `lockstep migrate split-store` again: it continues',
    )
  }
  if (existsSync(home.running)) {
    yield warning(
      'leftovers',
      'the node did not stop cleanly (running.json still exists)',
      'start it: it continues from its write-ahead log; stop it with Ctrl-C or SIGTERM',
    )
  }
}

/** Checks ownership, permissions, and leftovers of interrupted operations. */
export function* checkFiles(facts: HomeFacts): Generator<Finding, void> {
  const { home } = facts
  for (const path of [home.root, home.config.directory, home.data.directory]) {
    if (!existsSync(path)) continue
    yield* checkAccess(path, true)
    yield* checkOwner(path)
  }
  const { app, consensus, genesis } = home.config
  for (const path of [app, consensus, genesis, ...secretsOf(home)]) {
    if (existsSync(path)) yield* checkAccess(path, false)
  }
  for (const path of secretsOf(home)) yield* checkSecret(path)
  try {
    yield* checkLeftovers(facts)
  } catch {
    // An unreadable folder has its own finding above.
  }
}
