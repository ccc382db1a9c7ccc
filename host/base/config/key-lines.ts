/** Where the keys of a TOML file stand. The text is read once: a file of all keys has one line for each of hundreds. */
export class KeyLines {
  /** Line of the first of its kind, by section, name and, in the tables of a list, their position. */
  readonly #lines = new Map<string, number>()

  constructor(source: string) {
    const tables = new Map<string, number>()
    let section = ''
    for (const [index, text] of source.split('\n').entries()) {
      const header = /^\s*\[{1,2}\s*([^\]\s]+)\s*\]/.exec(text)?.[1]
      if (header !== undefined) {
        section = header
        tables.set(section, (tables.get(section) ?? -1) + 1)
      }
      const name = header === undefined ? /^\s*["']?([\w-]+)["']?\s*=/.exec(text)?.[1] : ''
      if (name === undefined) continue
      for (const table of [undefined, tables.get(section)]) {
        const place = placeKey(section, name, table)
        if (!this.#lines.has(place)) this.#lines.set(place, index + 1)
      }
    }
  }

  /**
   * Line of a key, from 1, or without a name that of its header; undefined when it is written in a form other than
   * `key = value`.
   * @param table position among the tables of a list
   */
  find(section: string, name: string, table?: number): number | undefined {
    return this.#lines.get(placeKey(section, name, table))
  }
}

function placeKey(section: string, name: string, table: number | undefined): string {
  return `${section}\n${name}\n${table ?? ''}`
}
