import { runCommandLine } from './command-line.ts'

const code = await runCommandLine(process.argv.slice(2))
// A pipe takes as much as its reader leaves room for: what waits must leave before the process does.
await new Promise<void>((resolve) => process.stdout.write('', () => resolve()))
// Ends the process even if something still holds it: a command that is over has nothing left to do.
process.exit(code)
