import { describe, expect, test } from 'vitest'
import { formatData, parseData } from '../../../../../host/base/hex.ts'
import { forkId } from '../../../../../host/evm/execute/ethereum/fork-id.ts'

const MAINNET = parseData('0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3')
const BLOCKS = [
  1_150_000n,
  1_920_000n,
  2_463_000n,
  2_675_000n,
  4_370_000n,
  7_280_000n,
  9_069_000n,
  9_200_000n,
  12_244_000n,
  12_965_000n,
  13_773_000n,
  15_050_000n,
]
const TIMES = [1_681_338_455n, 1_710_338_135n]

describe('the fork id', () => {
  // Mainnet test cases of EIP-2124 and EIP-6122
  test.each([
    [0n, 0n, '0xfc64ec04'],
    [1_149_999n, 0n, '0xfc64ec04'],
    [1_150_000n, 0n, '0x97c2c34c'],
    [1_920_000n, 0n, '0x91d1f948'],
    [2_463_000n, 0n, '0x7a64da13'],
    [2_675_000n, 0n, '0x3edd5b10'],
    [4_370_000n, 0n, '0xa00bc324'],
    [7_280_000n, 0n, '0x668db0af'],
    [9_069_000n, 0n, '0x879d6e30'],
    [9_200_000n, 0n, '0xe029e991'],
    [12_244_000n, 0n, '0x0eb440f6'],
    [12_965_000n, 0n, '0xb715077d'],
    [15_050_000n, 1_667_999_999n, '0xf0afd0e3'],
    [20_000_000n, 1_681_338_455n, '0xdce96c2d'],
    [20_000_000n, 1_710_338_135n, '0x9f3d2254'],
  ])('of mainnet at block %d and time %d is %s', (number, time, id) => {
    const checkpoints = { blocks: BLOCKS, times: TIMES }
    expect(formatData(forkId(MAINNET, checkpoints, number, time))).toBe(id)
  })
})
