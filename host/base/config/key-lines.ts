/**
 * Line numbers of the keys of a TOML file. The text is read only once: a file of all keys asks for hundreds of lines.
 */
export class KeyLines {
  /** Line of the first match, by section, name and, in the tables of a list, their position. */
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
   * Returns the line of a key, from 1; without a name the line of its header. Undefined if it is written in another
   * form than `key = value`.
   * @param table position among the tables of a list
   */
  find(section: string, name: string, table?: number): number | undefined {
    return this.#lines.get(placeKey(section, name, table))
  }
}

function placeKey(section: string, name: string, table: number | undefined): string {
  return `${section}\n${name}\n${table ?? ''}`
}
