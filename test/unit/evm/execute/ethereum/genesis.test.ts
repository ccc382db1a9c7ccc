import { describe, expect, test } from 'vitest'
import { formatData, parseData } from '../../../../../host/base/hex.ts'
import { encodeGenesis } from '../../../../../host/evm/chain-types/genesis-codec.ts'
import { presetGenesis } from '../../../../../host/evm/chain-types/genesis-presets.ts'
import { rulesAt } from '../../../../../host/evm/execute/ethereum/forks.ts'
import {
  decodeEthereumGenesis,
  isEthereumGenesis,
} from '../../../../../host/evm/execute/ethereum/genesis.ts'

/** Mainnet forks with a merge that is not reached yet, in geth's format. */
const CONFIG = {
  chainId: 1,
  homesteadBlock: 1_150_000,
  daoForkBlock: 1_920_000,
  daoForkSupport: true,
  eip150Block: 2_463_000,
  eip155Block: 2_675_000,
  eip158Block: 2_675_000,
  byzantiumBlock: 4_370_000,
  ethash: {},
}

const decode = (config: object, rest: object = {}) =>
  decodeEthereumGenesis(JSON.stringify({ config, alloc: {}, ...rest }))

const revisionAt = (config: object, number: bigint, timestamp = 0n, parentTotalDifficulty = 0n) =>
  rulesAt(decode(config).network, { number, timestamp, parentTotalDifficulty }).revision

describe("geth's genesis.json", () => {
  test('is distinguished from our own format', () => {
    expect(isEthereumGenesis(JSON.stringify({ config: {}, alloc: {} }))).toBe(true)
    expect(
      isEthereumGenesis(encodeGenesis(presetGenesis('dev', { time: 0n, validators: [] }))),
    ).toBe(false)
  })

  test('schedules forks by block, total difficulty and time', () => {
    expect(revisionAt(CONFIG, 1_149_999n)).toBe('Frontier')
    expect(revisionAt(CONFIG, 1_150_000n)).toBe('Homestead')
    expect(revisionAt(CONFIG, 2_675_000n)).toBe('SpuriousDragon')
    expect(revisionAt(CONFIG, 5_000_000n, 2n ** 40n, 2n ** 80n)).toBe('Byzantium')
    const merged = {
      ...CONFIG,
      londonBlock: 5_000_000,
      mergeNetsplitBlock: 6_000_000,
      terminalTotalDifficulty: 100,
      shanghaiTime: 1000,
      cancunTime: 2000,
    }
    expect(revisionAt(merged, 5_500_000n, 500n, 99n)).toBe('London')
    expect(revisionAt(merged, 5_500_000n, 500n, 100n)).toBe('Paris')
    expect(revisionAt(merged, 5_500_000n, 2000n, 100n)).toBe('Cancun')
    const { network, checkpoints } = decode(merged)
    expect(
      rulesAt(network, { number: 1_920_007n, timestamp: 0n, parentTotalDifficulty: 0n }),
    ).toEqual({ revision: 'Homestead', bombDelay: 0n, blobs: undefined, sinceDao: 7n })
    expect(checkpoints).toEqual({
      blocks: [1_150_000n, 1_920_000n, 2_463_000n, 2_675_000n, 4_370_000n, 5_000_000n, 6_000_000n],
      times: [1000n, 2000n],
    })
  })

  test('keeps integers beyond the range of JSON numbers', () => {
    const text =
      '{"config":{"chainId":1,"terminalTotalDifficulty":58750000000000000000001},"alloc":{}}'
    expect(decodeEthereumGenesis(text).network.forks.at(-1)).toEqual({
      fork: 'Paris',
      since: { totalDifficulty: 58_750_000_000_000_000_000_001n },
    })
  })

  test('allocates accounts with short slots and addresses without 0x', () => {
    const { accounts, network } = decode(CONFIG, {
      alloc: {
        [`${'00'.repeat(19)}aa`]: { balance: '0x10', code: '0x6000', storage: { '0x1': '0x02' } },
      },
    })
    expect(accounts).toEqual([
      {
        address: parseData(`0x${'00'.repeat(19)}aa`),
        balance: 16n,
        nonce: 0n,
        code: parseData('0x6000'),
        storage: [
          { slot: parseData(`0x${'00'.repeat(31)}01`), value: parseData(`0x${'00'.repeat(31)}02`) },
        ],
      },
    ])
    // As in geth, a network without a deposit contract has address 0, not mainnet's.
    expect(formatData(network.depositContract)).toBe(`0x${'00'.repeat(20)}`)
  })

  test("has the fields of the first block's fork", () => {
    const early = decode(CONFIG, { nonce: '0x42', extraData: '0x11bb', gasLimit: '0x1388' }).header
    expect(formatData(early.nonce)).toBe('0x0000000000000042')
    expect(early).toMatchObject({ gasLimit: 5000n, difficulty: 131_072n, baseFeePerGas: undefined })
    const late = decode(
      {
        chainId: 1,
        londonBlock: 0,
        terminalTotalDifficulty: 0,
        shanghaiTime: 0,
        cancunTime: 0,
        pragueTime: 0,
      },
      { difficulty: '0x0' },
    ).header
    expect(late).toMatchObject({
      gasLimit: 4_712_388n,
      difficulty: 0n,
      baseFeePerGas: 1_000_000_000n,
      blobGasUsed: 0n,
      excessBlobGas: 0n,
    })
    expect(late.requestsHash).toHaveLength(32)
  })

  test('is merged from block 0 on if Shanghai is active there, whatever the total difficulty', () => {
    const times = { shanghaiTime: 0, cancunTime: 50 }
    const { header, network } = decode(
      { chainId: 1, londonBlock: 0, terminalTotalDifficulty: 131_072, ...times },
      { difficulty: '0x1' },
    )
    expect(header.withdrawalsRoot).toHaveLength(32)
    expect(header.blobGasUsed).toBeUndefined()
    const at = { number: 1n, timestamp: 12n, parentTotalDifficulty: 1n }
    expect(rulesAt(network, at).revision).toBe('Shanghai')
  })

  test.each([
    [{ ...CONFIG, bogotaTime: 5 }, 'config.bogotaTime activates an unknown fork'],
    [{ ...CONFIG, clique: {} }, "config.clique names a consensus other than Ethereum's"],
    [
      { ...CONFIG, eip155Block: 1 },
      'config.eip155Block must equal eip158Block: the two are one fork',
    ],
    [
      { ...CONFIG, byzantiumBlock: 5 },
      'config activates Byzantium before the fork that precedes it',
    ],
    [
      { ...CONFIG, shanghaiTime: 5 },
      'config.terminalTotalDifficulty is missing before config.shanghaiTime',
    ],
    [
      { ...CONFIG, homesteadBlock: -1 },
      'config.homesteadBlock must be an integer: decimal or 0x hex digits in a string',
    ],
    [
      { ...CONFIG, blobSchedule: { bogota: {} } },
      'config.blobSchedule.bogota names an unknown fork',
    ],
  ])('is refused with the path of the fault (%#)', (config, problem) => {
    expect(() => decode(config)).toThrow(
      expect.objectContaining({ code: 'GENESIS_INVALID', message: `genesis.json: ${problem}` }),
    )
  })
})
