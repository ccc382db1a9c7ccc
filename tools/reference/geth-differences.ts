/** An intentional difference from a response of geth. */
export interface GethDifference {
  /** Method, and tracer or option if it depends on one. */
  readonly where: string
  readonly geth: string
  readonly lockstep: string
  readonly reason: string
}

/**
 * All differences from geth 1.17.10. The comparisons of responses and errors (test/clients/geth.slow.test.ts,
 * geth-errors.slow.test.ts) allow only these.
 */
export const GETH_DIFFERENCES = {
  tracerCrash: {
    where: 'debug_trace*, erc7562Tracer',
    geth: '`method handler crashed` (-32603) if SLOAD, SSTORE, KECCAK256 or an opcode with an address operand finds too few words on the stack',
    lockstep: 'returns the trace',
    reason: 'a bug in geth: its tracer reads missing operands, before the step is known to fail',
  },
  emptyRoots: {
    where:
      'debug_intermediateRoots, debug_standardTraceBlockToFile of a block without transactions',
    geth: '`null`',
    lockstep: '`[]`',
    reason: 'a bug in geth: Go encodes a nil slice as null',
  },
  emptyStorage: {
    where: 'debug_storageRangeAt of an account without slots',
    geth: '`storage: null`',
    lockstep: '`storage: {}`',
    reason: 'a bug in geth: Go encodes a nil map as null',
  },
  storageWithin: {
    where: 'debug_storageRangeAt',
    geth: 'the slots before the block, regardless of the transaction',
    lockstep: 'the slots before the transaction',
    reason:
      'a bug in geth: it lists the trie of the parent, without what the block has written so far',
  },
  witnessExtent: {
    where: 'debug_executionWitness',
    geth: 'omits accounts and slots that occur only in an access list, and includes code created by the block itself',
    lockstep: 'includes all nodes that the execution read, and the code that existed before it',
    reason: 'the witness is for this engine, whose execution needs all of it',
  },
  suggestedPrice: {
    where: 'eth_gasPrice',
    geth: 'derived from the tips of the last blocks, plus the base fee',
    lockstep: 'the base fee of the next block and the tip of eth_maxPriorityFeePerGas',
    reason: 'an imported chain accepts no transactions, so the price is never paid',
  },
  finality: {
    where: 'eth_getBlockByNumber, `safe` and `finalized`',
    geth: '`safe block not found` without a consensus client',
    lockstep: 'the newest block',
    reason: 'an imported block is never replaced',
  },
  simulationGas: {
    where: 'eth_call, eth_estimateGas, eth_createAccessList, eth_simulateV1, debug_traceCall',
    geth: 'reduces the gas of a call to the cap, or to its rest',
    lockstep: 'rejects a call with more, naming the config key of the cap',
    reason: 'a call with reduced gas runs out of gas although the same transaction would not',
  },
  crossedSlot: {
    where: 'eth_simulateV1, the first blocks of Amsterdam on a block before it',
    geth: 'omits slotNumber',
    lockstep: 'numbers the slots from 0',
    reason: 'SLOTNUM reads 0 in both, and a header of Amsterdam has no encoding without it',
  },
  simulatedChainId: {
    where: 'eth_simulateV1, a call with gasPrice among full transactions',
    geth: '`chainId: "0x7fffffffffffffee"`',
    lockstep: 'no `chainId`',
    reason: 'a bug in geth: it reads the chain id from a missing signature',
  },
  pendingTrace: {
    where: 'debug_traceCall, `pending`',
    geth: '`tracing on top of pending is not supported`',
    lockstep: 'traces the call on the pending state, as anvil',
    reason: 'eth_call runs there too; its trace must show the same call',
  },
  decoderWords: {
    where: 'errors of all methods',
    geth: 'contains Go types if an argument cannot be decoded',
    lockstep: 'names the rule and the member, with the same code',
    reason: 'Go types do not help callers of other languages',
  },
  feePercentiles: {
    where: 'eth_feeHistory',
    geth: '`missing value for required argument 2`',
    lockstep: 'the percentiles may be omitted',
    reason: 'optional in execution-apis',
  },
  importedChain: {
    where: 'eth_sendRawTransaction on an imported chain',
    geth: 'takes the transaction',
    lockstep: 'rejects it with an error',
    reason: 'an imported chain produces no blocks',
  },
  shortSlots: {
    where: 'slots in overrides and access lists',
    geth: 'rejects those shorter than a word',
    lockstep: 'takes them',
    reason: 'as in eth_getStorageAt of both',
  },
  emptyValues: {
    where: '`null` for a list, `""` for a number or bytes',
    geth: 'treats them as absent',
    lockstep: 'refuses them',
    reason: 'the intended meaning is unknown',
  },
  fullTransactions: {
    where: 'eth_getBlockByNumber, eth_getBlockByHash',
    geth: '`missing value for required argument 1`',
    lockstep: 'returns hashes if the argument is absent',
    reason: 'the default of every client library',
  },
  tracerScripts: {
    where: 'debug_trace*, an unknown tracer name',
    geth: 'runs the text as a script',
    lockstep: 'lists the names of its tracers',
    reason: 'a mistyped name is more likely',
  },
  scriptWithoutFault: {
    where: 'debug_trace*, a script without `fault`',
    geth: '`trace object must expose a function fault()`',
    lockstep: 'runs it',
    reason: 'many scripts ignore failures',
  },
  blockTracerConfig: {
    where: 'debug_traceBlock*',
    geth: 'rejects the block if a tracer rejects its configuration',
    lockstep: 'returns the error with each transaction',
    reason: 'each transaction has a tracer of its own',
  },
  traceOptions: {
    where: 'debug_trace*, options that the tracer does not use',
    geth: 'ignores them',
    lockstep: 'rejects them if they are invalid',
    reason: 'an invalid option without effect today may matter with another tracer',
  },
  chainOverrides: {
    where: 'debug_trace*, `overrides`',
    geth: 'replaces the rules of the chain',
    lockstep: 'rejects it if it is not empty',
    reason: 'a trace under the rules of the chain would be misleading',
  },
  movedAccessList: {
    where: 'eth_createAccessList, `movePrecompileToAddress`',
    geth: '`account 0x... is not a precompile`, for any account',
    lockstep: 'moves the precompile, as eth_call does',
    reason: 'a bug in geth: it searches a list of precompiles that is empty there',
  },
  movedEstimate: {
    where: 'eth_estimateGas, `movePrecompileToAddress`',
    geth: 'estimates with the precompile where it was',
    lockstep: 'moves the precompile, as eth_call does',
    reason: 'a bug in geth: its estimator does not receive the moved precompiles',
  },
  earliestState: {
    where: 'debug_dumpBlock, debug_accountRange, `earliest`',
    geth: '`block #-5 not found`',
    lockstep: 'the earliest block',
    reason: 'a bug in geth: it looks up the number that represents the tag',
  },
  countText: {
    where:
      'debug_accountRange, debug_storageRangeAt, debug_getModifiedAccountsByNumber, counts and heights',
    geth: 'takes numbers alone',
    lockstep: 'takes quantities too',
    reason: 'as in all other quantities',
  },
  decimalCount: {
    where: 'eth_feeHistory, the count',
    geth: 'accepts decimal digits in a string',
    lockstep: 'accepts a quantity or a number',
    reason: 'as in all other quantities',
  },
  pendingFilter: {
    where: 'eth_newPendingTransactionFilter',
    geth: 'accepts an argument that requests full transactions',
    lockstep: 'takes no argument',
    reason: 'the filter reports hashes only',
  },
  longKey: {
    where: 'eth_getStorageAt, eth_getProof, a key that is too long',
    geth: 'repeats the whole key',
    lockstep: 'repeats the first 80 characters',
    reason: 'the key may be megabytes long',
  },
  noTime: {
    where: 'debug_trace*, `timeout: "0s"`',
    geth: 'traces what it can before the timer runs',
    lockstep: '`trace timed out after 0ms`',
    reason: 'a limit of zero leaves no time',
  },
  oddHex: {
    where: 'hex with an odd number of characters, some of which are not hex digits',
    geth: '`invalid hex string`',
    lockstep: '`hex string of odd length`',
    reason: 'both are true',
  },
  printedHash: {
    where: 'debug_traceBlockByHash of an absent block',
    geth: 'prints the hash as a list of numbers',
    lockstep: 'prints it in hex',
    reason: 'a bug in geth',
  },
  absentReceipts: {
    where: 'debug_getRawReceipts of an absent block',
    geth: '`[]`',
    lockstep: 'answers with an error',
    reason: 'a bug in geth: an absent block has no list of receipts, not even an empty one',
  },
} as const satisfies Readonly<Record<string, GethDifference>>
