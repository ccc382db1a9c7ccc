import { CONFIG_ENTRIES, type Config, type ConfigEntry, camelCase } from '../base/config/schema.ts'
import { messageOf } from '../base/error.ts'
import type { Logger } from '../base/log/logger.ts'
import { lookup } from '../base/lookup.ts'

type Values = Readonly<Record<string, unknown>>

function settingOf(config: Config, { section, name }: ConfigEntry): unknown {
  const values = config as unknown as Values
  const within = section === '' ? values : lookup(values, camelCase(section))
  return lookup(within as Values, camelCase(name))
}

/** Returns the value as a text, for comparisons and for the log. */
function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The settings of a running node, some of which change when its files are read again. */
export class LiveSettings {
  readonly #read: () => Config
  readonly #listeners = new Set<(config: Config) => void>()
  #config: Config
  /** As in the files: what needs a restart is reported once. */
  #seen: Config

  /** @param read returns the configuration of the files now, and throws if they have a fault */
  constructor(config: Config, read: () => Config) {
    this.#config = config
    this.#seen = config
    this.#read = read
  }

  /** The settings in force. */
  get config(): Config {
    return this.#config
  }

  /** @returns a function that removes the listener */
  onChange(listener: (config: Config) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reads the files again and applies the live keys, with a log line for each changed key. */
  reload(logger: Logger): void {
    let read: Config
    try {
      read = this.#read()
    } catch (thrown) {
      logger.error('the configuration was read again and has a fault: nothing is changed', {
        error: messageOf(thrown),
      })
      return
    }
    const values = structuredClone(this.#config) as unknown as Record<string, unknown>
    let changes = 0
    for (const entry of CONFIG_ENTRIES) {
      const { flag: key, section, name, isLive } = entry
      const [before, after] = [settingOf(this.#seen, entry), settingOf(read, entry)]
      if (textOf(before) === textOf(after)) continue
      changes++
      if (isLive === undefined) {
        logger.warn('a changed setting takes effect after a restart', { key })
        continue
      }
      const within = section === '' ? values : (lookup(values, camelCase(section)) as typeof values)
      within[camelCase(name)] = after
      logger.info('a setting is changed', { key, from: textOf(before), to: textOf(after) })
    }
    this.#seen = read
    this.#config = values as unknown as Config
    if (changes === 0) logger.info('the configuration was read again: no setting is changed')
    for (const listener of this.#listeners) listener(this.#config)
  }
}
