import { describe, expect, test } from 'vitest'
import { headerRecord } from '../../../../../host/api/rpc/format/block-record.ts'
import { EMPTY_BYTES } from '../../../../../host/base/bytes.ts'
import { parseData } from '../../../../../host/base/hex.ts'
import type { BlockHeader } from '../../../../../host/evm/chain-types/block.ts'
import { finishedHeader } from '../../../../../host/evm/chain-types/ethereum-block.ts'
import { EthereumRules } from '../../../../../host/evm/execute/ethereum/ethereum-rules.ts'
import { decodeEthereumGenesis } from '../../../../../host/evm/execute/ethereum/genesis.ts'
import { UNKNOWN } from '../../../../../host/evm/execute/header-draft.ts'
import { OverlayState } from '../../../../../host/evm/state/overlay-state.ts'

const NOTHING = {
  account: () => undefined,
  storage: () => undefined,
  code: () => EMPTY_BYTES,
  blockHash: () => undefined,
}
/** The first account that the DAO fork drains, and the account that receives the ether. */
const DRAINED = parseData('0x005f5cee7a43331d5a3d3eec71305925a62f34b6')
const REFUND = parseData('0xbf4ed7b27f1d666546e30d74d50d173d20bca754')

/** Returns the rules of a network and its genesis header. */
function networkOf(config: object, rest: object = {}) {
  const genesis = decodeEthereumGenesis(JSON.stringify({ config, alloc: {}, ...rest }))
  const header = { ...genesis.header, stateRoot: UNKNOWN }
  return {
    rules: new EthereumRules(genesis.network),
    first: finishedHeader(header, UNKNOWN, 0, header.difficulty),
  }
}

const MERGED = {
  chainId: 7,
  londonBlock: 0,
  terminalTotalDifficulty: 0,
  shanghaiTime: 0,
  cancunTime: 100,
  pragueTime: 200,
}

describe('the rules of an imported chain', () => {
  const request = {
    number: 1,
    timestamp: 12,
    gasLimit: undefined,
    coinbase: undefined,
    prevRandao: undefined,
    baseFee: undefined,
    parentBeaconBlockRoot: undefined,
    withdrawalsRoot: new Uint8Array(32).fill(3),
  }
  const fieldsOf = ({ ethereum }: BlockHeader) => ethereum?.header

  test('number the slots of drafts from Amsterdam on', () => {
    const { rules, first } = networkOf({ ...MERGED, osakaTime: 300, amsterdamTime: 400 })
    expect(fieldsOf(rules.draft(first, { ...request, timestamp: 399 }))?.slotNumber).toBeUndefined()
    const crossing = rules.draft(first, { ...request, timestamp: 400 })
    expect(fieldsOf(crossing)?.slotNumber).toBe(0n)
    const next = rules.draft(crossing, { ...request, number: 2, timestamp: 412 })
    expect(fieldsOf(next)?.slotNumber).toBe(1n)
    expect(rules.envOf(next)).toMatchObject({ revision: 'Amsterdam', slotNumber: 1n })
  })

  test('drain the accounts of the DAO fork at its block only', () => {
    const { rules, first } = networkOf({ chainId: 1, daoForkBlock: 5, daoForkSupport: true })
    for (const [number, left] of [
      [4, 9n],
      [5, 0n],
      [6, 9n],
    ] as const) {
      const state = new OverlayState(NOTHING)
      const holder = { nonce: 0n, balance: 9n, codeHash: new Uint8Array(32).fill(1) }
      state.writeAccount(DRAINED, holder)
      const header = rules.draft(first, { ...request, number })
      rules.prepareState(header, state)
      expect(state.readAccount(DRAINED)?.balance).toBe(left)
      expect(state.readAccount(REFUND)?.balance ?? 0n).toBe(9n - left)
    }
  })

  test('expose the difficulty before the merge, and PREVRANDAO after it', () => {
    const before = networkOf(
      { chainId: 1 },
      { difficulty: '0x5000', mixHash: `0x${'11'.repeat(32)}` },
    )
    expect(before.rules.envOf(before.first)).toMatchObject({
      revision: 'Frontier',
      prevRandao: parseData(`0x${'00'.repeat(30)}5000`),
      baseFee: 0n,
      burnBaseFee: true,
    })
    const after = networkOf(MERGED, { difficulty: '0x0', mixHash: `0x${'11'.repeat(32)}` })
    expect(after.rules.envOf(after.first)).toMatchObject({
      revision: 'Shanghai',
      prevRandao: new Uint8Array(32).fill(0x11),
      baseFee: 1_000_000_000n,
    })
  })

  test('fill headers with the fields of their fork', () => {
    const { rules, first } = networkOf(MERGED, { difficulty: '0x0', gasLimit: '0x1388' })
    const shanghai = rules.draft(first, request)
    expect(fieldsOf(shanghai)).toMatchObject({
      difficulty: 0n,
      gasLimit: 5000n,
      // EIP-1559: an empty parent lowers it by an eighth
      baseFeePerGas: 875_000_000n,
      withdrawalsRoot: request.withdrawalsRoot,
      excessBlobGas: undefined,
      parentBeaconBlockRoot: undefined,
    })
    expect(rules.blobsOf(shanghai)).toBeUndefined()
    expect(rules.systemCallsOf(shanghai)).toEqual([])
    const prague = rules.draft(shanghai, { ...request, number: 2, timestamp: 200, baseFee: 5n })
    expect(fieldsOf(prague)).toMatchObject({
      baseFeePerGas: 5n,
      blobGasUsed: 0n,
      excessBlobGas: 0n,
      parentBeaconBlockRoot: UNKNOWN,
    })
    expect(rules.blobsOf(prague)).toMatchObject({ target: 6n, max: 9n })
    expect(rules.systemCallsOf(prague).map(({ data }) => data)).toEqual([UNKNOWN, shanghai.hash])
  })

  test('draft blocks with a time of 64 bits, which the RPC shows exactly', () => {
    const { rules, first } = networkOf(MERGED, { difficulty: '0x0' })
    const timestamp = 2n ** 64n - 1n
    const header = rules.draft(first, { ...request, timestamp })
    expect(rules.envOf(header)).toMatchObject({ timestamp, revision: 'Prague' })
    expect(headerRecord(header, rules)).toMatchObject({ timestamp: '0xffffffffffffffff' })
  })

  test('predict the fees of the next block, across forks', () => {
    const { rules, first } = networkOf(
      { chainId: 1, londonBlock: 2, terminalTotalDifficulty: 0, shanghaiTime: 30, cancunTime: 30 },
      { difficulty: '0x0' },
    )
    expect(rules.nextBaseFee(first)).toBe(0n)
    const second = rules.draft(first, request)
    expect(rules.nextBaseFee(second)).toBe(1_000_000_000n)
    expect(rules.nextBlobBaseFee(second)).toBeUndefined()
    const third = rules.draft(second, { ...request, number: 2, timestamp: 29 })
    expect(rules.nextBlobBaseFee(third)).toBe(1n)
  })
})
