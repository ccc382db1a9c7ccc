import { describe, expect, test } from 'vitest'
import {
  alwaysTrue,
  bool,
  caip2Name,
  choice,
  duration,
  gasPriceType,
  httpUrlList,
  integerType,
  textList,
  textType,
} from '../../../../host/base/config/value-type.ts'

describe('value types', () => {
  test('accept the same values from a flag and from a file', () => {
    expect(bool().decode(true)).toBe(true)
    expect(bool().decode('false')).toBe(false)
    expect(integerType('N', -1).decode(-1)).toBe(-1)
    expect(integerType('N', -1).decode('-1')).toBe(-1)
    expect(textList('A').decode('a, b,')).toEqual(['a', 'b'])
    expect(textList('A').decode(['a', 'b'])).toEqual(['a', 'b'])
    expect(gasPriceType().decode(7)).toBe(7n)
    expect(gasPriceType().decode('7wei')).toBe(7n)
    expect(gasPriceType().decode('50gwei')).toBe(50_000_000_000n)
    expect(duration().decode('400ms')).toBe(400)
    expect(caip2Name().decode('eip155:1329')).toBe('eip155:1329')
    expect(httpUrlList().decode('http://a/,https://b/c')).toEqual(['http://a', 'https://b/c'])
    expect(httpUrlList().decode([])).toEqual([])
  })

  test('refuse values that break their rule', () => {
    expect(bool().decode(1)).toBeUndefined()
    expect(bool().decode('yes')).toBeUndefined()
    expect(alwaysTrue().decode(false)).toBeUndefined()
    expect(integerType('N', 0, 10).decode(11)).toBeUndefined()
    expect(integerType('N', 0, 10).decode(-1)).toBeUndefined()
    expect(integerType('N', 0).decode(1.5)).toBeUndefined()
    expect(integerType('N', 0).decode('0x10')).toBeUndefined()
    expect(integerType('N', 0).decode('')).toBeUndefined()
    expect(integerType('N', 0).decode(2 ** 53)).toBeUndefined()
    expect(textType('T').decode(1)).toBeUndefined()
    expect(choice('C', ['a', 'b']).decode('c')).toBeUndefined()
    expect(textList('A').decode([1])).toBeUndefined()
    expect(duration().decode(400)).toBeUndefined()
    expect(duration(1).decode('0s')).toBeUndefined()
    expect(gasPriceType().decode('0.5gwei')).toBeUndefined()
    expect(gasPriceType().decode(-1)).toBeUndefined()
    expect(caip2Name().decode('1329')).toBeUndefined()
    expect(caip2Name().decode('eip155:01')).toBeUndefined()
    expect(httpUrlList().decode(['http://a', 'ftp://b'])).toBeUndefined()
    expect(httpUrlList().decode(['http://user@a'])).toBeUndefined()
  })

  test('state their bounds in the rule', () => {
    expect(integerType('N', 0, 65_535).rule).toBe('an integer from 0 to 65535')
    expect(integerType('N', 1).rule).toBe('an integer of at least 1')
    expect(duration(1).rule).toBe('a duration such as 400ms, 30s or 1m30s, at least 1ms')
  })
})
