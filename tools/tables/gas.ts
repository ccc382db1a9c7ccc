import type { ByRevision } from './revision.ts'

/**
 * A price: units of gas, or of another unit. Prices that some revisions change become functions of the revision. The
 * constant gas of opcodes is in opcode.ts, that of precompiles in precompile.ts.
 */
export interface Price {
  readonly name: string
  readonly amount: number | ByRevision
  readonly doc: string
  /** True if the host uses the price too. */
  readonly inHost?: boolean
}

export const PRICES: readonly Price[] = [
  // Yellow paper, appendix G; the groups that never changed
  { name: 'memoryWord', amount: 3, doc: 'For each word of memory.' },
  {
    name: 'memorySquareDivisor',
    amount: 512,
    doc: 'The square of the words of memory divided by this is added.',
  },
  { name: 'copyWord', amount: 3, doc: 'For each word copied.' },
  { name: 'keccakWord', amount: 6, doc: 'For each word hashed.' },
  { name: 'logTopic', amount: 375, doc: 'For each topic of a log.' },
  { name: 'logByte', amount: 8, doc: 'For each byte of a log.' },
  { name: 'codeDepositByte', amount: 200, doc: 'For each byte of deployed code.' },
  { name: 'callValue', amount: 9_000, doc: 'A call that moves value.' },
  {
    name: 'callStipend',
    amount: 2_300,
    doc: 'The gas that such a call passes on for free.',
    inHost: true,
  },
  { name: 'newAccount', amount: 25_000, doc: 'A call that creates an account.' },
  {
    name: 'exponentByte',
    amount: [
      ['Frontier', 10],
      ['SpuriousDragon', 50],
    ],
    doc: 'EXP, for each byte of the exponent (EIP-160).',
  },

  // Touching state
  { name: 'coldAccount', amount: 2_600, doc: 'The first touch of an account (EIP-2929).' },
  { name: 'coldSload', amount: 2_100, doc: 'The first touch of a slot (EIP-2929).' },
  { name: 'warmRead', amount: 100, doc: 'A later touch of either (EIP-2929).' },
  {
    name: 'balance',
    amount: [
      ['Frontier', 20],
      ['TangerineWhistle', 400],
      ['Istanbul', 700],
    ],
    doc: 'BALANCE until Berlin (EIP-150, EIP-1884).',
  },
  {
    name: 'externalCode',
    amount: [
      ['Frontier', 20],
      ['TangerineWhistle', 700],
    ],
    doc: 'EXTCODESIZE and EXTCODECOPY until Berlin (EIP-150).',
  },
  {
    name: 'externalHash',
    amount: [
      ['Frontier', 400],
      ['Istanbul', 700],
    ],
    doc: 'EXTCODEHASH until Berlin (EIP-1052, EIP-1884).',
  },
  {
    name: 'sload',
    amount: [
      ['Frontier', 50],
      ['TangerineWhistle', 200],
      ['Istanbul', 800],
    ],
    doc: 'SLOAD until Berlin (EIP-150, EIP-1884).',
  },
  {
    name: 'call',
    amount: [
      ['Frontier', 40],
      ['TangerineWhistle', 700],
    ],
    doc: 'The CALL family until Berlin (EIP-150).',
  },
  {
    name: 'selfdestruct',
    amount: [
      ['Frontier', 0],
      ['TangerineWhistle', 5_000],
    ],
    doc: 'SELFDESTRUCT (EIP-150).',
  },
  { name: 'selfdestructRefund', amount: 24_000, doc: 'Until EIP-3529.' },
  { name: 'sstoreSet', amount: 20_000, doc: 'A slot that changes from zero.' },
  {
    name: 'sstoreReset',
    amount: 5_000,
    doc: 'Another change of a slot; from Berlin on minus coldSload.',
  },
  {
    name: 'sstoreRead',
    amount: [
      ['Frontier', 200],
      ['Istanbul', 800],
      ['Berlin', 100],
    ],
    doc: 'SSTORE without a new change of the original value (EIP-1283, EIP-2200, EIP-2929).',
  },
  {
    name: 'sstoreSentry',
    amount: 2_300,
    doc: 'SSTORE fails if no more gas than this is left (EIP-2200).',
  },
  {
    name: 'sstoreClearRefund',
    amount: [
      ['Frontier', 15_000],
      ['London', 4_800],
    ],
    doc: 'A slot becomes zero (EIP-3529).',
  },

  // Precompiles, in addition to precompile.ts
  {
    name: 'modexpMinimum',
    amount: [
      ['Frontier', 0],
      ['Berlin', 200],
      ['Osaka', 500],
    ],
    doc: 'Minimum of MODEXP (EIP-2565, EIP-7883).',
  },
  {
    name: 'g1Multiplication',
    amount: 12_000,
    doc: 'BLS12_G1MSM for each pair, before the discount (EIP-2537).',
  },
  {
    name: 'g2Multiplication',
    amount: 22_500,
    doc: 'BLS12_G2MSM for each pair, before the discount (EIP-2537).',
  },

  // Transactions
  {
    name: 'transactionGas',
    amount: 21_000,
    doc: 'The base cost of a transaction.',
    inHost: true,
  },
  { name: 'transactionCreate', amount: 32_000, doc: 'A creation (EIP-2).', inHost: true },
  { name: 'initcodeWord', amount: 2, doc: 'For each word of initcode (EIP-3860).', inHost: true },
  { name: 'dataZero', amount: 4, doc: 'For each zero byte of data.', inHost: true },
  {
    name: 'dataNonzero',
    amount: [
      ['Frontier', 68],
      ['Istanbul', 16],
    ],
    doc: 'For each other byte of data (EIP-2028).',
    inHost: true,
  },
  { name: 'accessListAddress', amount: 2_400, doc: 'EIP-2930.', inHost: true },
  { name: 'accessListSlot', amount: 1_900, doc: 'EIP-2930.', inHost: true },
  {
    name: 'authorizationNew',
    amount: 25_000,
    doc: 'For each authorization (EIP-7702).',
    inHost: true,
  },
  {
    name: 'authorizationRefund',
    amount: 12_500,
    doc: 'The cost of an authorization whose authority already exists (EIP-7702).',
  },
  {
    name: 'floorToken',
    amount: 10,
    doc: 'Minimum for each token of data (EIP-7623).',
    inHost: true,
  },
  {
    name: 'tokensNonzero',
    amount: 4,
    doc: 'Tokens of a non-zero byte (EIP-7623).',
    inHost: true,
  },
  { name: 'blobGas', amount: 131_072, doc: 'Blob gas of each blob (EIP-4844).', inHost: true },
]
