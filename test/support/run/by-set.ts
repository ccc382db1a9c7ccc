import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The set of tests that runs: each is a project of test/vitest.config.ts. */
    set: 'fast' | 'slow'
  }
}

/** What a file named `*.sized.test.ts`, which is of both sets, takes in the set that runs. */
export function bySet<Value>(fast: Value, slow: Value): Value {
  return inject('set') === 'slow' ? slow : fast
}
