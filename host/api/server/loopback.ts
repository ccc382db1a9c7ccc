import { BlockList, isIPv4, isIPv6 } from 'node:net'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** True for a loopback address; also as IPv4 within IPv6, however its zeros are written. */
export function isLoopback(address: string): boolean {
  // Asked for each request: the list takes a microsecond
  if (isIPv4(address)) return address.startsWith('127.')
  return LOOPBACK.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** True for a host to listen on that only this machine reaches: a loopback address, or the name of one (RFC 6761, 6.3). */
export function isLoopbackHost(host: string): boolean {
  return isLoopback(host) || /^(?:.+\.)?localhost\.?$/i.test(host)
}
