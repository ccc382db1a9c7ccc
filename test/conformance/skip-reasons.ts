/** Reasons for skipping vectors. Every other file is run, and a file that no suite recognises is a failure. */
export const SKIP_REASONS = {
  draftBls: 'the October 2024 draft of EIP-2537, which the final precompiles differ from',
  transitionTool: "input or output of the command line of geth's t8n and b11r tools",
  chainFile: 'what the JSON-RPC round trips beside it are about: they read it themselves',
  closedChain: 'adds to an imported chain, which is served as it is: it takes and builds nothing',
  olderNumbers: 'numbers logs past those of failed calls, which geth 1.17.10 gives again',
  notEngine: 'about ABI, key stores, genesis files or clients, not about the engine',
  benchCase: 'input of the benchmarks, which check its output',
  derSignature: 'DER signatures checked against a public key: the EVM only recovers keys',
} as const

export type SkipReason = keyof typeof SKIP_REASONS

/** Patterns of skipped paths, each with its reason. */
const SKIPPED_PATHS: readonly (readonly [part: RegExp, reason: SkipReason])[] = [
  [/stEIP2537/, 'draftBls'],
  [/cmd\/evm\/testdata\/\w+\/.*\.json$/, 'transitionTool'],
  [/execution-apis\/tests\/\w+\.json$/, 'chainFile'],
  [/execution-apis\/tests\/(eth_sendRawTransaction|testing_buildBlockV1)\//, 'closedChain'],
  [/eth_simulateV1\/ethSimulate-use-as-many-features-as-possible\.io$/, 'olderNumbers'],
  [/\/(ABITests|KeyStoreTests|GenesisTests|BasicTests)\//, 'notEngine'],
  [/bench\/(cases\.json|guillotine\/|revmc\/)|\/\.meta\//, 'benchCase'],
  [/wycheproof\//, 'derSignature'],
]

/** Returns why a file is skipped, or undefined if it is run. */
export function skipReasonOf(path: string): SkipReason | undefined {
  return SKIPPED_PATHS.find(([part]) => part.test(path))?.[1]
}
