import { expect } from 'vitest'

/** What a command says on stderr that ends well: nothing, or how far it is where it takes seconds. */
export const ONLY_PROGRESS: string = expect.stringMatching(/^(?:[A-Z][a-z ]+: \d[^\n]*\n)*$/)
