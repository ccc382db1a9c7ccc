import { OTHER_VARIABLES } from '../../host/config/environment.ts'
import { CONFIG_ENTRIES, CONFIG_FILES } from '../../host/config/schema.ts'
import { markdownTable } from './markdown-table.ts'

/** KEYS.md: every key of the configuration, and the other environment variables. */
export function keyPage(): string {
  const lines = [
    '# Configuration keys',
    '',
    'Written by `tools/gen-docs.ts` from `schema.ts`. A key is set, weakest first, by its file, its',
    'environment variable and its flag. Hyphen and underscore are the same. Of keys marked * this release',
    'takes the default alone, and refuses to start with another value, naming what to use instead.',
  ]
  for (const file of Object.keys(CONFIG_FILES)) {
    const rows = CONFIG_ENTRIES.filter((entry) => entry.file === file).map((entry) => {
      const name = entry.section === '' ? entry.name : `[${entry.section}] ${entry.name}`
      return [
        `\`${name}\`${entry.instead === undefined ? '' : ' *'}`,
        entry.type.rule,
        `\`${JSON.stringify(entry.fallback)}\``,
        entry.help,
        `\`${entry.variable}\``,
      ]
    })
    const head = ['Key', 'Value', 'Default', 'Meaning', 'Environment']
    lines.push('', `## ${file}`, '', ...markdownTable(head, rows))
  }
  const others = Object.entries(OTHER_VARIABLES).map(([name, meaning]) => [`\`${name}\``, meaning])
  lines.push('', '## Other environment variables', '')
  lines.push(...markdownTable(['Variable', 'Meaning'], others))
  lines.push('', 'Any other name that begins with `LOCKSTEP_` is refused.', '')
  return lines.join('\n')
}
