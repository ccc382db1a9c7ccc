import { type GasWords, type OpcodeDescription, row } from './opcode-row.ts'

const MEMORY: GasWords = [['Frontier', '3, and memory']]

/** EIP-1283 changed it for one revision. */
const SSTORE_PLAIN =
  '20,000 if a zero slot becomes non-zero, 5,000 otherwise; 15,000 are refunded if a slot becomes zero'

function ordinal(n: number): string {
  const suffix = ['st', 'nd', 'rd'][n - 1] ?? 'th'
  return `${n}${suffix}`
}

function pushes(): OpcodeDescription[] {
  return Array.from({ length: 32 }, (_, i) =>
    row(
      0x60 + i,
      `PUSH${i + 1}`,
      '-> value',
      i === 0 ? 'Pushes the next byte of the code.' : `Pushes the next ${i + 1} bytes of the code.`,
      3,
    ),
  )
}

const LETTERS = 'abcdefghijklmnopq'

function duplications(): OpcodeDescription[] {
  return Array.from({ length: 16 }, (_, i) => {
    const words = [...LETTERS.slice(0, i + 1)]
    const stack = `${words.join(' ')} -> ${[words[i], ...words].join(' ')}`
    return row(
      0x80 + i,
      `DUP${i + 1}`,
      stack,
      i === 0 ? 'Duplicates the top word.' : `Duplicates the ${ordinal(i + 1)} word from the top.`,
      3,
    )
  })
}

function swaps(): OpcodeDescription[] {
  return Array.from({ length: 16 }, (_, i) => {
    const words = [...LETTERS.slice(0, i + 2)]
    const swapped = [words[i + 1], ...words.slice(1, -1), words[0]]
    return row(
      0x90 + i,
      `SWAP${i + 1}`,
      `${words.join(' ')} -> ${swapped.join(' ')}`,
      `Swaps the top word with the ${ordinal(i + 2)}.`,
      3,
    )
  })
}

/** 0x50 to 0x9f: stack, memory, storage, jumps. */
export const STACK_AND_MEMORY: readonly OpcodeDescription[] = [
  row(0x50, 'POP', 'value ->', 'Drops the top word.', 2),
  row(0x51, 'MLOAD', 'offset -> word', 'Reads a word of memory.', MEMORY),
  row(0x52, 'MSTORE', 'offset word ->', 'Writes a word to memory.', MEMORY),
  row(0x53, 'MSTORE8', 'offset byte ->', 'Writes the lowest byte of a word to memory.', MEMORY),
  row(
    0x54,
    'SLOAD',
    'slot -> value',
    'Reads a slot of the account’s storage.',
    [
      ['Frontier', '50'],
      ['TangerineWhistle', '200'],
      ['Istanbul', '800'],
      ['Berlin', '2,100 for the first access to the slot in the transaction, then 100'],
    ],
    'Frontier',
    150,
    1884,
    2929,
  ),
  row(
    0x55,
    'SSTORE',
    'slot value ->',
    'Writes a slot of the account’s storage.',
    [
      ['Frontier', SSTORE_PLAIN],
      [
        'Constantinople',
        '20,000 if a slot that was zero before the transaction becomes non-zero, 5,000 for the first other change, 200 for a further or no change; 15,000 are refunded if it becomes zero',
      ],
      ['Petersburg', SSTORE_PLAIN],
      [
        'Istanbul',
        '20,000 if a slot that was zero before the transaction becomes non-zero, 5,000 for the first other change, 800 for a further or no change; 15,000 are refunded if it becomes zero; fails with 2,300 gas or less left',
      ],
      [
        'Berlin',
        '20,000 if a slot that was zero before the transaction becomes non-zero, 2,900 for the first other change, 100 for a further or no change, and 2,100 for the first access to the slot; 15,000 are refunded if it becomes zero; fails with 2,300 gas or less left',
      ],
      [
        'London',
        '20,000 if a slot that was zero before the transaction becomes non-zero, 2,900 for the first other change, 100 for a further or no change, and 2,100 for the first access to the slot; 4,800 are refunded if it becomes zero; fails with 2,300 gas or less left',
      ],
      [
        'Amsterdam',
        '10,100 for the first change of the slot in the transaction, 100 for a further or no change, 2,000 more (so 2,100 in all for no change) for the first access; 97,920 of state gas if a slot that was zero becomes non-zero; 11,616 are refunded if it becomes zero; fails with 2,300 gas or less left',
      ],
    ],
    'Frontier',
    1283,
    2200,
    2929,
    3529,
  ),
  row(0x56, 'JUMP', 'place ->', 'Jumps to a JUMPDEST of the code.', 8),
  row(
    0x57,
    'JUMPI',
    'place condition ->',
    'Jumps to a JUMPDEST of the code if the condition is not 0.',
    10,
  ),
  row(0x58, 'PC', '-> place', 'The position of this opcode in the code.', 2),
  row(0x59, 'MSIZE', '-> size', 'The size of the frame’s memory in bytes, in whole words.', 2),
  row(0x5a, 'GAS', '-> gas', 'The remaining gas, after the price of this opcode.', 2),
  row(0x5b, 'JUMPDEST', '', 'Marks a valid jump target; does nothing.', 1),
  row(
    0x5c,
    'TLOAD',
    'slot -> value',
    'Reads a slot of transient storage, which is cleared after the transaction.',
    100,
    'Cancun',
    1153,
  ),
  row(
    0x5d,
    'TSTORE',
    'slot value ->',
    'Writes a slot of transient storage, which is cleared after the transaction.',
    100,
    'Cancun',
    1153,
  ),
  row(
    0x5e,
    'MCOPY',
    'to from size ->',
    'Copies within memory; the ranges may overlap.',
    [['Cancun', '3, and 3 for each word copied, and memory']],
    'Cancun',
    5656,
  ),
  row(0x5f, 'PUSH0', '-> zero', 'Pushes 0.', 2, 'Shanghai', 3855),
  ...pushes(),
  ...duplications(),
  ...swaps(),
]
