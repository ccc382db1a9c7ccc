const LEVELS = ['debug', 'info', 'error'] as const

export type CometLevel = (typeof LEVELS)[number]

/** A line of CometBFT's log, `log_format = "json"`. */
export interface CometLogLine {
  readonly level: CometLevel
  /** Module of CometBFT that wrote it: `consensus`, `p2p`, `main`. */
  readonly module: string
  readonly message: string
  readonly fields: Readonly<Record<string, string | number | boolean>>
}

/** Longer values, such as stacks and blocks, are cut. */
const LONGEST_VALUE = 500

/** Parses a line of the log; undefined for any other text, such as the output of a panic. */
export function readCometLine(text: string): CometLogLine | undefined {
  if (!text.startsWith('{')) return undefined
  let line: unknown
  try {
    line = JSON.parse(text)
  } catch {
    return undefined
  }
  const { _msg, level, module = '', ts: _, ...rest } = line as Record<string, unknown>
  const known = LEVELS.find((each) => each === level)
  if (typeof _msg !== 'string' || known === undefined) return undefined
  const fields = Object.entries(rest).map(([name, value]) => [name, shown(value)] as const)
  return {
    level: known,
    module: String(module),
    message: _msg,
    fields: Object.fromEntries(fields),
  }
}

function shown(value: unknown): string | number | boolean {
  if (typeof value === 'number' || typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text
}
