import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { LongestFirst } from './support/run/longest-first.ts'
import { ProgressReporter } from './support/run/progress-reporter.ts'
import { threadBundles } from './support/run/thread-bundles.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

const SLOW = 'test/**/*.slow.test.ts'
/** Files of both sets, with different sizes in each (support/run/by-set.ts). */
const SIZED = 'test/**/*.sized.test.ts'

export default defineConfig({
  plugins: [threadBundles()],
  test: {
    root: path('..'),
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, SLOW],
          provide: { set: 'fast' },
          // Files share processes, so that modules are loaded and wasm is compiled once in each. leave-nothing.ts
          // fails a file that leaves state behind.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: [SLOW, SIZED],
          provide: { set: 'slow' },
          // As long as `until` waits, since processes, browsers and networks start here.
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
    reporters: [new ProgressReporter()],
    sequence: { sequencer: LongestFirst },
    // The default of one second is too short for a busy machine.
    expect: { poll: { timeout: 60_000, interval: 10 } },
    setupFiles: [
      path('support/run/leave-nothing.ts'),
      path('support/run/costs.ts'),
      path('support/run/free-memory.ts'),
      path('support/run/lend-engines.ts'),
      path('support/run/compare-bytes.ts'),
    ],
    globalSetup: [
      path('support/run/temporary-folder.ts'),
      path('support/run/announce-vectors.ts'),
      path('support/run/thread-bundles.ts'),
    ],
    // One more worker than cores, since a test of a node waits for the node. The default leaves a core free.
    maxWorkers: availableParallelism() + 1,
    // V8's four scavenger threads in each process cost the others more than they save.
    execArgv: ['--no-parallel-scavenge'],
    // Limits that only a fault reaches, even on a busy machine
    testTimeout: 60_000,
    // The first file that needs a module compiles it
    hookTimeout: 120_000,
  },
})
