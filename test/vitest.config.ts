import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { LongestFirst } from './support/run/longest-first.ts'
import { ProgressReporter } from './support/run/progress-reporter.ts'
import { threadBundles } from './support/run/thread-bundles.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

const SLOW = 'test/**/*.slow.test.ts'
/** Files of both sets, each with numbers of its own (support/run/by-set.ts). */
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
          // Files share processes: modules are loaded and wasm is compiled once in each. leave-nothing.ts fails a file
          // that leaves what another would meet.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: [SLOW, SIZED],
          provide: { set: 'slow' },
          // As long as `until` waits: processes, browsers and networks start here.
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
    reporters: [new ProgressReporter()],
    sequence: { sequencer: LongestFirst },
    // A second by default, which a busy machine takes.
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
    // A test of a node waits for the node: with one more, no core waits. By default one stays free.
    maxWorkers: availableParallelism() + 1,
    // Four threads of V8 that collect for each process take more from the others than they give it.
    execArgv: ['--no-parallel-scavenge'],
    // Bounds that a fault alone reaches, on a machine that is busy with much else too
    testTimeout: 60_000,
    // The first to need a module compiles it
    hookTimeout: 120_000,
  },
})
