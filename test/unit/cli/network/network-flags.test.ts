import { describe, expect, test } from 'vitest'
import {
  addSetting,
  integerBetween,
  readHosts,
  readPowers,
} from '../../../../host/cli/network/network-flags.ts'

describe('network init', () => {
  test.each([
    ['mempool.size=5000', { target: undefined, flag: 'mempool.size', value: 5000 }],
    [
      'full-1:state-store.evm_ss_split=true',
      { target: 'full-1', flag: 'state-store.evm-ss-split', value: true },
    ],
    [
      'validator:consensus.timeout-commit=300ms',
      { target: 'validator', flag: 'consensus.timeout-commit', value: '300ms' },
    ],
    ['moniker=a=b', { target: undefined, flag: 'moniker', value: 'a=b' }],
  ])('accepts the setting %s', (text, setting) => {
    expect(addSetting(text)).toEqual([setting])
  })

  test('collects settings in their order', () => {
    const first = addSetting('mempool.size=1')
    expect(addSetting('mempool.size=2', first).map(({ value }) => value)).toEqual([1, 2])
  })

  test.each([
    ['mempool.size', 'is not a key and a value'],
    ['mempool.sise=5', '"mempool.sise" is not a key of the configuration'],
    ['mempool.size=many', 'mempool.size = "many": must be an integer of at least 1'],
    ['state-store.evm-ss-split=yes', 'must be true or false'],
  ])('refuses the setting %s', (text, message) => {
    expect(() => addSetting(text)).toThrow(message)
  })

  test.each(['a,,b', 'http://a', 'a b', '::1'])('refuses the machines %s', (text) => {
    expect(() => readHosts(text)).toThrow('is not a machine')
  })

  test('accepts names, addresses and IPv6 in brackets as machines', () => {
    expect(readHosts('a.example, 10.0.0.1,[::1]')).toEqual(['a.example', '10.0.0.1', '[::1]'])
  })

  test('accepts voting powers of at least one', () => {
    expect(readPowers('26,25, 25,24')).toEqual([26, 25, 25, 24])
    expect(() => readPowers('26,0')).toThrow('from 1 to 1000000')
    expect(() => integerBetween(1, 100)('101')).toThrow('from 1 to 100')
  })
})
