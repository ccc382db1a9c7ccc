import { blockchainTests } from './blockchain-test.ts'
import type { Suite } from './case.ts'
import { difficultyTests } from './difficulty-test.ts'
import { evmToolTests } from './evm-tool-test.ts'
import { opcodeTests, precompileTests } from './precompile-test.ts'
import { rlpTests } from './rlp-test.ts'
import { rpcRoundTrips } from './rpc-round-trip.ts'
import { stateTests } from './state-test.ts'
import { stepTraceTests } from './step-trace-test.ts'
import { tracerTests } from './tracer-test.ts'
import { transactionTests } from './transaction-test.ts'
import { trieNeighbourTests, trieTests } from './trie-test.ts'
import { vmTests } from './vm-test.ts'

/** All suites. A file belongs to the first that recognises it. */
export const SUITES: readonly Suite[] = [
  evmToolTests,
  stateTests,
  blockchainTests,
  transactionTests,
  rlpTests,
  trieTests,
  trieNeighbourTests,
  vmTests,
  difficultyTests,
  precompileTests,
  opcodeTests,
  tracerTests,
  stepTraceTests,
  rpcRoundTrips,
]
