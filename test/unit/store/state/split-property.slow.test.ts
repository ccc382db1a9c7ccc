import { testSplitLives } from './split-lives.ts'

for (const backend of ['lmdb', 'pebbledb', 'rocksdb'] as const) testSplitLives(backend)
