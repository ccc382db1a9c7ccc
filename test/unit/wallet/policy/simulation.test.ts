import { encodeAbiParameters, encodeEventTopics, numberToHex, pad, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../../host/base/hex.ts'
import { readSimulation } from '../../../../host/wallet/policy/simulation.ts'
import { ALICE, MALLORY, TOKEN, WALLET } from '../../../support/wallet/policy-case.ts'

const EVENTS = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
])
const NFT: Hex = '0x8080808080808080808080808080808080808080'
const ETHER: Hex = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

const integers = (...values: readonly bigint[]) =>
  encodeAbiParameters(
    values.map(() => ({ type: 'uint256' })),
    values,
  )
const erc20 = (address: Hex, from: Hex, to: Hex, value: bigint) => ({
  address,
  topics: encodeEventTopics({ abi: EVENTS, eventName: 'Transfer', args: { from, to } }),
  data: integers(value),
})
const erc721 = (from: Hex, to: Hex, id: bigint) => {
  const { address, topics } = erc20(NFT, from, to, 0n)
  return { address, topics: [...topics, pad(numberToHex(id))], data: '0x' }
}
const single = (from: Hex, to: Hex, id: bigint, value: bigint) => ({
  address: NFT,
  topics: encodeEventTopics({
    abi: EVENTS,
    eventName: 'TransferSingle',
    args: { operator: MALLORY, from, to },
  }),
  data: integers(id, value),
})
const batch = (from: Hex, to: Hex, ids: readonly bigint[], values: readonly bigint[]) => ({
  address: NFT,
  topics: encodeEventTopics({
    abi: EVENTS,
    eventName: 'TransferBatch',
    args: { operator: MALLORY, from, to },
  }),
  data: encodeAbiParameters([{ type: 'uint256[]' }, { type: 'uint256[]' }], [ids, values]),
})
const answered = (logs: readonly unknown[], status = '0x1') => [{ calls: [{ status, logs }] }]
const outOf = (...logs: readonly unknown[]) => readSimulation(answered(logs), WALLET)

describe('the outflow of a wallet in a simulation', () => {
  test.each<readonly [string, readonly unknown[], Readonly<Record<string, bigint>>]>([
    ['nothing', [], {}],
    ['wei', [erc20(ETHER, WALLET, ALICE, 5n)], { native: 5n }],
    [
      'wei less what comes back',
      [erc20(ETHER, WALLET, ALICE, 5n), erc20(ETHER, ALICE, WALLET, 2n)],
      { native: 3n },
    ],
    [
      'more that comes than goes',
      [erc20(TOKEN, WALLET, ALICE, 5n), erc20(TOKEN, ALICE, WALLET, 6n)],
      {},
    ],
    [
      'tokens of several contracts',
      [erc20(TOKEN, WALLET, ALICE, 5n), erc20(ALICE, WALLET, ALICE, 6n)],
      { [TOKEN]: 5n, [ALICE]: 6n },
    ],
    ['tokens of others', [erc20(TOKEN, ALICE, MALLORY, 5n)], {}],
    ['one to itself', [erc20(TOKEN, WALLET, WALLET, 5n)], {}],
    [
      'two of a collection, for another of it',
      [erc721(WALLET, ALICE, 1n), erc721(WALLET, ALICE, 2n), erc721(ALICE, WALLET, 3n)],
      { [NFT]: 2n },
    ],
    [
      'one of a collection that comes back',
      [erc721(WALLET, ALICE, 1n), erc721(ALICE, WALLET, 1n)],
      {},
    ],
    [
      'kinds of ERC-1155',
      [
        single(WALLET, ALICE, 1n, 5n),
        batch(WALLET, ALICE, [1n, 2n], [1n, 10n]),
        single(ALICE, WALLET, 2n, 4n),
      ],
      { [NFT]: 12n },
    ],
    [
      'what is logged in no known form',
      [
        { address: TOKEN, topics: [], data: '0x' },
        { ...erc20(TOKEN, WALLET, ALICE, 1n), data: '0x01' },
        { ...batch(WALLET, ALICE, [1n], [1n]), data: '0x' },
      ],
      {},
    ],
  ])('is counted by asset: %s', (_, logs, out) => {
    expect(outOf(...logs)).toEqual({ succeeds: true, out: new Map(Object.entries(out)) })
  })

  test('is unknown if the call fails', () => {
    expect(readSimulation(answered([], '0x0'), WALLET)).toEqual({ succeeds: false, out: new Map() })
  })

  test.each([
    undefined,
    null,
    {},
    [],
    [{}],
    [{ calls: 1 }],
    [{ calls: [] }],
    [{ calls: [{ status: '0x1' }] }],
    answered([null]),
    answered([{ address: 1 }]),
    answered([{ address: TOKEN, topics: ['x'], data: '0x' }]),
    answered([], '0x2'),
  ])('is rejected if the answer is %j', (answer) => {
    expect(readSimulation(answer, WALLET)).toBeUndefined()
  })
})
