import type { Command } from 'commander'
import type { ListSetting } from '../../base/config/list-tables.ts'
import { type EffectiveSetting, inspectConfig } from '../../base/config/load.ts'
import { redactText } from '../../base/log/redact-text.ts'
import { addConfigFlags } from '../option/config-flags.ts'
import { homeOption } from '../option/home-option.ts'
import { sourcesOf } from './config-sources.ts'

interface DiffFlags {
  readonly home?: string
  readonly json?: true
}

/** Formats a value for display: server addresses can contain a password. */
function shown(value: unknown): string {
  return redactText(JSON.stringify(value))
}

function shownOf({ entry, value }: EffectiveSetting): string {
  return entry.isSecret === true ? '"[redacted]"' : shown(value)
}

function toText(setting: EffectiveSetting): string {
  const { entry, place } = setting
  const { flag, fallback } = entry
  return `${flag} = ${shownOf(setting)}  (default ${shown(fallback)}; ${place.kind} ${place.name})\n`
}

function toRecord(setting: EffectiveSetting): object {
  const { entry, place } = setting
  const { flag, fallback } = entry
  return { key: flag, value: JSON.parse(shownOf(setting)), default: fallback, ...place }
}

function listText({ key, table, value, place }: ListSetting): string {
  return `${key} = ${shown(value)}  (table ${table + 1}; file ${place})\n`
}

function listRecord({ key, table, value, place }: ListSetting): object {
  return { key, table, value: JSON.parse(shown(value)), kind: 'file', name: place }
}

export function defineConfigDiff(command: Command): void {
  command.addOption(homeOption()).option('--json', 'print an array of objects')
  const readFlags = addConfigFlags(command)
  command.action((flags: DiffFlags) => {
    const { sources } = sourcesOf(flags.home, readFlags())
    const { settings, listSettings } = inspectConfig(sources)
    const changed = settings.filter(({ isDefault }) => !isDefault)
    if (flags.json === true) {
      process.stdout.write(
        `${JSON.stringify([...changed.map(toRecord), ...listSettings.map(listRecord)])}\n`,
      )
    } else {
      const lines = [...changed.map(toText), ...listSettings.map(listText)]
      process.stdout.write(lines.join('') || 'every key has its default\n')
    }
  })
}
