import { describe, expect, test } from 'vitest'
import { parseListenAddress } from '../../../../host/base/config/listen-address.ts'

describe('parseListenAddress', () => {
  test.each([
    ['tcp://127.0.0.1:26657', '127.0.0.1', 26_657],
    ['127.0.0.1:0', '127.0.0.1', 0],
    ['tcp://[::1]:26657', '::1', 26_657],
    ['localhost:65535', 'localhost', 65_535],
    [':26660', '0.0.0.0', 26_660],
  ])('reads %s', (text, host, port) => {
    expect(parseListenAddress(text)).toEqual({ host, port })
  })

  test.each([
    '',
    '26657',
    'localhost',
    'localhost:',
    'localhost:65536',
    'http://a:1',
    '::1:80',
    'a b:1',
  ])('refuses "%s"', (text) => {
    expect(parseListenAddress(text)).toBeUndefined()
  })
})
