import { type GasWords, type OpcodeDescription, row } from './opcode-row.ts'

const CREATION_STATE =
  'and memory, and what the creation code uses, and 6 for each word of the contract; of state gas 183,600 if the account is new, and 1,530 for each byte of the contract'
const CREATION: GasWords = [
  [
    'Frontier',
    '32,000, and memory, and what the creation code uses, and 200 for each byte of the contract',
  ],
  [
    'Shanghai',
    '32,000, and 2 for each word of creation code, and memory, and what the creation code uses, and 200 for each byte of the contract',
  ],
  ['Amsterdam', `12,000, and 2 for each word of creation code, ${CREATION_STATE}`],
]
const CREATION2: GasWords = [
  [
    'Constantinople',
    '32,000, and 6 for each word of creation code, and memory, and what the creation code uses, and 200 for each byte of the contract',
  ],
  [
    'Shanghai',
    '32,000, and 8 for each word of creation code, and memory, and what the creation code uses, and 200 for each byte of the contract',
  ],
  ['Amsterdam', `12,000, and 8 for each word of creation code, ${CREATION_STATE}`],
]
const TOUCH = '2,600 for the first access to the account in the transaction, then 100'
const TOUCH_AMSTERDAM = '3,000 for the first access to the account in the transaction, then 100'
const VALUE = '9,000 with value, of which 2,300 are passed on'

/**
 * Returns the price of a call that may transfer value; `newAccount` is the part for creating an account, `newState` the
 * same in state gas.
 */
function valueCall(newAccount: string, newState: string): GasWords {
  return [
    ['Frontier', `40, and ${VALUE}${newAccount}, and memory, and what the called code uses`],
    [
      'TangerineWhistle',
      `700, and ${VALUE}${newAccount}, and memory, and what the called code uses`,
    ],
    ['Berlin', `${TOUCH}; and ${VALUE}${newAccount}, and memory, and what the called code uses`],
    [
      'Prague',
      `${TOUCH}; the same again for the delegate of the account; and ${VALUE}${newAccount}, and memory, and what the called code uses`,
    ],
    [
      'Amsterdam',
      `${TOUCH_AMSTERDAM}; the same again for the delegate of the account; and 11,300 with value, of which 2,300 are passed on${newState}, and memory, and what the called code uses`,
    ],
  ]
}

function plainCall(before: GasWords): GasWords {
  return [
    ...before,
    ['Berlin', `${TOUCH}; and memory, and what the called code uses`],
    [
      'Prague',
      `${TOUCH}; the same again for the delegate of the account; and memory, and what the called code uses`,
    ],
    [
      'Amsterdam',
      `${TOUCH_AMSTERDAM}; the same again for the delegate of the account; and memory, and what the called code uses`,
    ],
  ]
}

function logs(): OpcodeDescription[] {
  return Array.from({ length: 5 }, (_, n) => {
    const topics = Array.from({ length: n }, (_, i) => `topic${i + 1}`)
    const does =
      [
        'Emits a log without topics; its data are a range of memory.',
        'Emits a log with one topic.',
      ][n] ?? `Emits a log with ${n} topics.`
    return row(0xa0 + n, `LOG${n}`, `${['offset', 'size', ...topics].join(' ')} ->`, does, [
      [
        'Frontier',
        `375, ${n === 0 ? '' : 'and 375 for each topic, '}and 8 for each byte of data, and memory`,
      ],
    ])
  })
}

/** 0xa0 to 0xff: logs, the stack by operand, creations, calls, and opcodes that end the frame. */
export const LOGS_AND_CALLS: readonly OpcodeDescription[] = [
  ...logs(),
  row(
    0xe6,
    'DUPN',
    '... -> copy ...',
    'Copies the word at the depth that the next byte of the code stands for: 17 to 235.',
    3,
    'Amsterdam',
    8024,
  ),
  row(
    0xe7,
    'SWAPN',
    'a ... -> z ...',
    'Swaps the top word with the one below the depth that the next byte of the code stands for: 17 to 235.',
    3,
    'Amsterdam',
    8024,
  ),
  row(
    0xe8,
    'EXCHANGE',
    'a ... -> a ...',
    'Swaps two words below the top, at the depths that the next byte of the code stands for.',
    3,
    'Amsterdam',
    8024,
  ),
  row(
    0xf0,
    'CREATE',
    'value offset size -> address',
    'Creates a contract at an address derived from the creator and its nonce; 0 if that failed.',
    CREATION,
    'Frontier',
    3860,
  ),
  row(
    0xf1,
    'CALL',
    'gas address value inOffset inSize outOffset outSize -> success',
    'Calls an account, optionally with value; 0 if the call failed.',
    valueCall(
      ' and 25,000 if it creates an account',
      ' and 183,600 of state gas if it creates an account',
    ),
    'Frontier',
    150,
    161,
    2929,
    7702,
  ),
  row(
    0xf2,
    'CALLCODE',
    'gas address value inOffset inSize outOffset outSize -> success',
    'Runs the code of another account on this one’s storage, with this account as the caller; replaced by DELEGATECALL.',
    valueCall('', ''),
    'Frontier',
    150,
    2929,
    7702,
  ),
  row(
    0xf3,
    'RETURN',
    'offset size ->',
    'Ends the frame with success; a range of memory is the output.',
    [['Frontier', '0, and memory']],
  ),
  row(
    0xf4,
    'DELEGATECALL',
    'gas address inOffset inSize outOffset outSize -> success',
    'Runs the code of another account on this one’s storage, with the same caller and value; 0 if it failed. Used by proxies and libraries.',
    plainCall([
      ['Homestead', '40, and memory, and what the called code uses'],
      ['TangerineWhistle', '700, and memory, and what the called code uses'],
    ]),
    'Homestead',
    7,
    150,
    2929,
    7702,
  ),
  row(
    0xf5,
    'CREATE2',
    'value offset size salt -> address',
    'Creates a contract at a predictable address derived from the creator, a salt and the creation code; 0 if that failed.',
    CREATION2,
    'Constantinople',
    1014,
    3860,
  ),
  row(
    0xfa,
    'STATICCALL',
    'gas address inOffset inSize outOffset outSize -> success',
    'Calls an account; neither it nor its calls may change anything; 0 if it failed.',
    plainCall([['Byzantium', '700, and memory, and what the called code uses']]),
    'Byzantium',
    214,
    2929,
    7702,
  ),
  row(
    0xfd,
    'REVERT',
    'offset size ->',
    'Ends the frame, reverts its changes and returns its remaining gas; a range of memory is the output.',
    [['Byzantium', '0, and memory']],
    'Byzantium',
    140,
  ),
  row(
    0xfe,
    'INVALID',
    '',
    'Fails and consumes all gas of the frame.',
    [['Frontier', 'all remaining gas']],
    'Frontier',
    141,
  ),
  row(
    0xff,
    'SELFDESTRUCT',
    'heir ->',
    'Sends the whole balance to another account; since Cancun the account is deleted only if the same transaction created it.',
    [
      ['Frontier', '0; 24,000 are refunded'],
      ['TangerineWhistle', '5,000, and 25,000 if it creates an account; 24,000 are refunded'],
      [
        'Berlin',
        '5,000, and 2,600 for the first access to the recipient, and 25,000 if it creates an account; 24,000 are refunded',
      ],
      [
        'London',
        '5,000, and 2,600 for the first access to the recipient, and 25,000 if it creates an account',
      ],
      [
        'Amsterdam',
        '5,000, and 3,000 for the first access to the recipient, and 9,000 and 183,600 of state gas if it creates an account',
      ],
    ],
    'Frontier',
    150,
    161,
    2929,
    3529,
    6780,
  ),
]
