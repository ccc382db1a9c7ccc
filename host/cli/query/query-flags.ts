import { type Command, InvalidArgumentError } from 'commander'
import { nodeOption } from '../client/node-address.ts'
import { homeOption } from '../option/home-option.ts'

/** The flags of every command of `query`. */
export interface QueryFlags {
  readonly home?: string
  readonly node?: string
  readonly height?: number
  readonly json?: true
}

function heightFlag(text: string): number {
  const height = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(height)) return height
  throw new InvalidArgumentError('it must be the height of a block.')
}

/** Adds the flags of `QueryFlags`; queries by hash have no height. */
export function addQueryFlags(command: Command, hasHeight = true): Command {
  if (hasHeight) {
    command.option('--height <N>', 'height to query (default: the latest)', heightFlag)
  }
  return command.addOption(nodeOption()).addOption(homeOption()).option('--json', 'print JSON')
}

/** Prints an object: a line per member, or JSON with integers as strings, so that no reader rounds them. */
export function printFacts(facts: Readonly<Record<string, unknown>>, json: true | undefined): void {
  if (json !== undefined) {
    process.stdout.write(`${JSON.stringify(facts)}\n`)
    return
  }
  const width = Math.max(...Object.keys(facts).map((name) => name.length))
  for (const [name, value] of Object.entries(facts)) {
    const text = typeof value === 'object' ? JSON.stringify(value) : `${value}`
    process.stdout.write(`${name.padEnd(width)}  ${text}\n`)
  }
}
