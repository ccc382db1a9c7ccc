import { fileURLToPath } from 'node:url'

/** File of the command line: the bundle that tools/run.mjs made, or the sources if there is none. */
export const MAIN: string =
  process.env.BUNDLED_COMMAND ??
  fileURLToPath(new URL('../../../host/cli/main.ts', import.meta.url))
