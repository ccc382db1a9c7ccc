import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/announce-vectors.ts'],
    // By default one core stays free: of two that is half
    maxWorkers: '100%',
    testTimeout: 30_000,
    // The first to need a module compiles it
    hookTimeout: 60_000,
  },
})
