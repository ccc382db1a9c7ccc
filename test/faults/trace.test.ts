import { testTraces } from './traced-node.ts'

testTraces('uws')
