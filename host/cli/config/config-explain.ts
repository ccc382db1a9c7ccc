import type { Command } from 'commander'
import { nearestName } from '../../base/config/nearest-name.ts'
import {
  CONFIG_ENTRIES,
  type ConfigEntry,
  LIST_ENTRIES,
  normalizeName,
  REPLACED_KEYS,
} from '../../base/config/schema.ts'
import { LockstepError } from '../../base/error.ts'

/**
 * Returns the key that a spelling names: `[evm] http_port`, `--evm.http-port`, `evm.http_port`,
 * `LOCKSTEP_EVM_HTTP_PORT` and `http_port` are one key.
 */
function nameOf(text: string): string {
  return normalizeName(
    text
      .trim()
      .replace(/^--|^\[|\s+/g, '')
      .replace(']', '.'),
  ).replace(/^\./, '')
}

/** Returns the list keys that a name matches: one of them, or all if it names the list. */
function findListKeys(text: string): readonly Explained[] {
  const name = nameOf(text.replace('[[', '[').replace(']]', ']')).replace(/\.$/, '')
  return LIST_ENTRIES.flatMap(({ file, header, keys }) =>
    Object.entries(keys)
      .filter(([key]) => name === header || name === `${header}.${key}`)
      .map(([key, { type, fallback, help }]) => ({
        key: `[[${header}]] ${key}`,
        file: `config/${file}`,
        meaning: help,
        value: type.rule,
        default: fallback ?? 'none: required',
      })),
  )
}

/** Returns the keys that a name matches. @throws INVALID_ARGUMENT */
function findEntries(text: string): readonly ConfigEntry[] {
  const name = nameOf(text)
  const exact = CONFIG_ENTRIES.filter(
    ({ flag, variable }) => flag === name || variable === text.trim(),
  )
  if (exact.length > 0) return exact
  const byName = CONFIG_ENTRIES.filter((entry) => normalizeName(entry.name) === name)
  if (byName.length > 0) return byName
  const key = name.split('.').at(-1) ?? ''
  const replaced = REPLACED_KEYS.get(key)
  if (replaced !== undefined) {
    throw new LockstepError('INVALID_ARGUMENT', `${key} is a key of an older release`, {
      hint: `${replaced}; \`lockstep config migrate\` does it`,
    })
  }
  const ofLists = LIST_ENTRIES.flatMap(({ header, keys }) =>
    Object.keys(keys).map((each) => `${header}.${each}`),
  )
  const known = [
    ...CONFIG_ENTRIES.flatMap((entry) => [entry.flag, normalizeName(entry.name)]),
    ...ofLists,
  ]
  const near = nearestName(name, known)
  throw new LockstepError('INVALID_ARGUMENT', `there is no key "${text}"`, {
    hint: near === undefined ? 'host/base/config/KEYS.md lists the keys' : `did you mean ${near}?`,
  })
}

interface Explained {
  readonly key: string
  readonly file: string
  readonly meaning: string
  readonly value: string
  readonly default: unknown
  /** Absent for keys of lists, which have none. */
  readonly flag?: string
  readonly variable?: string
  /** What to use instead of a value other than the default. */
  readonly instead?: string
}

function explain(entry: ConfigEntry): Explained {
  const { section, file, name, flag, variable, type, fallback, help, instead } = entry
  return {
    key: section === '' ? name : `[${section}] ${name}`,
    file: `config/${file}`,
    meaning: help,
    value: type.rule,
    default: fallback,
    flag: `--${flag}`,
    variable,
    ...(instead !== undefined && { instead }),
  }
}

function toText(facts: Explained): string {
  const rows = Object.entries(facts).map(([name, value]) => {
    const text = typeof value === 'string' && name !== 'default' ? value : JSON.stringify(value)
    return `${name.padEnd(9)} ${text}\n`
  })
  return rows.join('')
}

export function defineConfigExplain(command: Command): void {
  command
    .argument('<key>', 'a key, its flag or its variable, such as evm.http_port or ss-backend')
    .option('--json', 'print an array of objects')
    .action((key: string, flags: { readonly json?: true }) => {
      const ofLists = findListKeys(key)
      const explained = ofLists.length > 0 ? ofLists : findEntries(key).map(explain)
      process.stdout.write(
        flags.json === true ? `${JSON.stringify(explained)}\n` : explained.map(toText).join('\n'),
      )
    })
}
