import { expect } from 'vitest'

/** Matches the stderr of a successful command: empty, or progress lines if it takes seconds. */
export const ONLY_PROGRESS: string = expect.stringMatching(/^(?:[A-Z][a-z ]+: \d[^\n]*\n)*$/)
