import { runCommandOf } from './run-command.ts'
import { START_ROW } from './start-row.ts'

/**
 * Runs a command line of `start`, and resolves with the exit code. It loads no other command, so the bundle can hold
 * everything for a node in one file.
 */
export function runStartLine(args: readonly string[]): Promise<number> {
  return runCommandOf([START_ROW], args)
}
