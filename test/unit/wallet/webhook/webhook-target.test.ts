import { expect, test } from 'vitest'
import {
  checkTarget,
  isPublicAddress,
  pinAddress,
} from '../../../../host/wallet/webhook/webhook-target.ts'

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.2.7',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  'fc00::1',
  'fd12::1',
  'fe80::1',
  'ff02::1',
  '2001:db8::1',
  '2001::1',
  '2002:7f00:1::',
  '3fff::1',
  'nonsense',
])('the webhook target check treats %s as private', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test.each(['8.8.8.8', '93.184.216.34', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00::1'])(
  'the webhook target check treats %s as public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

test.each([
  ['http://example.com/', 'pass an https URL'],
  ['ftp://example.com/', 'pass an https URL'],
  ['nonsense', 'pass an https URL'],
  ['https://user:secret@example.com/', 'has credentials'],
  ['https://127.0.0.1/', '127.0.0.1 is a private address'],
  ['https://2130706433/', '127.0.0.1 is a private address'],
  ['https://0x7f.1/', '127.0.0.1 is a private address'],
  ['https://127.1:8545/', '127.0.0.1 is a private address'],
  ['https://[::1]/', '::1 is a private address'],
  ['https://[::ffff:10.0.0.1]/', 'is a private address'],
  ['https://localhost:8545/', 'localhost is a private address'],
  ['https://a.localhost./', 'is a private address'],
])('the webhook target check refuses %s: %s', (url, text) => {
  expect(() => checkTarget(url, false)).toThrow(text)
})

test('the webhook target check accepts private and plain HTTP targets if configured', () => {
  expect(checkTarget('http://127.0.0.1:9/x#y', true).href).toBe('http://127.0.0.1:9/x')
  expect(checkTarget('https://example.com/x', false).href).toBe('https://example.com/x')
})

test('the webhook target check pins an address, and refuses a name with a private address or none', async () => {
  const url = new URL('https://example.com/')
  const pin = (...addresses: string[]) =>
    pinAddress(url, {
      allowPrivate: false,
      resolve: async () => addresses.map((address) => ({ address, family: 4 as const })),
    })
  expect(await pin('8.8.8.8', '8.8.4.4')).toEqual({ address: '8.8.8.8', family: 4 })
  await expect(pin('8.8.8.8', '10.0.0.1')).rejects.toThrow(
    'example.com resolves to the private address 10.0.0.1',
  )
  await expect(pin()).rejects.toThrow('example.com has no address')
})
