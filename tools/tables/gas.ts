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
  {
    name: 'codeDepositByte',
    amount: [
      ['Frontier', 200],
      ['Amsterdam', 0],
    ],
    doc: 'For each byte of deployed code; state gas since Amsterdam (EIP-8037).',
  },
  {
    name: 'codeDepositWord',
    amount: [
      ['Frontier', 0],
      ['Amsterdam', 6],
    ],
    doc: 'For each word of deployed code, which is hashed (EIP-8037).',
  },
  {
    name: 'create',
    amount: [
      ['Frontier', 32_000],
      ['Amsterdam', 12_000],
    ],
    doc: 'CREATE, CREATE2 and a transaction that creates: since Amsterdam access and write (EIP-2, EIP-8038).',
    inHost: true,
  },
  {
    name: 'callValue',
    amount: [
      ['Frontier', 9_000],
      ['Amsterdam', 11_300],
    ],
    doc: 'A call that moves value (EIP-8038).',
  },
  {
    name: 'callStipend',
    amount: 2_300,
    doc: 'The gas that such a call passes on for free.',
    inHost: true,
  },
  {
    name: 'newAccount',
    amount: [
      ['Frontier', 25_000],
      ['Amsterdam', 0],
    ],
    doc: 'A call that creates an account; state gas since Amsterdam (EIP-8037).',
  },
  {
    name: 'newBeneficiary',
    amount: [
      ['Frontier', 25_000],
      ['Amsterdam', 9_000],
    ],
    doc: 'SELFDESTRUCT that creates an account: since Amsterdam only the write (EIP-8038).',
  },
  {
    name: 'exponentByte',
    amount: [
      ['Frontier', 10],
      ['SpuriousDragon', 50],
    ],
    doc: 'EXP, for each byte of the exponent (EIP-160).',
  },

  // Touching state
  {
    name: 'coldAccount',
    amount: [
      ['Frontier', 2_600],
      ['Amsterdam', 3_000],
    ],
    doc: 'The first touch of an account (EIP-2929, EIP-8038).',
    inHost: true,
  },
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
    name: 'codeRead',
    amount: [
      ['Frontier', 0],
      ['Amsterdam', 100],
    ],
    doc: 'EXTCODESIZE and EXTCODECOPY, beside the touch of the account (EIP-8038).',
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
  {
    name: 'sstoreSet',
    amount: [
      ['Frontier', 20_000],
      ['Amsterdam', 10_100],
    ],
    doc: 'A slot that changes from zero; since Amsterdam the warm touch and the write (EIP-8038).',
  },
  {
    name: 'sstoreReset',
    amount: [
      ['Frontier', 5_000],
      ['Amsterdam', 12_200],
    ],
    doc: 'Another change of a slot; from Berlin on minus coldSload.',
  },
  {
    name: 'sstoreCold',
    amount: [
      ['Frontier', 2_100],
      ['Amsterdam', 2_000],
    ],
    doc: 'SSTORE into a slot touched first, beside the rest (EIP-2929, EIP-8038).',
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
      ['Amsterdam', 11_616],
    ],
    doc: 'A slot becomes zero (EIP-3529, EIP-8038).',
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
  {
    name: 'senderBase',
    amount: 12_000,
    doc: 'The base cost since Amsterdam, without recipient and value (EIP-2780).',
    inHost: true,
  },
  {
    name: 'transferValue',
    amount: 6_000,
    doc: 'A transaction that moves value to another account (EIP-2780).',
    inHost: true,
  },
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
  {
    name: 'accessListAddress',
    amount: [
      ['Frontier', 2_400],
      ['Amsterdam', 2_900],
    ],
    doc: 'EIP-2930, EIP-8038.',
    inHost: true,
  },
  {
    name: 'accessListSlot',
    amount: [
      ['Frontier', 1_900],
      ['Amsterdam', 2_000],
    ],
    doc: 'EIP-2930, EIP-8038.',
    inHost: true,
  },
  {
    name: 'accessListByte',
    amount: [
      ['Frontier', 0],
      ['Amsterdam', 64],
    ],
    doc: 'For each byte of an access list, also in the minimum (EIP-7981).',
    inHost: true,
  },
  {
    name: 'authorization',
    amount: [
      ['Frontier', 25_000],
      ['Amsterdam', 7_816],
    ],
    doc: 'For each authorization (EIP-7702, EIP-8037).',
    inHost: true,
  },
  {
    name: 'authorizationRefund',
    amount: 12_500,
    doc: 'The cost of an authorization whose authority already exists, until Amsterdam (EIP-7702).',
  },
  {
    name: 'floorToken',
    amount: [
      ['Frontier', 10],
      ['Amsterdam', 16],
    ],
    doc: 'Minimum for each token of data (EIP-7623, EIP-7976).',
    inHost: true,
  },
  {
    name: 'tokensZero',
    amount: [
      ['Frontier', 1],
      ['Amsterdam', 4],
    ],
    doc: 'Tokens of a zero byte (EIP-7623, EIP-7976).',
    inHost: true,
  },
  {
    name: 'tokensNonzero',
    amount: 4,
    doc: 'Tokens of a non-zero byte (EIP-7623).',
    inHost: true,
  },

  // State gas since Amsterdam (EIP-8037): 1,530 for each byte by which the state grows
  { name: 'accountWrite', amount: 9_000, doc: 'The first write to an authority (EIP-2780).' },
  { name: 'stateByte', amount: 1_530, doc: 'For each byte of deployed code.' },
  { name: 'stateAccount', amount: 183_600, doc: 'For each new account: 120 bytes.' },
  { name: 'stateSlot', amount: 97_920, doc: 'For each new slot: 64 bytes.' },
  { name: 'stateDelegation', amount: 35_190, doc: 'For each new delegation: 23 bytes.' },
  {
    name: 'systemState',
    amount: 1_566_720,
    doc: 'State gas of a call by the protocol: 16 slots.',
  },

  { name: 'blobGas', amount: 131_072, doc: 'Blob gas of each blob (EIP-4844).', inHost: true },
]
