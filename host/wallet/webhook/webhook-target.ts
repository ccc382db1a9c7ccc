import { lookup, Resolver } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { WalletError } from '../protocol/wallet-error.ts'

/** A resolved address. */
export interface TargetAddress {
  readonly address: string
  readonly family: 4 | 6
}

/** Resolves a name to all its addresses. */
export type ResolveName = (name: string) => Promise<readonly TargetAddress[]>

/** Thrown if a name cannot be resolved, or resolves to an address that is not allowed. */
export class TargetRefused extends Error {}

const RESOLVE_MS = 3_000

/** IANA's special-purpose registry for IPv4, and multicast: no public hosts. */
const PRIVATE_4 = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  PRIVATE_4.addSubnet(network, prefix, 'ipv4')
}

/** Global unicast. All other IPv6 addresses are local or contain an IPv4 address. */
const GLOBAL_6 = new BlockList()
GLOBAL_6.addSubnet('2000::', 3, 'ipv6')

/** Exceptions within it: Teredo and similar, documentation, 6to4. */
const SPECIAL_6 = new BlockList()
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  SPECIAL_6.addSubnet(network, prefix, 'ipv6')
}

/** True for a public internet address. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !PRIVATE_4.check(address, 'ipv4')
  return version === 6 && GLOBAL_6.check(address, 'ipv6') && !SPECIAL_6.check(address, 'ipv6')
}

/** Returns the host of a URL as an address: IPv6 without brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/** Returns the parsed URL. @throws WalletError invalid_data if it can never be delivered to */
export function checkTarget(text: string, allowPrivate: boolean): URL {
  const refuse = (rule: string) => new WalletError('invalid_data', `url: ${rule}`)
  if (!URL.canParse(text)) throw refuse('pass an https URL')
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) {
    throw refuse('pass an https URL (http needs wallets.webhook-allow-private)')
  }
  if (url.username !== '' || url.password !== '') throw refuse('has credentials: leave them out')
  const host = hostOf(url)
  const isPrivate = isIP(host) !== 0 ? !isPublicAddress(host) : /(?:^|\.)localhost\.?$/i.test(host)
  if (isPrivate && !allowPrivate) {
    throw refuse(`${host} is a private address: set wallets.webhook-allow-private to deliver to it`)
  }
  url.hash = ''
  return url
}

/** Resolves by DNS with a timeout, and without occupying a thread: the name and its server may be hostile. */
export async function resolveByDns(name: string): Promise<readonly TargetAddress[]> {
  const resolver = new Resolver({ timeout: RESOLVE_MS, tries: 1 })
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const [four, six] = found.map((one) => (one.status === 'fulfilled' ? one.value : []))
  return [
    ...(four ?? []).map((address) => ({ address, family: 4 as const })),
    ...(six ?? []).map((address) => ({ address, family: 6 as const })),
  ]
}

/** Resolves like the machine, including its hosts file, for networks of the operator. */
export async function resolveByMachine(name: string): Promise<readonly TargetAddress[]> {
  const found = await lookup(name, { all: true })
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
}

/**
 * Resolves the target once and returns the address to connect to. A second resolution could return another address.
 * @throws TargetRefused
 */
export async function pinAddress(
  url: URL,
  { allowPrivate, resolve }: { readonly allowPrivate: boolean; readonly resolve: ResolveName },
): Promise<TargetAddress> {
  const host = hostOf(url)
  const family = isIP(host)
  const addresses =
    family === 0
      ? await resolve(host)
      : [{ address: host, family: family === 6 ? (6 as const) : (4 as const) }]
  const [first] = addresses
  if (first === undefined) throw new TargetRefused(`${host} has no address`)
  const hidden = addresses.find(({ address }) => !isPublicAddress(address))
  if (hidden !== undefined && !allowPrivate) {
    throw new TargetRefused(`${host} resolves to the private address ${hidden.address}`)
  }
  return first
}
