import type { TomlLiteral } from '../../config/value-type.ts'

/** What app.toml of a new home says otherwise where a chain is imported: every state is kept. */
export const ARCHIVE_CONFIG: Readonly<Record<string, TomlLiteral>> = {
  'state-store.ss-keep-recent': 0,
}
