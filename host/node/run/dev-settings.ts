import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../base/config/schema.ts'
import { SECOND } from '../../chain/dev/chain-clock.ts'
import { NextBlockOverrides } from '../../chain/dev/next-block-overrides.ts'
import { UnlockedAccounts } from '../../chain/dev/unlocked-accounts.ts'
import type { AccountKey } from '../../evm/chain-types/account-key.ts'

/** Returns the settings of blocks at the start of a development chain. */
export function nextBlockOverrides({ dev: { gasLimit } }: Config): NextBlockOverrides {
  return new NextBlockOverrides({ gasLimit: gasLimit === 0 ? undefined : BigInt(gasLimit) })
}

/** Returns those of a fork. The genesis of another chain has the base fee itself. */
export function forkOverrides(config: Config): NextBlockOverrides {
  const { gasLimit } = nextBlockOverrides(config)
  const { baseFee } = config.dev
  return new NextBlockOverrides({
    gasLimit,
    baseFee: baseFee < 0 ? undefined : BigInt(baseFee),
  })
}

/**
 * Returns the time at which the clock of a new chain begins, in nanoseconds since 1970; undefined for now.
 * @param genesisTime that of genesis.json, which has the configured one
 */
export function beginningOf({ dev }: Config, genesisTime?: bigint): bigint | undefined {
  if (dev.timestamp >= 0) return BigInt(dev.timestamp) * SECOND
  return dev.init === '' ? undefined : genesisTime
}

/** Returns the unlocked accounts of a development chain. */
export function unlockedAccounts(
  { dev: { autoImpersonate } }: Config,
  keys: Iterable<AccountKey>,
): UnlockedAccounts {
  const accounts = new UnlockedAccounts(keys)
  accounts.autoImpersonate = autoImpersonate
  return accounts
}

/** Files of the state of a development chain; undefined for none. */
export interface StateFiles {
  readonly load: { readonly path: string; readonly mustExist: boolean } | undefined
  readonly dump: string | undefined
}

/** Returns the state files that the configuration names. */
export function stateFilesOf({ dev }: Config): StateFiles {
  const { state, loadState, dumpState } = dev
  const load = loadState || state
  const dump = dumpState || state
  return {
    load: load === '' ? undefined : { path: inFolder(load), mustExist: loadState !== '' },
    dump: dump === '' ? undefined : inFolder(dump),
  }
}

/** Returns `state.json` of a folder, as anvil does, and another path as it is. */
function inFolder(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, 'state.json') : path
}
