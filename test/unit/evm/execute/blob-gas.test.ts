import { describe, expect, test } from 'vitest'
import {
  type BlobSchedule,
  blobBaseFeeOf,
  blobSchedule,
  nextExcessBlobGas,
} from '../../../../host/evm/execute/blob-gas.ts'
import {
  type EthereumNetwork,
  MAINNET_DEPOSITS,
  rulesAt,
} from '../../../../host/evm/execute/ethereum/forks.ts'

const BLOB = 131_072n
const cancun = blobSchedule('Cancun') as BlobSchedule
const prague = blobSchedule('Prague') as BlobSchedule

describe('the blob base fee', () => {
  test('exists from Cancun on', () => {
    expect(blobSchedule('Shanghai')).toBeUndefined()
    expect(cancun).toEqual({ target: 3n, max: 6n, updateFraction: 3_338_477n })
    expect(prague).toEqual({ target: 6n, max: 9n, updateFraction: 5_007_716n })
  })

  test('costs e times as much for every update fraction of excess (EIP-4844)', () => {
    expect(blobBaseFeeOf(0n, cancun)).toBe(1n)
    expect(blobBaseFeeOf(2_314_057n, cancun)).toBe(1n)
    expect(blobBaseFeeOf(2_314_058n, cancun)).toBe(2n)
    expect(blobBaseFeeOf(10n * 1024n * 1024n, cancun)).toBe(23n)
  })

  test('carries the excess above the target over to the next block', () => {
    const excessAfter = (excessBlobGas: bigint, blobs: bigint) =>
      nextExcessBlobGas(
        { excessBlobGas, blobGasUsed: blobs * BLOB, baseFeePerGas: 7n },
        cancun,
        'Cancun',
      )
    expect(excessAfter(0n, 2n)).toBe(0n)
    expect(excessAfter(0n, 3n)).toBe(0n)
    expect(excessAfter(0n, 4n)).toBe(BLOB)
    expect(excessAfter(4n * BLOB, 0n)).toBe(BLOB)
  })

  test('uses a third of the blob gas if execution gas is more expensive (EIP-7918)', () => {
    const parent = { excessBlobGas: 6n * BLOB, blobGasUsed: 6n * BLOB, baseFeePerGas: 17n }
    expect(nextExcessBlobGas(parent, prague, 'Osaka')).toBe(8n * BLOB)
    expect(nextExcessBlobGas(parent, prague, 'Prague')).toBe(6n * BLOB)
    const cheap = { ...parent, baseFeePerGas: 16n }
    expect(nextExcessBlobGas(cheap, prague, 'Osaka')).toBe(6n * BLOB)
  })

  test('changes only with the forks of its schedule (EIP-7892)', () => {
    const first = { target: 10n, max: 15n, updateFraction: 8_346_193n }
    const network: EthereumNetwork = {
      chainId: 1n,
      forks: [
        { fork: 'Osaka', since: { block: 0n } },
        { fork: 'BPO1', since: { time: 100n } },
        { fork: 'BPO2', since: { time: 200n } },
      ],
      blobSchedules: new Map([['BPO1', first]]),
      depositContract: MAINNET_DEPOSITS,
    }
    const at = (timestamp: bigint) =>
      rulesAt(network, { number: 1n, timestamp, parentTotalDifficulty: 0n })
    expect(at(99n).blobs).toEqual(prague)
    expect(at(100n)).toMatchObject({ revision: 'Osaka', blobs: first })
    // A fork without its own schedule keeps the previous one
    expect(at(200n).blobs).toEqual(first)
  })
})
