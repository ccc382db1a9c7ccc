import { beforeEach, describe, expect, test } from 'vitest'
import { formatData } from '../../../../../host/base/hex.ts'
import { repeat, SENDER } from '../../../../support/chain/fake-chain.ts'
import { failedCallAnswer, invalidParamsAnswer, RpcFixture } from '../rpc-fixture.ts'

const rpc = new RpcFixture()

describe('the state methods', () => {
  const address = formatData(SENDER)
  const checksummed = '0xAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAa'

  beforeEach(() => {
    rpc.node.state.setAccount(SENDER, 5n, 10n ** 18n, Uint8Array.of(0x60, 0x00))
    rpc.node.state.setStorage(SENDER, repeat(0, 32), repeat(0x7f, 32))
  })

  test('read accounts, code and slots', async () => {
    expect(await rpc.node.call('eth_getBalance', [address, 'latest'])).toBe('0xde0b6b3a7640000')
    expect(await rpc.node.call('eth_getBalance', [checksummed])).toBe('0xde0b6b3a7640000')
    expect(await rpc.node.call('eth_getTransactionCount', [address, 'latest'])).toBe('0x5')
    expect(await rpc.node.call('eth_getTransactionCount', [address, 'pending'])).toBe('0x7')
    expect(await rpc.node.call('eth_getCode', [address, '0x0'])).toBe('0x6000')
    for (const slot of ['0x0', '0x', '0', `0x${'0'.repeat(64)}`]) {
      expect(await rpc.node.call('eth_getStorageAt', [address, slot, 'latest'])).toBe(
        `0x${'7f'.repeat(32)}`,
      )
    }
  })

  test('return empty values for missing accounts', async () => {
    const nobody = `0x${'99'.repeat(20)}`
    expect(await rpc.node.call('eth_getBalance', [nobody, 'latest'])).toBe('0x0')
    expect(await rpc.node.call('eth_getTransactionCount', [nobody, 'latest'])).toBe('0x0')
    expect(await rpc.node.call('eth_getCode', [nobody, 'latest'])).toBe('0x')
    expect(await rpc.node.call('eth_getStorageAt', [nobody, '0x1', 'latest'])).toBe(
      `0x${'00'.repeat(32)}`,
    )
  })

  test('accept blocks by hash and by EIP-1898 objects', async () => {
    const { hash } = rpc.node.addBlock([])
    for (const block of [
      formatData(hash),
      { blockHash: formatData(hash) },
      { blockHash: formatData(hash), requireCanonical: true },
      { blockNumber: '0x1' },
      { blockNumber: 'latest' },
    ]) {
      expect(await rpc.node.call('eth_getBalance', [address, block])).toBe('0xde0b6b3a7640000')
    }
    const unsure = { blockHash: formatData(hash), requireCanonical: 'yes' }
    expect(await rpc.node.call('eth_getBalance', [address, unsure])).toEqual(
      invalidParamsAnswer('invalid argument 1: want a boolean, got string (requireCanonical)'),
    )
    expect(await rpc.node.call('eth_getBalance', [address, {}])).toEqual(
      invalidParamsAnswer('invalid argument 1: must specify either BlockHash or BlockNumber'),
    )
    expect(
      await rpc.node.call('eth_getBalance', [
        address,
        { blockHash: formatData(hash), blockNumber: '0x1' },
      ]),
    ).toEqual(
      invalidParamsAnswer(
        'invalid argument 1: cannot specify both BlockHash and BlockNumber, choose one or the other',
      ),
    )
  })

  test('explain why a height cannot be read', async () => {
    for (let i = 0; i < 4; i++) rpc.node.addBlock([])
    expect(await rpc.node.call('eth_getBalance', [address, '0x5'])).toEqual(
      failedCallAnswer('header not found'),
    )
    expect(await rpc.node.call('eth_getBalance', [address, `0x${'12'.repeat(32)}`])).toEqual(
      failedCallAnswer('header for hash not found'),
    )
    rpc.node.stateEarliest = 3
    expect(await rpc.node.call('eth_getBalance', [address, '0x2'])).toEqual({
      error: {
        code: 4444,
        message: 'requested height 2 has been pruned; earliest available is 3',
        data: { requested: 2, earliest: 3, latest: 4 },
      },
    })
  })

  test.each([
    [[], 'missing value for required argument 0'],
    [[7], 'invalid argument 0: want an address, got number'],
    [['0xabc'], 'invalid argument 0: hex string of odd length'],
    [['0xabcd'], 'invalid argument 0: hex string has length 4, want 40 for common.Address'],
    [['aa'.repeat(20)], 'invalid argument 0: hex string without 0x prefix'],
    [[`0x${'zz'.repeat(20)}`], 'invalid argument 0: invalid hex string'],
    [[`0x${'aa'.repeat(20)}`, 'latest', 1], 'too many arguments, want at most 2'],
    [
      [`0x${'aa'.repeat(3_000_000)}`],
      'invalid argument 0: hex string has length 6000000, want 40 for common.Address',
    ],
  ])('refuse the arguments %.60j', async (params, message) => {
    expect(await rpc.node.call('eth_getBalance', params)).toEqual(invalidParamsAnswer(message))
  })

  test('refuse a slot of more than 32 bytes', async () => {
    const slot = `0x${'0'.repeat(65)}`
    expect(await rpc.node.call('eth_getStorageAt', [address, slot, 'latest'])).toEqual(
      invalidParamsAnswer(`storage key too long (want at most 32 bytes): "${slot}"`),
    )
  })
})
