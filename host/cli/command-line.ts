import { COMMANDS } from './commands.ts'
import { runCommandOf } from './run-command.ts'

/** Runs one command line, without the program name, and resolves with the exit code. */
export function runCommandLine(args: readonly string[]): Promise<number> {
  return runCommandOf(COMMANDS, args)
}
