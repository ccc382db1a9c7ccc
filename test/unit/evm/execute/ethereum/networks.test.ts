import { describe, expect, test } from 'vitest'
import { formatData, parseData } from '../../../../../host/base/hex.ts'
import { blobBaseFeeOf } from '../../../../../host/evm/execute/blob-gas.ts'
import { forkId } from '../../../../../host/evm/execute/ethereum/fork-id.ts'
import { type EthereumNetwork, rulesAt } from '../../../../../host/evm/execute/ethereum/forks.ts'
import {
  HOLESKY,
  HOODI,
  MAINNET,
  SEPOLIA,
} from '../../../../../host/evm/execute/ethereum/networks.ts'

const MERGED = 2n ** 200n

function at(
  network: EthereumNetwork,
  number: bigint,
  timestamp: bigint,
  parentTotalDifficulty = 0n,
) {
  const { revision, blobs, sinceDao } = rulesAt(network, {
    number,
    timestamp,
    parentTotalDifficulty,
  })
  return { revision, max: blobs?.max, sinceDao }
}

describe('the revision of a block', () => {
  test.each<[bigint, string, string]>([
    [1_150_000n, 'Frontier', 'Homestead'],
    [2_463_000n, 'Homestead', 'TangerineWhistle'],
    [2_675_000n, 'TangerineWhistle', 'SpuriousDragon'],
    [4_370_000n, 'SpuriousDragon', 'Byzantium'],
    [7_280_000n, 'Byzantium', 'Petersburg'],
    [9_069_000n, 'Petersburg', 'Istanbul'],
    [12_244_000n, 'Istanbul', 'Berlin'],
    [12_965_000n, 'Berlin', 'London'],
  ])('of mainnet changes at block %s from %s to %s', (number, before, after) => {
    expect(at(MAINNET, number - 1n, 0n).revision).toBe(before)
    expect(at(MAINNET, number, 0n).revision).toBe(after)
  })

  test('of mainnet is the DAO fork at block 1,920,000 only', () => {
    expect(at(MAINNET, 1_919_999n, 0n).sinceDao).toBeUndefined()
    expect(at(MAINNET, 1_920_000n, 0n).sinceDao).toBe(0n)
    expect(at(MAINNET, 1_920_001n, 0n).sinceDao).toBe(1n)
  })

  test.each([
    ['mainnet', MAINNET, 58_750_000_000_000_000_000_000n],
    ['Sepolia', SEPOLIA, 17_000_000_000_000_000n],
  ] as const)('of %s is Paris once the total difficulty is reached', (_, network, difficulty) => {
    const height = 15_537_394n
    expect(at(network, height, 0n, difficulty - 1n).revision).toBe('London')
    expect(at(network, height, 0n, difficulty).revision).toBe('Paris')
  })

  const BY_TIME = ['Shanghai', 'Cancun', 'Prague', 'Osaka', 'BPO1', 'BPO2', 'Amsterdam'] as const
  const REVISIONS = ['Shanghai', 'Cancun', 'Prague', 'Osaka', 'Osaka', 'Osaka', 'Amsterdam']
  const MAX = [undefined, 6n, 9n, 9n, 15n, 21n, 21n]

  test.each<[string, EthereumNetwork, (bigint | undefined)[]]>([
    [
      'mainnet',
      MAINNET,
      [1681338455n, 1710338135n, 1746612311n, 1764798551n, 1765290071n, 1767747671n],
    ],
    [
      'Sepolia',
      SEPOLIA,
      [1677557088n, 1706655072n, 1741159776n, 1760427360n, 1761017184n, 1761607008n, 1791294816n],
    ],
    [
      'Holesky',
      HOLESKY,
      [1696000704n, 1707305664n, 1740434112n, 1759308480n, 1759800000n, 1760389824n],
    ],
    ['Hoodi', HOODI, [undefined, undefined, 1742999832n, 1761677592n, 1762365720n, 1762955544n]],
  ])('of %s changes with time', (_, network, times) => {
    for (const [i, time] of times.entries()) {
      if (time === undefined) continue
      const name = BY_TIME[i]
      expect([name, at(network, 20_000_000n, time - 1n, MERGED)]).toMatchObject([
        name,
        { revision: i === 0 ? 'Paris' : REVISIONS[i - 1], max: i === 0 ? undefined : MAX[i - 1] },
      ])
      expect([name, at(network, 20_000_000n, time, MERGED)]).toMatchObject([
        name,
        { revision: REVISIONS[i], max: MAX[i] },
      ])
    }
  })

  test('of Hoodi is Cancun from its genesis', () => {
    expect(at(HOODI, 0n, 1742212800n)).toMatchObject({ revision: 'Cancun', max: 6n })
  })

  /** The fork hashes of EIP-2124, EIP-6122 and EIP-7607 for each network. */
  test.each<[string, EthereumNetwork, string, bigint, bigint, string]>([
    [
      'mainnet',
      MAINNET,
      'd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
      1n,
      0n,
      '0xfc64ec04',
    ],
    [
      'mainnet',
      MAINNET,
      'd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
      15_050_000n,
      0n,
      '0xf0afd0e3',
    ],
    [
      'mainnet',
      MAINNET,
      'd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
      20_000_000n,
      1710338135n,
      '0x9f3d2254',
    ],
    [
      'mainnet',
      MAINNET,
      'd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
      30_000_000n,
      1767747671n,
      '0x07c9462e',
    ],
    [
      'Hoodi',
      HOODI,
      'bbe312868b376a3001692a646dd2d7d1e4406380dfd86b98aa8a34d1557c971b',
      0n,
      1762955544n,
      '0x23aa1351',
    ],
  ])(
    'changes at forks that give %s its published fork hash',
    (_, network, genesis, number, time, hash) => {
      const of = (unit: 'block' | 'time') => [
        ...new Set(
          network.forks
            .map(({ since }) => (since as Readonly<Record<string, bigint>>)[unit])
            .filter((value) => value !== undefined && value !== 0n) as bigint[],
        ),
      ]
      const checkpoints = { blocks: of('block'), times: of('time') }
      expect(formatData(forkId(parseData(`0x${genesis}`), checkpoints, number, time))).toBe(hash)
    },
  )

  test('selects the blob schedule by the time of the block', () => {
    const excess = 50_000_000n
    const price = (time: bigint) =>
      blobBaseFeeOf(
        excess,
        rulesAt(MAINNET, { number: 24_000_000n, timestamp: time, parentTotalDifficulty: MERGED })
          .blobs as NonNullable<ReturnType<typeof rulesAt>['blobs']>,
      )
    const expected = (fraction: number) => Math.exp(Number(excess) / fraction)
    for (const [time, fraction] of [
      [1764798551n, 5_007_716],
      [1765290071n, 8_346_193],
      [1767747671n, 11_684_671],
    ] as const) {
      expect(Number(price(time))).toBe(Math.floor(expected(fraction)))
    }
  })
})
