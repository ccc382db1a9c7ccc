import { OTHER_VARIABLES } from './environment.ts'
import { CONFIG_ENTRIES, CONFIG_FILES } from './schema.ts'

/** The reference page of all keys, as Markdown. */
export function renderKeyReference(): string {
  const lines = [
    '# Configuration keys',
    '',
    'Generated from `schema.ts`. A key is set, weakest first, by its file, its environment variable and',
    'its flag. Hyphen and underscore are the same. Keys marked * change nothing in this release.',
  ]
  for (const file of Object.keys(CONFIG_FILES)) {
    lines.push('', `## ${file}`, '')
    lines.push('| Key | Value | Default | Meaning | Environment |', '|---|---|---|---|---|')
    for (const entry of CONFIG_ENTRIES) {
      if (entry.file !== file) continue
      const name = entry.section === '' ? entry.name : `[${entry.section}] ${entry.name}`
      const star = entry.effective ? '' : ' *'
      const fallback = JSON.stringify(entry.fallback)
      const cells = [
        `\`${name}\`${star}`,
        entry.type.rule,
        `\`${fallback}\``,
        entry.help.replaceAll('<', '&lt;'),
        `\`${entry.variable}\``,
      ]
      lines.push(`| ${cells.join(' | ')} |`)
    }
  }
  lines.push('', '## Other environment variables', '', '| Variable | Meaning |', '|---|---|')
  for (const [name, meaning] of Object.entries(OTHER_VARIABLES)) {
    lines.push(`| \`${name}\` | ${meaning} |`)
  }
  lines.push('', 'Any other name that begins with `LOCKSTEP_` is refused.')
  return `${lines.join('\n')}\n`
}
