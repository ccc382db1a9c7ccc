import { COMMANDS } from './commands.ts'
import { runCommandOf } from './run-command.ts'

/** Runs one command line, the program's own name left out, and resolves with the exit code. */
export function runCommandLine(args: readonly string[]): Promise<number> {
  return runCommandOf(COMMANDS, args)
}
