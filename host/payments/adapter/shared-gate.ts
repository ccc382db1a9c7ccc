import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { LockstepError } from '../../base/error.ts'
import type { Hex } from '../../base/hex.ts'
import { openExitGate } from '../../base/process/stop-gate.ts'
import { parseSecret } from '../../evm/chain-types/account-key.ts'
import { nobleRecovery } from '../../evm/chain-types/noble-recovery.ts'
import type { PaymentChain } from '../chain/payment-chain.ts'
import { openRpcChain } from '../chain/rpc-chain.ts'
import { DEFAULT_ATTEMPTS, DEFAULT_TIMES, openPaymentGate } from '../gate/open-payment-gate.ts'
import type { PaymentGate } from '../gate/payment-gate.ts'
import { hasAuthorizations, readTokenFacts, type TokenFacts } from '../gate/token-facts.ts'
import { networkName } from '../protocol/network.ts'
import { shownFor } from '../protocol/payment-times.ts'
import type { Binding, PaymentTerms } from '../protocol/terms.ts'
import type { GasNotice } from '../settle/gas-reserve.ts'
import { RemoteSettlement } from '../settle/remote-settlement.ts'
import type { Settlement } from '../settle/settlement.ts'
import { openSettler } from '../settle/settler.ts'
import { openSellerStore } from '../store/seller-store.ts'
import type { PaymentOptions } from './payment-options.ts'

const ADDRESS = /^0x[0-9a-f]{40}$/
const DEFAULT_TIMEOUT_SECONDS = 300
const BINDINGS: readonly Binding[] = ['bearer', 'reference', 'signed', 'eip3009']

/** Payment terms without a price, and the decimals of their token. */
export interface TokenTerms {
  readonly terms: Omit<PaymentTerms, 'amount'>
  readonly decimals: number
}

/** The gate of a store of claims, with the payment terms that all its sellers share. */
export interface SharedGate extends TokenTerms {
  readonly gate: PaymentGate
  /** Returns the terms in another token. @throws CONFIG_INVALID if authorizations of it cannot be settled */
  tokenTerms(asset: string): Promise<TokenTerms>
  /** Closes the gate after every seller that opened it has closed it. */
  close(): Promise<void>
}

/** Options that sellers sharing a store must have in common. */
type SharedGateOptions = Pick<PaymentOptions, (typeof SHARED)[number]>

const SHARED = [
  'chain',
  'asset',
  'payTo',
  'folder',
  'store',
  'binding',
  'settlement',
  'network',
  'maxTimeoutSeconds',
  'times',
  'maxAttempts',
  'cors',
] as const satisfies readonly (keyof PaymentOptions)[]

interface SharedGateEntry {
  readonly options: SharedGateOptions
  readonly opening: Promise<SharedGate>
  users: number
}

/**
 * Returns this process's open gates by folder or database. Frameworks load a module several times; the map lives on `globalThis`
 * so that the copies share one claim thread and one settler.
 */
function sharedGates(): Map<string, SharedGateEntry> {
  const global = globalThis as { [SHOPS]?: Map<string, SharedGateEntry> }
  global[SHOPS] ??= new Map()
  return global[SHOPS]
}

const SHOPS = Symbol.for('lockstep.payments.shops')

function sharedGateOptions(options: PaymentOptions): SharedGateOptions {
  return Object.fromEntries(SHARED.map((name) => [name, options[name]])) as SharedGateOptions
}

/**
 * Opens the gate of a store, or joins the one already open in this process.
 * @throws CONFIG_INVALID if it is open with other options
 */
export async function openSharedGate(
  options: PaymentOptions,
  onFailure: (error: unknown) => void,
): Promise<SharedGate> {
  const shops = sharedGates()
  const place = options.folder === undefined ? options.store : resolve(options.folder)
  if (place === undefined) {
    throw invalid('folder', 'it is missing', 'name a folder for the claims, or a database as store')
  }
  const own = sharedGateOptions(options)
  const shared = shops.get(place) ?? {
    options: own,
    opening: startSharedGate({ ...own, onLowGas: options.onLowGas ?? logLowGas }, onFailure),
    users: 0,
  }
  if (!isDeepStrictEqual(shared.options, own)) {
    const [option, name] = options.folder === undefined ? ['store', 'it'] : ['folder', place]
    throw invalid(
      option,
      `${name} is open for a seller with other options`,
      'give each seller a folder of its own',
    )
  }
  shops.set(place, shared)
  shared.users++
  const leave = async () => {
    if (--shared.users > 0) return false
    if (shops.get(place) === shared) shops.delete(place)
    return true
  }
  try {
    const shop = await shared.opening
    return { ...shop, close: async () => ((await leave()) ? shop.close() : undefined) }
  } catch (error) {
    await leave()
    throw error
  }
}

function invalid(option: string, rule: string, hint: string): LockstepError {
  return new LockstepError('CONFIG_INVALID', `payments: ${option}: ${rule}`, { hint })
}

function checkAddress(option: string, text: string): Hex {
  const address = String(text).toLowerCase()
  if (!ADDRESS.test(address) || /^0x0*$/.test(address)) {
    throw invalid(option, `'${text}' is not an account address`, 'write 0x and 40 hex digits')
  }
  return address as Hex
}

/** Untyped callers may pass an unknown binding, which would bind nothing. */
function checkBinding(binding: Binding): Binding {
  if (!BINDINGS.includes(binding)) {
    throw invalid('binding', `'${binding}' is not a binding`, `write one of ${BINDINGS.join(', ')}`)
  }
  return binding
}

/** Returns `count` if it is an integer of at least `least`. @throws CONFIG_INVALID otherwise */
export function checkCount(option: string, count: number, least: number): number {
  if (Number.isSafeInteger(count) && count >= least) return count
  throw invalid(option, `'${count}' is not a count`, `write an integer of at least ${least}`)
}

/** Rejects NaN as well: a deadline would never expire. */
function checkTimes(least: number, times: object): void {
  for (const [option, time] of Object.entries(times)) {
    if (Number.isFinite(time) && time >= least) continue
    throw invalid(option, `'${time}' is not a time`, `write a number of at least ${least}`)
  }
}

/** Closes resources in the reverse order of opening. */
class OpenedResources {
  readonly #closers: (() => unknown)[] = []

  add<T>(thing: T, close: (thing: T) => unknown): T {
    this.#closers.push(() => close(thing))
    return thing
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close()
  }
}

/** Callbacks may differ: a framework that loads a module twice makes each of them twice. */
interface OpeningOptions extends SharedGateOptions {
  readonly onLowGas: (notice: GasNotice) => void
}

async function startSharedGate(
  options: OpeningOptions,
  onFailure: (error: unknown) => void,
): Promise<SharedGate> {
  const opened = new OpenedResources()
  // The application may end by process.exit while the store writes
  opened.add(openExitGate(), (leave) => leave())
  try {
    const parts = await openParts(options, opened, onFailure)
    return { ...parts, close: () => opened.close() }
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function openParts(
  options: OpeningOptions,
  opened: OpenedResources,
  onFailure: (error: unknown) => void,
): Promise<Omit<SharedGate, 'close'>> {
  const asset = checkAddress('asset', options.asset)
  const payTo = checkAddress('payTo', options.payTo)
  const binding = checkBinding(options.binding ?? 'bearer')
  const times = { ...DEFAULT_TIMES, ...options.times }
  const { maxTimeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = options
  const maxAttempts = checkCount('maxAttempts', options.maxAttempts ?? DEFAULT_ATTEMPTS, 1)
  checkTimes(1, { maxTimeoutSeconds })
  for (const [name, time] of Object.entries(times)) checkTimes(0, { [`times.${name}`]: time })
  const chain =
    typeof options.chain === 'string' ? await openRpcChain(options.chain) : options.chain
  const token = await requireToken('asset', chain, asset)
  const { claims, challenges } = opened.add(
    await openSellerStore(options, shownFor(times, maxTimeoutSeconds), onFailure),
    (one) => one.close(),
  )
  const settlement = await startSettlement(options, chain, opened)
  const gate = openPaymentGate({
    chain,
    claims,
    challenges,
    ...(settlement !== undefined && { settlement }),
    recovery: nobleRecovery,
    binding,
    times,
    maxAttempts,
    cors: options.cors ?? true,
    onFailure,
  })
  const terms = {
    chainId: chain.chainId,
    network: options.network ?? networkName(chain.chainId),
    asset,
    token: token.domain,
    payTo,
    maxTimeoutSeconds,
  }
  const tokenTerms = async (named: string): Promise<TokenTerms> => {
    const other = checkAddress('otherPrices', named)
    if (other === asset) throw invalid('otherPrices', `${other} is asset`, 'write it as price')
    if (settlement === undefined) {
      throw invalid('otherPrices', 'settlement is missing', 'configure one: it executes payments')
    }
    const { domain, decimals } = await requireToken('otherPrices', chain, other)
    if (!(await hasAuthorizations(chain, other))) {
      throw invalid('otherPrices', `${other} has no EIP-3009 authorizations`, 'omit that token')
    }
    return { terms: { ...terms, asset: other, token: domain }, decimals }
  }
  return { gate, terms, decimals: token.decimals, tokenTerms }
}

async function requireToken(option: string, chain: PaymentChain, asset: Hex): Promise<TokenFacts> {
  const token = await readTokenFacts(chain, asset)
  if (token !== undefined) return token
  throw invalid(
    option,
    `chain ${chain.chainId} has no token with decimals() at ${asset}`,
    'compare the address with the token, and the chain with its id',
  )
}

function logLowGas({ address, balance, left }: GasNotice): void {
  console.warn(
    `payments: ${address} pays for ${left} more settlements with ${balance} wei: send native tokens to it`,
  )
}

async function startSettlement(
  { settlement, onLowGas }: OpeningOptions,
  chain: PaymentChain,
  opened: OpenedResources,
): Promise<Settlement | undefined> {
  if (settlement === undefined) return undefined
  if ('key' in settlement) {
    const key = parseSecret(settlement.key)
    const settler = await openSettler({ chain, recovery: nobleRecovery, key, onLowGas })
    return opened.add(settler, (one) => one.close())
  }
  const { facilitator: url, token } = settlement
  if (!URL.canParse(url) || !/^https?:/i.test(url)) {
    throw invalid(
      'settlement',
      'facilitator is not a URL',
      'write one such as https://x402.example',
    )
  }
  const bearer = async () => ({ authorization: `Bearer ${token}` })
  const headers = token === undefined ? {} : { headers: bearer }
  return new RemoteSettlement({ chain, recovery: nobleRecovery, url, ...headers })
}
