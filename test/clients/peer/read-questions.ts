import { formatQuantity, type Hex } from '../../../host/base/hex.ts'
import type { Dice } from '../../fuzz/dice.ts'
import { BATTERIES, FACTORY_AT, FORWARDERS, GENERATED_AT, SPECIAL } from './contracts.ts'
import { BAD_INPUTS, GOOD_INPUTS } from './precompile-samples.ts'
import type { Question } from './question.ts'
import { authorizationsOf, simulationQuestion } from './simulation-questions.ts'
import { SHORT_FORMS } from './trace-forms.ts'
import { AUTHORITIES, SENDERS } from './transactions.ts'

/** The fields of a mined transaction that requests are made of. */
export interface KnownTransaction {
  readonly hash: Hex
  readonly blockNumber: Hex
  readonly transactionIndex: Hex
  readonly from: Hex
  readonly to: Hex | null
  readonly input: Hex
  readonly value: Hex
  readonly gas: Hex
  readonly type: Hex
  readonly accessList?: unknown
}

export interface KnownBlock {
  readonly blockAccessListHash?: string
  readonly number: Hex
  readonly hash: Hex
  readonly transactions: readonly KnownTransaction[]
}

const hex = (address: bigint): Hex => `0x${address.toString(16).padStart(40, '0')}`
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** Accounts of every kind: contracts, senders, authorities, precompiles, and one that does not exist. */
export const ACCOUNTS: readonly Hex[] = [
  ...SENDERS.slice(0, 3).map(({ address }) => address),
  ...AUTHORITIES.map(({ address }) => address),
  ...Object.values(FORWARDERS),
  ...SPECIAL.slice(0, 12).map(({ address }) => address),
  ...[0n, 5n, 17n, 33n].map((i) => GENERATED_AT + i),
  FACTORY_AT,
  0xc0ffeen,
  0xdeadn,
  0xdead_0003n,
  0x1n,
  0x100n,
].map(hex)

function blockQuestions({ number, hash, transactions }: KnownBlock): Question[] {
  const by = (method: string, ...params: unknown[]): Question => ({ form: method, method, params })
  return [
    by('eth_getBlockByNumber', number, true),
    by('eth_getBlockByNumber', number, false),
    by('eth_getBlockByHash', hash, true),
    by('eth_getBlockReceipts', number),
    by('eth_getBlockTransactionCountByNumber', number),
    by('eth_getBlockTransactionCountByHash', hash),
    by('eth_getUncleCountByBlockNumber', number),
    by('eth_getUncleCountByBlockHash', hash),
    by('eth_getUncleByBlockNumberAndIndex', number, '0x0'),
    by('eth_getTransactionByBlockNumberAndIndex', number, '0x1'),
    by('eth_getHeaderByNumber', number),
    by('eth_getHeaderByHash', hash),
    by('eth_getRawTransactionByBlockNumberAndIndex', number, '0x0'),
    by('debug_intermediateRoots', hash),
    by('eth_getTransactionByBlockHashAndIndex', hash, formatQuantity(transactions.length)),
    by('debug_getRawBlock', number),
    by('debug_getRawHeader', number),
    by('debug_getRawReceipts', number),
    by('eth_getLogs', { blockHash: hash }),
    ...SHORT_FORMS.map(({ name, options }) => ({
      form: `block: ${name}`,
      method: 'debug_traceBlockByNumber',
      params: [number, options],
    })),
    by('debug_traceBlockByHash', hash, { tracer: 'callTracer' }),
  ]
}

function transactionQuestions({ hash }: KnownTransaction): Question[] {
  return [
    'eth_getTransactionByHash',
    'eth_getTransactionReceipt',
    'eth_getRawTransactionByHash',
    'debug_getRawTransaction',
  ].map((method) => ({ form: method, method, params: [hash] }))
}

/** Returns a transaction as an argument of eth_call. */
function callOf({ from, to, input, value, gas }: KnownTransaction): object {
  return { from, ...(to !== null && { to }), input, value, gas }
}

/** Returns calls like a transaction's, on its previous state or at another block, with overrides. */
function callQuestions(dice: Dice, transaction: KnownTransaction, head: number): Question[] {
  const call = callOf(transaction)
  const parent = formatQuantity(Number(transaction.blockNumber) - 1)
  const at = dice.pick([
    parent,
    transaction.blockNumber,
    formatQuantity(dice.below(head)),
    'latest',
  ])
  const account = dice.pick(ACCOUNTS)
  const overrides = dice.pick([
    undefined,
    { [account]: { balance: '0x7' } },
    { [account]: { nonce: '0x9', code: '0x60016002fd' } },
    { [account]: { state: { [word(1n)]: word(9n) } } },
    { [account]: { stateDiff: { [word(0n)]: word(9n), [word(1n)]: word(0n) } } },
  ])
  const blockOverrides = dice.pick([
    undefined,
    { number: '0x1234', time: '0x70000000' },
    { feeRecipient: account, prevRandao: word(5n) },
    { gasLimit: '0x1c9c380', baseFeePerGas: '0x5' },
  ])
  const more = [overrides ?? {}, ...(blockOverrides === undefined ? [] : [blockOverrides])]
  const form = dice.pick(SHORT_FORMS)
  const options = { ...form.options, stateOverrides: overrides, blockOverrides }
  return [
    { form: 'eth_call', method: 'eth_call', params: [call, at, ...more] },
    { form: 'eth_estimateGas', method: 'eth_estimateGas', params: [call, at] },
    {
      form: 'eth_estimateGas without gas',
      method: 'eth_estimateGas',
      params: [{ ...call, gas: undefined }, at, ...(overrides === undefined ? [] : [overrides])],
    },
    { form: 'eth_createAccessList', method: 'eth_createAccessList', params: [call, at] },
    {
      form: 'eth_createAccessList with authorizations',
      method: 'eth_createAccessList',
      params: [{ ...call, authorizationList: authorizationsOf(dice) }, at],
    },
    simulationQuestion(dice, [call, { ...call, gas: undefined }], ACCOUNTS, at as Hex, head),
    {
      form: 'debug_traceCall',
      method: 'debug_traceCall',
      params: [call, at, JSON.parse(JSON.stringify(options))],
    },
    {
      form: 'debug_traceCall structs',
      method: 'debug_traceCall',
      params: [call, at, { enableMemory: true, enableReturnData: true }],
    },
    {
      form: 'debug_traceCall at an index',
      method: 'debug_traceCall',
      params: [
        call,
        transaction.blockNumber,
        { tracer: 'prestateTracer', txIndex: transaction.transactionIndex },
      ],
    },
    {
      form: 'eth_simulateV1',
      method: 'eth_simulateV1',
      params: [
        {
          blockStateCalls: [
            {
              calls: [call, call],
              ...(overrides && { stateOverrides: overrides }),
            },
            ...(dice.chance(0.3) ? [{ calls: [{ ...call, gas: undefined }] }] : []),
          ],
          traceTransfers: dice.chance(0.5),
          returnFullTransactions: dice.chance(0.5),
          validation: dice.chance(0.1),
        },
        at,
      ],
    },
  ]
}

function stateQuestions(dice: Dice, head: number): Question[] {
  const made: Question[] = []
  for (const account of ACCOUNTS) {
    const at = formatQuantity(dice.below(head + 1))
    for (const method of ['eth_getBalance', 'eth_getCode', 'eth_getTransactionCount']) {
      made.push({ form: method, method, params: [account, at] })
      made.push({ form: method, method, params: [account, 'latest'] })
    }
    const slots = [0n, 1n, 2n, 1n << 200n].map(word)
    for (const slot of slots) {
      made.push({
        form: 'eth_getStorageAt',
        method: 'eth_getStorageAt',
        params: [account, slot, at],
      })
    }
    made.push({ form: 'eth_getProof', method: 'eth_getProof', params: [account, slots, at] })
    made.push({
      form: 'eth_getProof',
      method: 'eth_getProof',
      params: [account, ['0x1'], 'latest'],
    })
    made.push({ form: 'eth_getProof', method: 'eth_getProof', params: [account, [], at] })
  }
  return made
}

function logQuestions(dice: Dice, head: number): Question[] {
  return Array.from({ length: 60 }, () => {
    const from = dice.below(head)
    const filter = {
      fromBlock: formatQuantity(from),
      toBlock: dice.pick([formatQuantity(from + dice.below(head - from)), 'latest']),
      ...(dice.chance(0.5) && {
        address: dice.pick([dice.pick(ACCOUNTS), [dice.pick(ACCOUNTS), hex(GENERATED_AT + 3n)]]),
      }),
      ...(dice.chance(0.5) && { topics: [dice.pick([null, word(9n), [word(9n), word(1n)]])] }),
    }
    return { form: 'eth_getLogs', method: 'eth_getLogs', params: [filter] }
  })
}

function feeQuestions(dice: Dice, head: number): Question[] {
  const histories = Array.from({ length: 20 }, () => ({
    form: 'eth_feeHistory',
    method: 'eth_feeHistory',
    params: [
      formatQuantity(1 + dice.below(12)),
      formatQuantity(12 + dice.below(head - 12)),
      dice.pick([[], [50], [0, 10.5, 100]]),
    ],
  }))
  const plain = ['eth_blockNumber', 'eth_chainId', 'net_version', 'eth_gasPrice', 'eth_baseFee']
  const more = ['eth_maxPriorityFeePerGas', 'eth_blobBaseFee', 'eth_syncing', 'eth_config']
  return [
    ...histories,
    ...[...plain, ...more].map((method) => ({ form: method, method, params: [] })),
    ...['latest', 'earliest', 'safe', 'finalized'].map((tag) => ({
      form: 'eth_getBlockByNumber',
      method: 'eth_getBlockByNumber',
      params: [tag, false],
    })),
  ]
}

/** Returns calls of every precompile and of code that fails in every way, without a sender. */
function plainCalls(): Question[] {
  const targets: readonly (readonly [string, Hex])[] = [
    ...[...GOOD_INPUTS, ...BAD_INPUTS].map(
      ([address, data]) =>
        [hex(BigInt(address)), `0x${Buffer.from(data).toString('hex')}`] as const,
    ),
    ...[...SPECIAL, ...BATTERIES.slice(0, 6)].map(({ address }) => [hex(address), '0x'] as const),
  ]
  return targets.flatMap(([to, input]) => [
    { form: 'eth_call', method: 'eth_call', params: [{ to, input }, 'latest'] },
    { form: 'eth_estimateGas', method: 'eth_estimateGas', params: [{ to, input }] },
    {
      form: 'eth_createAccessList',
      method: 'eth_createAccessList',
      params: [{ to, input }, 'latest'],
    },
  ])
}

/** Returns all requests but traces of single transactions. Every `every`-th transaction is called again. */
export function readQuestions(
  dice: Dice,
  blocks: readonly KnownBlock[],
  every: number,
): Question[] {
  const head = blocks.length
  const transactions = blocks.flatMap((block) => block.transactions)
  return [
    ...feeQuestions(dice, head),
    ...stateQuestions(dice, head),
    ...logQuestions(dice, head),
    ...plainCalls(),
    ...blocks.flatMap(blockQuestions),
    ...transactions.flatMap(transactionQuestions),
    ...transactions
      .filter((_, i) => i % every === 0)
      .flatMap((transaction) => callQuestions(dice, transaction, head)),
  ]
}
