import { runCommandOf } from './run-command.ts'
import { START_ROWS } from './start-row.ts'

/**
 * Runs a command line of `start` or `anvil`, and resolves with the exit code. It loads no other command, so the bundle can hold
 * everything for a node in one file.
 */
export function runStartLine(args: readonly string[]): Promise<number> {
  return runCommandOf(START_ROWS, args)
}
