import { describe, expect, test } from 'vitest'
import { parseData } from '../../../../../host/base/hex.ts'
import { chainConfig, networkOf } from '../../../../../host/evm/execute/ethereum/chain-config.ts'
import { MAINNET_DEPOSITS } from '../../../../../host/evm/execute/ethereum/forks.ts'
import { decodeEthereumGenesis } from '../../../../../host/evm/execute/ethereum/genesis.ts'

const numbers = (config: object) =>
  JSON.parse(
    JSON.stringify(config, (_name, value) => (typeof value === 'bigint' ? Number(value) : value)),
  )
const networkIn = (config: object) =>
  decodeEthereumGenesis(JSON.stringify({ config, alloc: {} })).network

describe('the config of a chain', () => {
  test('is that of the genesis.json from which it was read', () => {
    const config = {
      chainId: 1337,
      homesteadBlock: 1,
      daoForkBlock: 2,
      daoForkSupport: true,
      eip150Block: 3,
      eip155Block: 4,
      eip158Block: 4,
      byzantiumBlock: 5,
      terminalTotalDifficulty: 100,
      shanghaiTime: 6,
      cancunTime: 7,
      osakaTime: 8,
      bpo1Time: 9,
      amsterdamTime: 10,
      depositContractAddress: '0x00000000219ab540356cbb839cbe05303d7705fa',
      blobSchedule: { bpo1: { target: 10, max: 15, baseFeeUpdateFraction: 8_346_193 } },
    }
    expect(networkIn(config).depositContract).toEqual(MAINNET_DEPOSITS)
    expect(numbers(chainConfig(networkIn(config)))).toEqual(config)
  })

  test('of a chain of one revision activates all forks up to it at the first block', () => {
    const prague = chainConfig(networkOf(7n, 'Prague'))
    expect(prague).toMatchObject({
      chainId: 7n,
      homesteadBlock: 0n,
      eip155Block: 0n,
      londonBlock: 0n,
      grayGlacierBlock: 0n,
      terminalTotalDifficulty: 0n,
      pragueTime: 0n,
    })
    for (const absent of ['osakaTime', 'bpo1Time', 'daoForkBlock', 'depositContractAddress']) {
      expect(prague).not.toHaveProperty(absent)
    }
    expect(chainConfig(networkOf(7n, 'Frontier'))).toEqual({ chainId: 7n })
    expect(networkIn(numbers(prague))).toEqual({
      ...networkOf(7n, 'Prague'),
      depositContract: parseData(`0x${'00'.repeat(20)}`),
    })
  })
})
