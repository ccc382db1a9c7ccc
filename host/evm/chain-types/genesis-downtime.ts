import type { GenesisDowntime } from './genesis.ts'
import {
  formatGenesisShare,
  type GenesisObject,
  invalidGenesis,
  readGenesisInteger,
  readGenesisObject,
  readGenesisSeconds,
  readGenesisShare,
  requireKnownMembers,
} from './genesis-json.ts'

/** A validator's missed blocks are at most 391 rows. */
const MAX_WINDOW = 100_000n

/** Reads `app_state.evm.staking.downtime`; undefined if it is absent. */
export function readDowntime(value: unknown, path: string): GenesisDowntime | undefined {
  if (value === undefined) return undefined
  const object = readGenesisObject(value, path)
  requireKnownMembers(object, path, [
    'signed_blocks_window',
    'min_signed_per_window',
    'downtime_jail_duration',
  ])
  const windowPath = `${path}.signed_blocks_window`
  const window = readGenesisInteger(object.signed_blocks_window, windowPath, MAX_WINDOW)
  if (window === 0n) throw invalidGenesis(windowPath, 'must be at least 1')
  return {
    window: Number(window),
    minSigned: readGenesisShare(object.min_signed_per_window, `${path}.min_signed_per_window`),
    jailSeconds: readGenesisSeconds(
      object.downtime_jail_duration,
      `${path}.downtime_jail_duration`,
    ),
  }
}

/** Returns the `downtime` member of `app_state.evm.staking`; an empty object if it is absent. */
export function formatDowntime(downtime: GenesisDowntime | undefined): GenesisObject {
  if (downtime === undefined) return {}
  const { window, minSigned, jailSeconds } = downtime
  return {
    downtime: {
      signed_blocks_window: window.toString(),
      min_signed_per_window: formatGenesisShare(minSigned),
      downtime_jail_duration: `${jailSeconds}s`,
    },
  }
}
