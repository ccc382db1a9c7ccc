import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

/** A position in a stack: the URL of a script, line and column, counted from 1. */
const PLACE = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/g

/** Returns the source map beside a script, or undefined if there is none or it is unreadable. */
function readMap(script: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${script}.map`), 'utf8')))
  } catch {
    return undefined
  }
}

/** Returns a function that replaces positions in a stack line by source positions, if source maps have them. */
export function sourcePlaces(): (line: string) => string {
  const maps = new Map<string, SourceMap | undefined>()
  return (line) =>
    line.replace(PLACE, (place, script: string, row: string, column: string) => {
      if (!maps.has(script)) maps.set(script, readMap(script))
      const entry = maps.get(script)?.findEntry(Number(row) - 1, Number(column) - 1)
      if (entry === undefined || !('originalSource' in entry)) return place
      const source = new URL(entry.originalSource, script).href
      return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
    })
}

/**
 * Makes stacks of this thread name sources instead of the bundle. Maps are read when the first stack is requested;
 * Node would parse the map of every loaded script.
 */
export function nameSourcesInStacks(): void {
  const places = sourcePlaces()
  Error.prepareStackTrace = (error, frames) =>
    [String(error), ...frames.map((frame) => `    at ${places(String(frame))}`)].join('\n')
}
