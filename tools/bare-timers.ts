/** A platform timer in a source. */
export interface BareTimer {
  readonly line: number
  readonly name: string
}

const BARE: readonly RegExp[] = [
  // Excludes the methods of that name of sockets and responses, which Node bounds itself.
  /(?<![\w.#$'"`])(?:setTimeout|setInterval)\b/g,
  /\b(?:window|globalThis|global|self)\??\.(?:setTimeout|setInterval)\b/g,
  /\bAbortSignal\??\.timeout\b/g,
  /'(?:node:)?timers'/g,
]

/** Comments; each is replaced by as many empty lines. */
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm

/** Returns direct uses of timers. A timer of more than 2^31 - 1 milliseconds fires at once. */
export function bareTimersIn(source: string): BareTimer[] {
  const code = source.replace(COMMENT, (comment) => comment.replace(/[^\n]/g, ' '))
  return BARE.flatMap((pattern) =>
    [...code.matchAll(pattern)].map(({ index, 0: name }) => ({
      line: code.slice(0, index).split('\n').length,
      name,
    })),
  ).sort((a, b) => a.line - b.line)
}
