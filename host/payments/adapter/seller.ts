import { LockstepError } from '../../base/error.ts'
import type { Admission, GateRequest, PaymentRefusal } from '../gate/payment-gate.ts'
import type { PaymentTerms, PricedResource } from '../protocol/terms.ts'
import { tokenUnits } from '../protocol/token-amount.ts'
import { checkPublicUrl } from './origin.ts'
import type { PaymentOptions } from './payment-options.ts'
import type { PricedRoute } from './priced-routes.ts'
import { checkCount, openSharedGate, type SharedGate, type TokenTerms } from './shared-gate.ts'

const DEFAULT_BODY_BYTES = 1_048_576

/** Sells routes at their prices. Opens the shared gate with the first request. */
export class Seller {
  readonly publicUrl: string | undefined
  /** Maximum body of a paid request, in bytes. */
  readonly maxBodyBytes: number
  readonly onFailure: (error: unknown) => void
  /** True if deliveries are recorded before a response ends: without a folder nothing else survives the process. */
  readonly recordsFirst: boolean
  readonly #options: PaymentOptions
  readonly #routes: readonly PricedRoute[]
  #shop: Promise<SellerGate> | undefined

  /** @throws CONFIG_INVALID if an option is invalid */
  constructor(options: PaymentOptions, routes: readonly PricedRoute[]) {
    this.publicUrl = checkPublicUrl(options.publicUrl)
    this.maxBodyBytes = checkCount('maxBodyBytes', options.maxBodyBytes ?? DEFAULT_BODY_BYTES, 0)
    this.onFailure = options.onFailure ?? ((error) => console.error(error))
    this.recordsFirst = options.folder === undefined
    this.#options = options
    this.#routes = routes
  }

  /** Opens the gate. @throws if the folder, the chain, the token or a price is invalid */
  async ready(): Promise<void> {
    await this.#open()
  }

  /** Admits or refuses a request. @throws as `ready` does, in which case the request must not pass */
  async decide(route: PricedRoute, request: GateRequest): Promise<PaymentRefusal | Admission> {
    const { shop, resources } = await this.#open()
    return shop.gate.decide(resources.get(route) as PricedResource, request)
  }

  async close(): Promise<void> {
    const opened = this.#shop
    this.#shop = undefined
    const { shop } = (await opened?.catch(() => undefined)) ?? {}
    await shop?.close()
  }

  #open(): Promise<SellerGate> {
    if (this.#shop === undefined) {
      const opening = this.#openShop()
      this.#shop = opening
      // Retry with the next request: the node may have been unreachable.
      opening.catch(() => {
        if (this.#shop === opening) this.#shop = undefined
      })
    }
    return this.#shop
  }

  async #openShop(): Promise<SellerGate> {
    const shop = await openSharedGate(this.#options, this.onFailure)
    try {
      const resources: (readonly [PricedRoute, PricedResource])[] = []
      for (const route of this.#routes) resources.push([route, await priced(route, shop)])
      return { shop, resources: new Map(resources) }
    } catch (error) {
      await shop.close()
      throw error
    }
  }
}

interface SellerGate {
  readonly shop: SharedGate
  readonly resources: ReadonlyMap<PricedRoute, PricedResource>
}

async function priced(route: PricedRoute, shop: SharedGate): Promise<PricedResource> {
  const { path, price, description = '', mediaType = '', style = 'x402', discovery } = route
  const otherTerms: PaymentTerms[] = []
  for (const [asset, other] of Object.entries(route.otherPrices ?? {})) {
    otherTerms.push(priceOf(path, other, await shop.tokenTerms(asset)))
  }
  return {
    path,
    description,
    mediaType,
    style,
    terms: priceOf(path, price, shop),
    ...(otherTerms.length > 0 && { otherTerms }),
    ...(discovery !== undefined && { discovery }),
  }
}

function priceOf(path: string, price: string, { terms, decimals }: TokenTerms): PaymentTerms {
  const isNumber = /^(?:0|[1-9]\d*)(?:\.\d+)?$/.test(price)
  const amount = isNumber ? tokenUnits(price, decimals) : undefined
  if (amount === undefined || amount === 0n) {
    throw new LockstepError(
      'CONFIG_INVALID',
      `routes: '${price}' of ${path} is not a price in ${terms.token.name || 'the token'}`,
      {
        hint: `write a number of tokens above 0 with at most ${decimals} decimals, such as '0.001'`,
      },
    )
  }
  return { ...terms, amount }
}
