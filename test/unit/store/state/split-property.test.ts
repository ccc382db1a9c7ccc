import { testSplitLives } from './split-lives.ts'

testSplitLives('pebbledb', ['split on, separate databases'])
