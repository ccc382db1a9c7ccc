import type { ByRevision } from './revision.ts'

/**
 * A price: units of gas, or what another unit is counted in. Those that some revisions change become functions
 * of the revision. The constant gas of opcodes stands with them (opcode.ts), that of precompiles with those
 * (precompile.ts).
 */
export interface Price {
  readonly name: string
  readonly amount: number | ByRevision
  readonly doc: string
  /** True where the host takes the price too. */
  readonly inHost?: boolean
}

export const PRICES: readonly Price[] = [
  // Yellow paper, appendix G; the groups that never changed
  { name: 'memoryWord', amount: 3, doc: 'For each word of memory.' },
  { name: 'copyWord', amount: 3, doc: 'For each word copied.' },
  { name: 'keccakWord', amount: 6, doc: 'For each word hashed.' },
  { name: 'logTopic', amount: 375, doc: 'For each topic of a log.' },
  { name: 'logByte', amount: 8, doc: 'For each byte of a log.' },
  { name: 'codeDepositByte', amount: 200, doc: 'For each byte of code that a creation leaves.' },
  { name: 'callValue', amount: 9_000, doc: 'A call that moves value.' },
  {
    name: 'callStipend',
    amount: 2_300,
    doc: 'What such a call hands on for nothing.',
    inHost: true,
  },
  { name: 'newAccount', amount: 25_000, doc: 'A call that makes an account.' },
  {
    name: 'exponentByte',
    amount: [
      ['Frontier', 10],
      ['SpuriousDragon', 50],
    ],
    doc: 'EXP by the byte of the exponent (EIP-160).',
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
  { name: 'sstoreSet', amount: 20_000, doc: 'A slot that was zero becomes another.' },
  {
    name: 'sstoreReset',
    amount: 5_000,
    doc: 'Another change of a slot; from Berlin on less coldSload.',
  },
  {
    name: 'sstoreRead',
    amount: [
      ['Frontier', 200],
      ['Istanbul', 800],
      ['Berlin', 100],
    ],
    doc: 'SSTORE that changes no more than was paid for (EIP-1283, EIP-2200, EIP-2929).',
  },
  { name: 'sstoreSentry', amount: 2_300, doc: 'With so little gas left SSTORE fails (EIP-2200).' },
  {
    name: 'sstoreClearRefund',
    amount: [
      ['Frontier', 15_000],
      ['London', 4_800],
    ],
    doc: 'A slot becomes zero (EIP-3529).',
  },

  // Transactions
  {
    name: 'transaction',
    amount: 21_000,
    doc: 'A transaction that does nothing but pay.',
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
    doc: 'What an authorization costs whose authority is there already (EIP-7702).',
  },
  {
    name: 'floorToken',
    amount: 10,
    doc: 'For each token of data at least (EIP-7623).',
    inHost: true,
  },
  {
    name: 'tokensNonzero',
    amount: 4,
    doc: 'Tokens of a byte that is not zero (EIP-7623).',
    inHost: true,
  },
  { name: 'blob', amount: 131_072, doc: 'Blob gas of each blob (EIP-4844).', inHost: true },
  {
    name: 'refundQuotient',
    amount: [
      ['Frontier', 2],
      ['London', 5],
    ],
    doc: 'The part of the gas used that refunds may give back at most is one of so many (EIP-3529).',
  },
]
