import { fileURLToPath } from 'node:url'

/** The command line's file: of the bundle, which tools/run.mjs has made and names; of the sources where it has not. */
export const MAIN: string =
  process.env.BUNDLED_COMMAND ??
  fileURLToPath(new URL('../../../host/cli/main.ts', import.meta.url))
