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
    lockstep: 'the trace',
    reason:
      'a slip: its tracer reads operands that are not there, before the step is known to fail',
  },
  emptyRoots: {
    where: 'debug_intermediateRoots of a block without transactions',
    geth: '`null`',
    lockstep: '`[]`',
    reason: 'a slip: Go writes a list that was never made as null',
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
    reason: 'what was imported stays',
  },
  simulationGas: {
    where: 'eth_simulateV1',
    geth: 'cuts the gas of a call to what is left of its cap',
    lockstep: 'refuses a call that asks for more, naming the key of the cap',
    reason: 'a call that is cut runs out of gas where the same transaction would not',
  },
  simulatedChainId: {
    where: 'eth_simulateV1, a call with gasPrice among full transactions',
    geth: '`chainId: "0x7fffffffffffffee"`',
    lockstep: 'no `chainId`',
    reason: 'a slip: it reads the chain id from a signature that is not there',
  },
  decoderWords: {
    where: 'errors of all methods',
    geth: 'Go’s types where an argument cannot be decoded',
    lockstep: 'the rule and the member, by the same code',
    reason: 'Go’s types are no help to those who do not write Go',
  },
  feePercentiles: {
    where: 'eth_feeHistory',
    geth: '`missing value for required argument 2`',
    lockstep: 'percentiles may be left out',
    reason: 'execution-apis lets them be absent',
  },
  importedChain: {
    where: 'eth_sendRawTransaction on an imported chain',
    geth: 'takes the transaction',
    lockstep: 'an error',
    reason: 'what is imported makes no blocks',
  },
  shortSlots: {
    where: 'slots in overrides and access lists',
    geth: 'refuses those shorter than a word',
    lockstep: 'takes them',
    reason: 'as eth_getStorageAt does in both',
  },
  emptyValues: {
    where: '`null` for a list, `""` for a number or bytes',
    geth: 'takes them for nothing',
    lockstep: 'refuses them',
    reason: 'what was meant is not known',
  },
  fullTransactions: {
    where: 'eth_getBlockByNumber, eth_getBlockByHash',
    geth: '`missing value for required argument 1`',
    lockstep: 'hashes where it is not said',
    reason: 'the default of every client library',
  },
  tracerScripts: {
    where: 'debug_trace*, a tracer that is no name',
    geth: 'runs the text as a script',
    lockstep: 'names the tracers that there are',
    reason: 'a name that is mistyped is the likelier fault',
  },
  blockTracerConfig: {
    where: 'debug_traceBlock*',
    geth: 'refuses the block where a tracer refuses its configuration',
    lockstep: 'tells it with each transaction',
    reason: 'the tracer is made for each transaction',
  },
  traceOptions: {
    where: 'debug_trace*, options that the tracer does not use',
    geth: 'are not read',
    lockstep: 'are refused where they are wrong',
    reason: 'a fault that has no effect today has one with another tracer',
  },
  chainOverrides: {
    where: 'debug_trace*, `overrides`',
    geth: 'exchanges the rules of the chain',
    lockstep: 'refuses it where it has members',
    reason: 'a trace under the rules of the chain would mislead',
  },
  decimalCount: {
    where: 'eth_feeHistory, the count',
    geth: 'may be decimal digits in a text',
    lockstep: 'is a quantity or a number',
    reason: 'as quantities are elsewhere',
  },
  pendingFilter: {
    where: 'eth_newPendingTransactionFilter',
    geth: 'an argument asks for whole transactions',
    lockstep: 'takes none',
    reason: 'pending transactions are told of by their hashes',
  },
  longKey: {
    where: 'eth_getStorageAt, eth_getProof, a key that is too long',
    geth: 'shows it whole',
    lockstep: 'shows it cut',
    reason: 'it may be megabytes',
  },
  noTime: {
    where: 'debug_trace*, `timeout: "0s"`',
    geth: 'traces what it can before the timer runs',
    lockstep: '`trace timed out after 0ms`',
    reason: 'no time is no time',
  },
  oddHex: {
    where: 'hex with an odd number of digits of which some are none',
    geth: '`invalid hex string`',
    lockstep: '`hex string of odd length`',
    reason: 'it is both',
  },
  printedHash: {
    where: 'debug_traceBlockByHash of an absent block',
    geth: 'prints the hash as a list of numbers',
    lockstep: 'prints it in hex',
    reason: 'a slip',
  },
  absentReceipts: {
    where: 'debug_getRawReceipts of an absent block',
    geth: '`[]`',
    lockstep: 'an error',
    reason: 'a slip: an absent block has no receipts, not even none',
  },
} as const satisfies Readonly<Record<string, GethDifference>>
