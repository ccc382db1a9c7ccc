import { BlockList, isIPv4, isIPv6 } from 'node:net'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** Returns true for a loopback address, also for an IPv4-mapped IPv6 address in any notation. */
export function isLoopback(address: string): boolean {
  // Fast path for each request: the list takes a microsecond.
  if (isIPv4(address)) return address.startsWith('127.')
  return LOOPBACK.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** Returns true for a listening host that only this machine can reach: a loopback address or name (RFC 6761, 6.3). */
export function isLoopbackHost(host: string): boolean {
  return isLoopback(host) || /^(?:.+\.)?localhost\.?$/i.test(host)
}
