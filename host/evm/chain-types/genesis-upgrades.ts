import {
  formatUpgradePlan,
  orderUpgradePlans,
  parseUpgradePlan,
  type UpgradePlan,
} from '../../base/upgrade-plan.ts'
import {
  type GenesisObject,
  invalidGenesis,
  readGenesisArray,
  readGenesisString,
} from './genesis-json.ts'

/** Reads `app_state.evm.upgrades`: texts such as v2@100000. */
export function readUpgrades(value: unknown, path: string): readonly UpgradePlan[] {
  const plans = readGenesisArray(value ?? [], path).map((text, i) => {
    const plan = parseUpgradePlan(readGenesisString(text, `${path}[${i}]`))
    if (plan === undefined)
      throw invalidGenesis(`${path}[${i}]`, `"${text}" is not a plan such as v2@100000`)
    return plan
  })
  const ordered = orderUpgradePlans(plans)
  if (ordered === undefined) throw invalidGenesis(path, 'contain a name or a height twice')
  return ordered
}

/** Returns the `upgrades` member of `app_state.evm`; an empty object if there are none. */
export function formatUpgrades(upgrades: readonly UpgradePlan[]): GenesisObject {
  return upgrades.length === 0 ? {} : { upgrades: upgrades.map(formatUpgradePlan) }
}
