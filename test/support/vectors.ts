import { existsSync } from 'node:fs'

/** Folder of the published vectors, or undefined if it does not exist. */
export const VECTORS: string | undefined =
  process.env.LOCKSTEP_VECTORS !== undefined && existsSync(process.env.LOCKSTEP_VECTORS)
    ? process.env.LOCKSTEP_VECTORS
    : undefined

/** Reason in the name of a test that cannot run without them. */
export const NO_VECTORS = 'no vectors: set LOCKSTEP_VECTORS to their folder'
