import { InvalidArgumentError } from 'commander'
import { nearestName } from '../../base/config/nearest-name.ts'
import { CONFIG_ENTRIES, normalizeName } from '../../base/config/schema.ts'
import { literalOf } from '../../base/config/set-key.ts'
import { LockstepError } from '../../base/error.ts'
import type { NodeSetting } from '../../node/network/network-plan.ts'

/** Parses an integer flag; commander names the flag in errors. */
export function integerBetween(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    throw new InvalidArgumentError(`It must be an integer from ${least} to ${most}.`)
  }
}

/** Parses machine names or addresses, separated by commas. */
export function readHosts(text: string): readonly string[] {
  const hosts = text.split(',').map((host) => host.trim())
  const wrong = hosts.find((host) => !/^(?:[\w.-]+|\[[0-9a-fA-F:]+\])$/.test(host))
  if (wrong === undefined) return hosts
  throw new InvalidArgumentError(
    `"${wrong}" is not a machine: write names or addresses separated by commas, IPv6 in brackets.`,
  )
}

const MAX_POWER = 1_000_000

/** Parses voting powers, separated by commas. */
export function readPowers(text: string): readonly number[] {
  return text.split(',').map((power) => integerBetween(1, MAX_POWER)(power.trim()))
}

function settingError(message: string, hint: string): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', `--set: ${message}`, { hint })
}

/** Parses `[node:]key=value`. @throws INVALID_ARGUMENT */
function parseSetting(text: string): NodeSetting {
  const [, target, name, value] = /^(?:([\w-]+):)?([\w.-]+)=(.*)$/.exec(text) ?? []
  if (name === undefined || value === undefined) {
    throw settingError(
      `"${text}" is not a key and a value`,
      'write it as mempool.size=5000, or full-1:state-store.evm-ss-split=true for one node',
    )
  }
  const flag = normalizeName(name)
  const entry = CONFIG_ENTRIES.find((each) => each.flag === flag)
  if (entry === undefined) {
    const near = nearestName(
      flag,
      CONFIG_ENTRIES.map((each) => each.flag),
    )
    throw settingError(
      `"${name}" is not a key of the configuration`,
      near === undefined ? 'see host/base/config/KEYS.md' : `did you mean ${near}?`,
    )
  }
  if (entry.type.decode(value) === undefined) {
    throw settingError(`${name} = "${value}": must be ${entry.type.rule}`, 'correct the value')
  }
  return { target, flag, value: literalOf(entry, value) }
}

/** Collects the values of `--set`, which may be repeated. @throws INVALID_ARGUMENT */
export function addSetting(
  text: string,
  settings: readonly NodeSetting[] = [],
): readonly NodeSetting[] {
  return [...settings, parseSetting(text)]
}
