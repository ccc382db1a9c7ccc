import { runCommandLine } from './command-line.ts'

// Ends the process even if something still holds it: a command that is over has nothing left to do.
process.exit(await runCommandLine(process.argv.slice(2)))
