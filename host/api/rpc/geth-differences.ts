/** An answer that differs from geth's on purpose. */
export interface GethDifference {
  /** Method, and tracer or option where it hangs on one. */
  readonly where: string
  readonly geth: string
  readonly lockstep: string
  readonly reason: string
}

/**
 * All of them, for geth 1.17.10: what the comparisons of answers and of errors (test/clients/geth.slow.test.ts,
 * geth-errors.slow.test.ts) let pass, and nothing else.
 */
export const GETH_DIFFERENCES = {
  tracerCrash: {
    where: 'debug_trace*, erc7562Tracer',
    geth: '`method handler crashed` (-32603) where SLOAD, SSTORE, KECCAK256 or one that names an account finds too few words on the stack',
    lockstep: 'answers with the trace',
    reason:
      'a slip of geth: its tracer reads operands that are not there, before the step is known to fail',
  },
  emptyRoots: {
    where:
      'debug_intermediateRoots, debug_standardTraceBlockToFile of a block without transactions',
    geth: '`null`',
    lockstep: '`[]`',
    reason: 'a slip of geth: Go writes a list that was never made as null',
  },
  emptyStorage: {
    where: 'debug_storageRangeAt of an account without slots',
    geth: '`storage: null`',
    lockstep: '`storage: {}`',
    reason: 'a slip of geth: Go writes a map that was never made as null',
  },
  storageWithin: {
    where: 'debug_storageRangeAt',
    geth: 'the slots as they were before the block, whatever the transaction',
    lockstep: 'the slots as the transaction finds them',
    reason: 'a slip of geth: it lists the trie of the parent, and not what the block wrote so far',
  },
  witnessExtent: {
    where: 'debug_executionWitness',
    geth: 'leaves out accounts and slots that only an access list names, and lists code that the block itself made',
    lockstep: 'has all nodes that the run read, and the code that came from the state before it',
    reason: 'the witness is of this engine’s run, for which nothing in it may be missing',
  },
  suggestedPrice: {
    where: 'eth_gasPrice',
    geth: 'the tips of the last blocks, over the base fee',
    lockstep: 'the base fee of the next block and the tip of eth_maxPriorityFeePerGas',
    reason: 'an imported chain takes no transactions: nobody pays by this price',
  },
  finality: {
    where: 'eth_getBlockByNumber, `safe` and `finalized`',
    geth: '`safe block not found` without a consensus client',
    lockstep: 'the newest block',
    reason: 'an imported block is never replaced',
  },
  simulationGas: {
    where: 'eth_simulateV1',
    geth: 'cuts the gas of a call to what is left of its cap',
    lockstep: 'refuses a call that asks for more, naming the key of the cap',
    reason: 'a call whose gas was cut runs out of gas where the same transaction would not',
  },
  simulatedChainId: {
    where: 'eth_simulateV1, a call with gasPrice among full transactions',
    geth: '`chainId: "0x7fffffffffffffee"`',
    lockstep: 'no `chainId`',
    reason: 'a slip of geth: it reads the chain id from a signature that is not there',
  },
  decoderWords: {
    where: 'errors of all methods',
    geth: 'names Go’s types where an argument cannot be decoded',
    lockstep: 'names the rule and the member, with the same code',
    reason: 'Go’s types are no help to those who do not write Go',
  },
  feePercentiles: {
    where: 'eth_feeHistory',
    geth: '`missing value for required argument 2`',
    lockstep: 'lets the percentiles be left out',
    reason: 'execution-apis lets them be absent',
  },
  importedChain: {
    where: 'eth_sendRawTransaction on an imported chain',
    geth: 'takes the transaction',
    lockstep: 'refuses it with an error',
    reason: 'an imported chain makes no blocks',
  },
  shortSlots: {
    where: 'slots in overrides and access lists',
    geth: 'refuses those shorter than a word',
    lockstep: 'takes them',
    reason: 'as eth_getStorageAt does in both',
  },
  emptyValues: {
    where: '`null` for a list, `""` for a number or bytes',
    geth: 'takes them for an absent value',
    lockstep: 'refuses them',
    reason: 'the meaning cannot be known',
  },
  fullTransactions: {
    where: 'eth_getBlockByNumber, eth_getBlockByHash',
    geth: '`missing value for required argument 1`',
    lockstep: 'gives hashes where the argument is absent',
    reason: 'the default of every client library',
  },
  tracerScripts: {
    where: 'debug_trace*, a tracer that is no name',
    geth: 'runs the text as a script',
    lockstep: 'lists the names of its tracers',
    reason: 'a mistyped name is the likelier fault',
  },
  blockTracerConfig: {
    where: 'debug_traceBlock*',
    geth: 'refuses the block where a tracer refuses its configuration',
    lockstep: 'gives the error with each transaction',
    reason: 'each transaction has a tracer of its own',
  },
  traceOptions: {
    where: 'debug_trace*, options that the tracer does not use',
    geth: 'ignores them',
    lockstep: 'refuses them where they are wrong',
    reason: 'a fault that has no effect today has one with another tracer',
  },
  chainOverrides: {
    where: 'debug_trace*, `overrides`',
    geth: 'exchanges the rules of the chain',
    lockstep: 'refuses it where it has members',
    reason: 'a trace under the rules of the chain would mislead',
  },
  movedAccessList: {
    where: 'eth_createAccessList, `movePrecompileToAddress`',
    geth: '`account 0x... is not a precompile`, whatever the account',
    lockstep: 'moves the precompile, as eth_call does',
    reason: 'a slip of geth: it looks into a list of precompiles that is empty there',
  },
  earliestState: {
    where: 'debug_dumpBlock, debug_accountRange, `earliest`',
    geth: '`block #-5 not found`',
    lockstep: 'the earliest block',
    reason: 'a slip of geth: it looks for the number that stands for the tag',
  },
  countText: {
    where:
      'debug_accountRange, debug_storageRangeAt, debug_getModifiedAccountsByNumber, counts and heights',
    geth: 'takes numbers alone',
    lockstep: 'takes quantities too',
    reason: 'as quantities are elsewhere',
  },
  decimalCount: {
    where: 'eth_feeHistory, the count',
    geth: 'takes decimal digits in a string',
    lockstep: 'takes a quantity or a number',
    reason: 'as quantities are elsewhere',
  },
  pendingFilter: {
    where: 'eth_newPendingTransactionFilter',
    geth: 'takes an argument that asks for whole transactions',
    lockstep: 'takes no argument',
    reason: 'the filter reports hashes only',
  },
  longKey: {
    where: 'eth_getStorageAt, eth_getProof, a key that is too long',
    geth: 'shows the whole key',
    lockstep: 'shows the first 80 characters',
    reason: 'the key may be megabytes long',
  },
  noTime: {
    where: 'debug_trace*, `timeout: "0s"`',
    geth: 'traces what it can before the timer runs',
    lockstep: '`trace timed out after 0ms`',
    reason: 'a limit of zero leaves no time',
  },
  oddHex: {
    where: 'hex with an odd number of characters of which some are no hex digits',
    geth: '`invalid hex string`',
    lockstep: '`hex string of odd length`',
    reason: 'both are true',
  },
  printedHash: {
    where: 'debug_traceBlockByHash of an absent block',
    geth: 'prints the hash as a list of numbers',
    lockstep: 'prints it in hex',
    reason: 'a slip of geth',
  },
  absentReceipts: {
    where: 'debug_getRawReceipts of an absent block',
    geth: '`[]`',
    lockstep: 'answers with an error',
    reason: 'a slip of geth: an absent block has no list of receipts, not even an empty one',
  },
} as const satisfies Readonly<Record<string, GethDifference>>
