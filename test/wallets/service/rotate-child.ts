// Rotates the master key of a home, and kills itself before one of the calls that write to disk.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import type { StatementResultingChanges } from 'node:sqlite'
import { loadSqlite } from '../../../host/storage/store/sqlite/sqlite.ts'

const [, , home = '', killAt = ''] = process.argv
/** Undefined while modules load, which also opens files. */
let calls: number | undefined

function killing<Args extends unknown[], T>(call: (...args: Args) => T) {
  return function (this: unknown, ...args: Args): T {
    if (calls !== undefined) calls++
    if (calls === Number(killAt)) process.kill(process.pid, 'SIGKILL')
    return call.apply(this, args)
  }
}

for (const name of [
  'openSync',
  'writeSync',
  'fsyncSync',
  'linkSync',
  'renameSync',
  'rmSync',
] as const) {
  Object.assign(fs, { [name]: killing(fs[name] as (...args: unknown[]) => unknown) })
}
syncBuiltinESMExports()
const { DatabaseSync, StatementSync } = loadSqlite()
DatabaseSync.prototype.exec = killing(DatabaseSync.prototype.exec)
StatementSync.prototype.run = killing(
  StatementSync.prototype.run as (...args: unknown[]) => StatementResultingChanges,
)

const { homeAt } = await import('../../../host/node/home/home.ts')
const { rotateWallets } = await import('../../../host/node/offline/rotate-wallets.ts')
const { loadConfig } = await import('../../../host/base/config/load.ts')
const at = homeAt(home)
const { config } = loadConfig({
  directory: at.config.directory,
  environment: {},
  flags: new Map(),
})
calls = 0
const { number } = rotateWallets(at, config, { kind: 'same' }, Date.now())
process.stdout.write(`${number} ${calls}\n`)
