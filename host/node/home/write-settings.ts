import { readFileSync } from 'node:fs'
import { parse } from 'smol-toml'
import { CONFIG_ENTRIES } from '../../base/config/schema.ts'
import { withKey } from '../../base/config/set-key.ts'
import type { TomlLiteral } from '../../base/config/value-type.ts'
import { LockstepError } from '../../base/error.ts'
import { lookup } from '../../base/lookup.ts'
import { writeFileAtomic } from '../../chain/consensus/validator/atomic-file.ts'
import type { Home } from './home.ts'

/**
 * Writes settings into the two configuration files of a home; comments and everything else stay.
 * @param settings by `ConfigEntry.flag`
 * @throws CONFIG_INVALID if a file is not valid TOML, or has the key over several lines
 */
export async function writeSettings(
  { config }: Home,
  settings: Readonly<Record<string, TomlLiteral>>,
): Promise<void> {
  const paths = { 'config.toml': config.consensus, 'app.toml': config.app }
  for (const file of ['config.toml', 'app.toml'] as const) {
    const path = paths[file]
    const set = CONFIG_ENTRIES.filter(
      (entry) => entry.file === file && Object.hasOwn(settings, entry.flag),
    )
    if (set.length === 0) continue
    const before = readFileSync(path, 'utf8')
    const text = set.reduce(
      (part, { section, name, flag }) => withKey(part, section, name, lookup(settings, flag) ?? ''),
      before,
    )
    if (text === before) continue
    try {
      parse(text)
    } catch (cause) {
      const flags = set.map(({ flag }) => `--${flag}`).join(', ')
      throw new LockstepError('CONFIG_INVALID', `${path}: ${flags} cannot be written`, {
        hint: 'write the value into the file yourself: it is not valid TOML, or has the key over several lines',
        cause,
      })
    }
    await writeFileAtomic(path, text)
  }
}
