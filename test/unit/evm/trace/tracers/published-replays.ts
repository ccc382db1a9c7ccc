import type { TransactionInput } from '../../../../../host/evm/engine/message.ts'
import type { FixtureState } from '../../../../conformance/fixture.ts'

/**
 * Published answers of trace_replayBlockTransactions on an Istanbul chain, made with OpenEthereum. Source,
 * Apache-2.0: Hyperledger Besu, ethereum/api/src/test/resources/org/hyperledger/besu/ethereum/api/jsonrpc/trace
 * (chain-data/genesis.json, chain-data/blocks.json, specs/replay-trace-transaction/all). The opcodes are abbreviated:
 * `used` follows from the gas before and the cost.
 */
export interface PublishedReplay {
  readonly name: string
  /** The accounts as the answer states them, with their code from the genesis. */
  readonly before: FixtureState
  readonly transactions: readonly {
    readonly input: Pick<TransactionInput, 'nonce'> & {
      readonly from: string
      readonly to?: string
      readonly data?: string
    }
    readonly result: object
  }[]
}

export const GAS_LIMIT = 0xfffff2n
export const GAS_PRICE = 0xefn
const RICH = '0xfe3b557e8fb62b89f4916b721be55ceb828dbd73'
const SECOND = '0x627306090abab3a6e1400e9345bc60c78a8bef57'
const COINBASE = `0x${'0'.repeat(40)}`
const contract = (digits: string) => `0x${digits.padEnd(40, '0')}`
const word = (digits: string) => `0x${digits.padStart(64, '0')}`

interface More {
  readonly mem?: { readonly off: number; readonly data: string }
  readonly store?: { readonly key: string; readonly val: string }
  /** Gas after a call, which does not follow from the cost alone. */
  readonly used?: number
  readonly sub?: object
}

const NO_MORE: More = {}

type Row = readonly [pc: number, cost: number, push?: readonly string[], more?: More]

/** Returns a `vmTrace` from the gas at its start. */
function vmTrace(code: string, gas: number, rows: readonly Row[]): object {
  let used = gas
  const ops = rows.map(([pc, cost, push = [], more = NO_MORE]) => {
    const { mem = null, store = null, sub = null } = more
    used = more.used ?? used - cost
    return { pc, cost, ex: { used, push, mem, store }, sub }
  })
  return { code, ops }
}

const same = { code: '=', storage: {} }
const moved = (from: string, to: string) => ({ '*': { from, to } })

function diff(
  address: string,
  balance: readonly [string, string],
  nonce?: readonly [string, string],
) {
  return {
    [address]: { ...same, balance: moved(...balance), nonce: nonce ? moved(...nonce) : '=' },
  }
}

function call(from: string, to: string, gas: string, input = '0x', callType = 'call') {
  return { callType, from, gas, input, to, value: '0x0' }
}

const CALLCODE = '0x60206000602036038060206000376000346000355af260206000f3'
const INCREMENT = '0x60003560010160005260206000f3'
const ONE = `f${'1'.padStart(63, '0')}`
const TWO = `0xf${'2'.padStart(63, '0')}`
const CALLCODE_INPUT = `${word(contract('003').slice(2))}${ONE}`
const SET_TWO = '0x6020356000355560603560403555'
const words = (...values: readonly string[]) =>
  `0x${values.map((value) => word(value).slice(2)).join('')}`
const FIRST_WORD = '3940be4289e4c3587d88c1856cc95352461992db0a584c281226faefe560b301'
const SECOND_WORD = '14c4d2c102bdeb2354bfc3dc96a95e4512cf3a8461e0560e2272dbf884ef3905'
const MEMORY_CODE = `7f${FIRST_WORD}6000527f${SECOND_WORD}601052`
const MEMORY_ROWS: readonly Row[] = [
  [0, 3, [`0x${FIRST_WORD}`]],
  [33, 3, ['0x0']],
  [35, 6, [], { mem: { off: 0, data: `0x${FIRST_WORD}` } }],
  [36, 3, [`0x${SECOND_WORD}`]],
  [69, 3, ['0x10']],
  [71, 6, [], { mem: { off: 16, data: `0x${SECOND_WORD}` } }],
  [72, 3, ['0x8']],
]

function setRows(one: readonly [string, string, number], two: readonly [string, string, number]) {
  const [key, val, cost] = one
  const [key2, val2, cost2] = two
  const rows: Row[] = [
    [0, 3, ['0x20']],
    [2, 3, [val]],
    [3, 3, ['0x0']],
    [5, 3, [key]],
    [6, cost, [], { store: { key, val } }],
    [7, 3, ['0x60']],
    [9, 3, [val2]],
    [10, 3, ['0x40']],
    [12, 3, [key2]],
    [13, cost2, [], { store: { key: key2, val: val2 } }],
  ]
  return rows
}

const slots = (changes: Readonly<Record<string, readonly [string, string]>>) => ({
  [contract('001')]: {
    balance: '=',
    code: '=',
    nonce: '=',
    storage: Object.fromEntries(
      Object.entries(changes).map(([key, [from, to]]) => [word(key), moved(word(from), word(to))]),
    ),
  },
})

/** Returns the answer for a transaction whose call fails at once. */
function failure(to: string, nonce: number, error: string, ...balances: readonly string[]) {
  const [coinbase = '', paid = '', rich = '', left = ''] = balances
  const nonces = [`0x${nonce.toString(16)}`, `0x${(nonce + 1).toString(16)}`] as const
  return {
    output: '0x',
    stateDiff: { ...diff(COINBASE, [coinbase, paid]), ...diff(RICH, [rich, left], nonces) },
    trace: [
      { action: call(RICH, to, '0xffadea'), error, subtraces: 0, traceAddress: [], type: 'call' },
    ],
  }
}

const PUSH_ONLY = (word: string): Row => [0, 3, [word]]

export const PUBLISHED_REPLAYS: readonly PublishedReplay[] = [
  {
    name: 'block 0x3: a contract is created',
    before: {
      [COINBASE]: { balance: '0x3782dace9ddc9578' },
      [SECOND]: { balance: '0xeffffffffffffffffffb36a87', nonce: '0x1' },
    },
    transactions: [
      {
        input: { from: SECOND, nonce: 1n, data: '0x6004600c60003960046000f3600035ff' },
        result: {
          output: '0x600035ff',
          stateDiff: {
            ...diff(COINBASE, ['0x3782dace9ddc9578', '0x3782dace9ea1ac9c']),
            ...diff(
              SECOND,
              ['0xeffffffffffffffffffb36a87', '0xefffffffffffffffffeee5363'],
              ['0x1', '0x2'],
            ),
            '0xf12b5dd4ead5f743c6baa640b0216200e89b60da': {
              balance: { '+': '0x0' },
              code: { '+': '0x600035ff' },
              nonce: { '+': '0x1' },
              storage: {},
            },
          },
          trace: [
            {
              action: {
                creationMethod: 'create',
                from: SECOND,
                gas: '0xff300e',
                init: '0x6004600c60003960046000f3600035ff',
                value: '0x0',
              },
              result: {
                address: '0xf12b5dd4ead5f743c6baa640b0216200e89b60da',
                code: '0x600035ff',
                gasUsed: '0x338',
              },
              subtraces: 0,
              traceAddress: [],
              type: 'create',
            },
          ],
          vmTrace: vmTrace('0x6004600c60003960046000f3600035ff', 16723982, [
            [0, 3, ['0x4']],
            [2, 3, ['0xc']],
            [4, 3, ['0x0']],
            [6, 9, [], { mem: { off: 0, data: '0x600035ff' } }],
            [7, 3, ['0x4']],
            [9, 3, ['0x0']],
            [11, 0],
          ]),
        },
      },
    ],
  },
  {
    name: 'block 0x4: slots are set and changed, of an account that was there',
    before: {
      [COINBASE]: { balance: '0x53444835ed69ac9c' },
      [contract('001')]: { code: SET_TWO, balance: '0x0' },
      [RICH]: { balance: `0x${'f'.repeat(41)}`, nonce: '0x0' },
      [SECOND]: { balance: '0xefffffffffffffffffeee5363', nonce: '0x2' },
    },
    transactions: [
      {
        input: { from: RICH, nonce: 0n, to: contract('001'), data: words('1', '1', '2', '2') },
        result: {
          output: '0x',
          stateDiff: {
            ...diff(COINBASE, ['0x53444835ed69ac9c', '0x53444835ee4a430c']),
            ...slots({ '1': ['0', '1'], '2': ['0', '2'] }),
            ...diff(RICH, [`0x${'f'.repeat(41)}`, `0x${'f'.repeat(35)}1f698f`], ['0x0', '0x1']),
          },
          trace: [
            {
              action: call(RICH, contract('001'), '0xffabba', words('1', '1', '2', '2')),
              result: { gasUsed: '0x9c58', output: '0x' },
              subtraces: 0,
              traceAddress: [],
              type: 'call',
            },
          ],
          vmTrace: vmTrace(
            SET_TWO,
            16755642,
            setRows(['0x1', '0x1', 20000], ['0x2', '0x2', 20000]),
          ),
        },
      },
      {
        input: { from: SECOND, nonce: 2n, to: contract('001'), data: words('1', '3', '2', '4') },
        result: {
          output: '0x',
          stateDiff: {
            ...diff(COINBASE, ['0x53444835ee4a430c', '0x53444835eebd71ac']),
            ...slots({ '1': ['1', '3'], '2': ['2', '4'] }),
            ...diff(
              SECOND,
              ['0xefffffffffffffffffeee5363', '0xefffffffffffffffffe7b24c3'],
              ['0x2', '0x3'],
            ),
          },
          trace: [
            {
              action: call(SECOND, contract('001'), '0xffabba', words('1', '3', '2', '4')),
              result: { gasUsed: '0x2728', output: '0x' },
              subtraces: 0,
              traceAddress: [],
              type: 'call',
            },
          ],
          vmTrace: vmTrace(SET_TWO, 16755642, setRows(['0x1', '0x3', 5000], ['0x2', '0x4', 5000])),
        },
      },
    ],
  },
  {
    name: 'block 0x6: a contract destroys itself, for another and for itself',
    before: {
      [COINBASE]: { balance: '0x8ac723048cb13e66' },
      [contract('002')]: { code: '0x600035ff', balance: '0x300' },
      [contract('015')]: { code: '0x600035ff', balance: '0x300' },
      [RICH]: { balance: `0x${'f'.repeat(34)}eed85ff`, nonce: '0x2' },
    },
    transactions: [
      {
        input: { from: RICH, nonce: 2n, to: contract('002'), data: `0x${'999'.padStart(40, '0')}` },
        result: {
          output: '0x',
          stateDiff: {
            ...diff(COINBASE, ['0x8ac723048cb13e66', '0x8ac723048d141c20']),
            [contract('0000000000000999')]: {
              balance: { '+': '0x300' },
              code: { '+': '0x' },
              nonce: { '+': '0x0' },
              storage: {},
            },
            [contract('002')]: {
              balance: { '-': '0x300' },
              code: { '-': '0x600035ff' },
              nonce: { '-': '0x0' },
              storage: {},
            },
            ...diff(
              RICH,
              [`0x${'f'.repeat(34)}eed85ff`, `0x${'f'.repeat(34)}e8aa845`],
              ['0x2', '0x3'],
            ),
          },
          trace: [
            {
              action: call(RICH, contract('002'), '0xffad82', `0x${'999'.padStart(40, '0')}`),
              result: { gasUsed: '0x7536', output: '0x' },
              subtraces: 1,
              traceAddress: [],
              type: 'call',
            },
            {
              action: {
                address: contract('002'),
                balance: '0x300',
                refundAddress: contract('0000000000000999'),
              },
              result: null,
              subtraces: 0,
              traceAddress: [0],
              type: 'suicide',
            },
          ],
          vmTrace: vmTrace('0x600035ff', 16756098, [
            [0, 3, ['0x0']],
            [2, 3, [`0x999${'0'.repeat(24)}`]],
            [3, 30000],
          ]),
        },
      },
      {
        input: {
          from: RICH,
          nonce: 3n,
          to: contract('015'),
          data: word('15'.padEnd(13 + 26, '0')).slice(0, 42),
        },
        result: {
          output: '0x',
          stateDiff: {
            ...diff(COINBASE, ['0x8ac723048d141c20', '0x8ac723048d43b831']),
            [contract('015')]: {
              balance: { '-': '0x300' },
              code: { '-': '0x600035ff' },
              nonce: { '-': '0x0' },
              storage: {},
            },
            ...diff(
              RICH,
              [`0x${'f'.repeat(34)}e8aa845`, `0x${'f'.repeat(34)}e5b0c34`],
              ['0x3', '0x4'],
            ),
          },
          trace: [
            {
              action: call(
                RICH,
                contract('015'),
                '0xffad82',
                `0x${'0'.repeat(24)}0150000000000000`,
              ),
              result: { gasUsed: '0x138e', output: '0x' },
              subtraces: 1,
              traceAddress: [],
              type: 'call',
            },
            {
              action: {
                address: contract('015'),
                balance: '0x300',
                refundAddress: contract('015'),
              },
              result: null,
              subtraces: 0,
              traceAddress: [0],
              type: 'suicide',
            },
          ],
          vmTrace: vmTrace('0x600035ff', 16756098, [
            [0, 3, ['0x0']],
            [2, 3, [`0x15${'0'.repeat(37)}`]],
            [3, 5000],
          ]),
        },
      },
    ],
  },
  {
    name: 'block 0xA: CALLCODE runs the code of another contract',
    before: {
      [COINBASE]: { balance: '0xf9ccd8a1c9587e12' },
      [contract('003')]: { code: INCREMENT, balance: '0x0' },
      [contract('005')]: { code: CALLCODE, balance: '0x0' },
      [RICH]: { balance: `0x${'f'.repeat(34)}d664653`, nonce: '0x7' },
    },
    transactions: [
      {
        input: { from: RICH, nonce: 7n, to: contract('005'), data: CALLCODE_INPUT },
        result: {
          output: TWO,
          stateDiff: {
            ...diff(COINBASE, ['0xf9ccd8a1c9587e12', '0xf9ccd8a1c9a8fa7c']),
            ...diff(
              RICH,
              [`0x${'f'.repeat(34)}d664653`, `0x${'f'.repeat(34)}d15c9e9`],
              ['0x7', '0x8'],
            ),
          },
          trace: [
            {
              action: call(RICH, contract('005'), '0xffacc6', CALLCODE_INPUT),
              result: { gasUsed: '0x30a', output: TWO },
              subtraces: 1,
              traceAddress: [],
              type: 'call',
            },
            {
              action: call(contract('005'), contract('003'), '0xfbab36', `0x${ONE}`, 'callcode'),
              result: { gasUsed: '0x1b', output: TWO },
              subtraces: 0,
              traceAddress: [0],
              type: 'call',
            },
          ],
          vmTrace: vmTrace(CALLCODE, 16755910, [
            [0, 3, ['0x20']],
            [2, 3, ['0x0']],
            [4, 3, ['0x20']],
            [6, 2, ['0x40']],
            [7, 3, ['0x20']],
            [8, 3, ['0x20', '0x20']],
            [9, 3, ['0x20']],
            [11, 3, ['0x0']],
            [13, 9, [], { mem: { off: 0, data: `0x${ONE}` } }],
            [14, 3, ['0x0']],
            [16, 2, ['0x0']],
            [17, 3, ['0x0']],
            [19, 3, [`0x3${'0'.repeat(37)}`]],
            [20, 2, ['0xffac99']],
            [
              21,
              16494066,
              ['0x1'],
              {
                mem: { off: 0, data: TWO },
                used: 16755138,
                sub: vmTrace(INCREMENT, 16493366, [
                  [0, 3, ['0x0']],
                  [2, 3, [`0x${ONE}`]],
                  [3, 3, ['0x1']],
                  [5, 3, [TWO]],
                  [6, 3, ['0x0']],
                  [8, 6, [], { mem: { off: 0, data: TWO } }],
                  [9, 3, ['0x20']],
                  [11, 3, ['0x0']],
                  [13, 0],
                ]),
              },
            ],
            [22, 3, ['0x20']],
            [24, 3, ['0x0']],
            [26, 0],
          ]),
        },
      },
    ],
  },
  {
    name: 'block 0x10: an invalid opcode, a stack that is too short, a jump to nowhere',
    before: {
      [COINBASE]: { balance: '0x1a055690e93c2f49d' },
      [contract('00c')]: { code: '0x60011f', balance: '0x0' },
      [contract('00d')]: { code: '0x600120', balance: '0x0' },
      [contract('00e')]: { code: '0x60ff5660016002', balance: '0x0' },
      [RICH]: { balance: `0x${'f'.repeat(33)}0babcfc8`, nonce: '0xf' },
    },
    transactions: [
      {
        input: { from: RICH, nonce: 15n, to: contract('00c') },
        result: {
          ...failure(
            contract('00c'),
            15,
            'Bad instruction',
            '0x1a055690e93c2f49d',
            '0x1a055690f82c2e78b',
            `0x${'f'.repeat(33)}0babcfc8`,
            `0x${'f'.repeat(32)}e1cabdcda`,
          ),
          vmTrace: vmTrace('0x60011f', 16756202, [PUSH_ONLY('0x1')]),
        },
      },
      {
        input: { from: RICH, nonce: 16n, to: contract('00d') },
        result: {
          ...failure(
            contract('00d'),
            16,
            'Stack underflow',
            '0x1a055690f82c2e78b',
            '0x1a055691071c2da79',
            `0x${'f'.repeat(32)}e1cabdcda`,
            `0x${'f'.repeat(32)}d2dabe9ec`,
          ),
          vmTrace: vmTrace('0x600120', 16756202, [PUSH_ONLY('0x1')]),
        },
      },
      {
        input: { from: RICH, nonce: 17n, to: contract('00e') },
        result: {
          ...failure(
            contract('00e'),
            17,
            'Bad jump destination',
            '0x1a055691071c2da79',
            '0x1a055691160c2cd67',
            `0x${'f'.repeat(32)}d2dabe9ec`,
            `0x${'f'.repeat(32)}c3eabf6fe`,
          ),
          vmTrace: vmTrace('0x60ff5660016002', 16756202, [PUSH_ONLY('0xff'), [2, 8]]),
        },
      },
    ],
  },
  {
    name: 'block 0x12: memory is read, and a call is reverted',
    before: {
      [COINBASE]: { balance: '0x1d7d843dffe9f70e0' },
      [contract('010')]: { code: `0x${MEMORY_CODE}600851`, balance: '0x0' },
      [contract('011')]: { code: `0x${MEMORY_CODE}60086008fd`, balance: '0x0' },
      [RICH]: { balance: `0x${'f'.repeat(32)}c3e5f5385`, nonce: '0x13' },
    },
    transactions: [
      {
        input: { from: RICH, nonce: 19n, to: contract('010') },
        result: {
          output: '0x',
          stateDiff: {
            ...diff(COINBASE, ['0x1d7d843dffe9f70e0', '0x1d7d843dffeec225a']),
            ...diff(
              RICH,
              [`0x${'f'.repeat(32)}c3e5f5385`, `0x${'f'.repeat(32)}c3e12a20b`],
              ['0x13', '0x14'],
            ),
          },
          trace: [
            {
              action: call(RICH, contract('010'), '0xffadea'),
              result: { gasUsed: '0x1e', output: '0x' },
              subtraces: 0,
              traceAddress: [],
              type: 'call',
            },
          ],
          vmTrace: vmTrace(`0x${MEMORY_CODE}600851`, 16756202, [
            ...MEMORY_ROWS,
            [
              74,
              3,
              ['0x7d88c1856cc9535214c4d2c102bdeb2354bfc3dc96a95e4512cf3a8461e0560e'],
              {
                mem: {
                  off: 8,
                  data: '0x7d88c1856cc9535214c4d2c102bdeb2354bfc3dc96a95e4512cf3a8461e0560e',
                },
              },
            ],
          ]),
        },
      },
      {
        input: { from: RICH, nonce: 20n, to: contract('011') },
        result: {
          ...failure(
            contract('011'),
            20,
            'Reverted',
            '0x1d7d843dffeec225a',
            '0x1d7d843dfff38d3d4',
            `0x${'f'.repeat(32)}c3e12a20b`,
            `0x${'f'.repeat(32)}c3dc5f091`,
          ),
          output: '0x7d88c1856cc95352',
          vmTrace: vmTrace(`0x${MEMORY_CODE}60086008fd`, 16756202, [
            ...MEMORY_ROWS,
            [74, 3, ['0x8']],
            [76, 0],
          ]),
        },
      },
    ],
  },
]
