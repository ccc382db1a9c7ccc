import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The running test set. Each set is a project of test/vitest.config.ts. */
    set: 'fast' | 'slow'
  }
}

/** Returns the value for the running set, for files named `*.sized.test.ts`, which are in both sets. */
export function bySet<Value>(fast: Value, slow: Value): Value {
  return inject('set') === 'slow' ? slow : fast
}
